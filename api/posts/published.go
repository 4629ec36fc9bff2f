package posts

import (
	"context"
	"errors"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
)

// BotPosts is a page of what went out.
type BotPosts struct {
	Posts          []BotPost          `json:"posts"`
	Pagination     httpapi.Pagination `json:"pagination"`
	SponsoredTotal int                `json:"sponsoredTotal" doc:"All published posts that members sponsored"`
}

// BotPost is a published post.
type BotPost struct {
	ID              string     `json:"id"`
	Content         string     `json:"content"`
	PostedAt        time.Time  `json:"postedAt"`
	TimeAgo         string     `json:"timeAgo"`
	TwitterURL      string     `json:"twitterUrl"`
	EngagementScore int        `json:"engagementScore" doc:"likes + 2·reposts + 2·replies + quotes"`
	Engagement      Engagement `json:"engagement"`
	Member          PostMember `json:"member"`
	Slot            Slot       `json:"slot"`
	httpapi.RunRef
}

// Engagement is what X last told about a post.
type Engagement struct {
	Likes      int        `json:"likes"`
	Reposts    int        `json:"reposts"`
	Replies    int        `json:"replies"`
	Quotes     int        `json:"quotes"`
	MeasuredAt *time.Time `json:"measuredAt,omitempty" doc:"Absent: never measured"`
}

// PostMember is who sponsored a post.
type PostMember struct {
	Username string `json:"username,omitempty" doc:"Without @; absent for the founders' posts"`
}

// Slot is one of the month's 500 places.
type Slot struct {
	Month  post.Month `json:"month" example:"2026-11"`
	Number int        `json:"number" minimum:"1" maximum:"500"`
}

func (a *API) ListBotPosts(ctx context.Context, req *httpapi.PageQuery) (BotPosts, error) {
	published, total, badList := a.Posts.PublishedPosts(ctx, req.Limit, req.Offset)
	sponsored, err := a.Posts.SponsoredPublished(ctx)
	return BotPosts{httpapi.Map(published, a.botPost), req.Of(total), sponsored}, errors.Join(badList, err)
}

func (a *API) botPost(p post.Listed) BotPost {
	shown := BotPost{
		ID: p.ID, Content: p.Text, PostedAt: *p.PublishedAt, TimeAgo: timeAgo(a.Now().Sub(*p.PublishedAt)),
		TwitterURL: a.tweetURL(p.Post), EngagementScore: p.Engagement(),
		Engagement: Engagement{p.Likes, p.Reposts, p.Replies, p.Quotes, p.MeasuredAt},
		Member:     PostMember{p.Username}, RunRef: a.runRef(p.Post),
	}
	if p.Slot != nil {
		shown.Slot = Slot(*p.Slot)
	}
	return shown
}
