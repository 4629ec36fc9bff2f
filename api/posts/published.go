package posts

import (
	"context"
	"errors"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
)

// BotPosts is a page of published posts.
type BotPosts struct {
	Posts          []BotPost          `json:"posts" doc:"Published posts, newest first"`
	Pagination     httpapi.Pagination `json:"pagination" doc:"Position of this page in the whole list"`
	SponsoredTotal int                `json:"sponsoredTotal" doc:"Number of all published posts that members sponsored"`
}

// BotPost is a published post.
type BotPost struct {
	ID              string      `json:"id" doc:"Post ID"`
	Content         string      `json:"content" doc:"Text of the post"`
	PostedAt        time.Time   `json:"postedAt" doc:"Time of publication"`
	TimeAgo         string      `json:"timeAgo" doc:"Human-readable age of the post"`
	TwitterURL      string      `json:"twitterUrl" doc:"URL of the post on X, or in the sandbox"`
	EngagementScore *int        `json:"engagementScore,omitempty" doc:"likes + 2·reposts + 2·replies + quotes; omitted until X was read"`
	Engagement      *Engagement `json:"engagement,omitempty" doc:"Latest engagement counts; omitted until X was read"`
	Member          PostMember  `json:"member" doc:"The member who sponsored the post"`
	MadeWithAI      bool        `json:"madeWithAi" doc:"True if a language model wrote the text"`
	Slot            Slot        `json:"slot" doc:"Monthly slot that the post used"`
	httpapi.RunRef
}

// Engagement holds X's last metrics of a post.
type Engagement struct {
	Likes      int       `json:"likes" doc:"Number of likes"`
	Reposts    int       `json:"reposts" doc:"Number of reposts"`
	Replies    int       `json:"replies" doc:"Number of replies"`
	Quotes     int       `json:"quotes" doc:"Number of quotes"`
	MeasuredAt time.Time `json:"measuredAt" doc:"Time at which X was last read"`
}

// PostMember is the sponsor of a post.
type PostMember struct {
	Username string `json:"username,omitempty" doc:"Name without @; omitted for the founders' posts"`
}

// Slot is one of a month's 500 slots.
type Slot struct {
	Month  post.Month `json:"month" doc:"Month in UTC" example:"2026-11"`
	Number int        `json:"number" doc:"Number of the slot in the month" minimum:"1" maximum:"500"`
}

func (a *API) ListBotPosts(ctx context.Context, req *httpapi.PageQuery) (BotPosts, error) {
	published, total, badList := a.Posts.PublishedPosts(ctx, req.Limit, req.Offset)
	sponsored, err := a.Posts.SponsoredPublished(ctx)
	return BotPosts{httpapi.Map(published, a.botPost), req.Of(total), sponsored}, errors.Join(badList, err)
}

func (a *API) botPost(p post.Listed) BotPost {
	shown := BotPost{
		ID: p.ID, Content: p.Text, PostedAt: *p.PublishedAt, TimeAgo: timeAgo(a.Now().Sub(*p.PublishedAt)),
		TwitterURL: a.tweetURL(p.Post), Member: PostMember{p.Username}, MadeWithAI: p.MadeWithAI, RunRef: a.runRef(p.Post),
	}
	if p.MeasuredAt != nil {
		shown.EngagementScore = new(p.Engagement())
		shown.Engagement = &Engagement{p.Likes, p.Reposts, p.Replies, p.Quotes, *p.MeasuredAt}
	}
	if p.Slot != nil {
		shown.Slot = Slot(*p.Slot)
	}
	return shown
}
