package api

import (
	"context"
	"time"

	"customerzero/internal/domain/post"
)

// BotPosts is a page of what went out.
type BotPosts struct {
	Posts          []BotPost  `json:"posts"`
	Pagination     Pagination `json:"pagination"`
	SponsoredTotal int        `json:"sponsoredTotal" doc:"All published posts that members sponsored"`
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
	RunRef
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

// RunRef names the workflow run that made a fact true.
type RunRef struct {
	WorkflowID string `json:"workflowId"`
	RunID      string `json:"runId" doc:"Empty until the run has begun"`
	RunURL     string `json:"runUrl" doc:"Path of its public timeline"`
}

// Pagination says where in a list a page lies.
type Pagination struct {
	Total   int  `json:"total"`
	Limit   int  `json:"limit"`
	Offset  int  `json:"offset"`
	HasMore bool `json:"hasMore"`
}

// PageQuery are the parameters of every list.
type PageQuery struct {
	Limit  int `query:"limit" default:"20" minimum:"1" maximum:"100"`
	Offset int `query:"offset" default:"0" minimum:"0" maximum:"1000000"`
}

func (q PageQuery) of(total int) Pagination {
	return Pagination{Total: total, Limit: q.Limit, Offset: q.Offset, HasMore: q.Offset+q.Limit < total}
}

type listBotPostsRequest struct{ PageQuery }

type botPostsReply struct{ Body BotPosts }

func (s *Server) listBotPosts(ctx context.Context, req *listBotPostsRequest) (*botPostsReply, error) {
	published, total, err := s.Posts.PublishedPosts(ctx, req.Limit, req.Offset)
	if err != nil {
		return nil, err
	}
	sponsored, err := s.Posts.SponsoredPublished(ctx)
	if err != nil {
		return nil, err
	}
	page := BotPosts{Posts: make([]BotPost, len(published)), Pagination: req.of(total), SponsoredTotal: sponsored}
	for i, p := range published {
		page.Posts[i] = s.botPost(p)
	}
	return &botPostsReply{page}, nil
}

func (s *Server) botPost(p post.Listed) BotPost {
	shown := BotPost{
		ID: p.ID, Content: p.Text, PostedAt: *p.PublishedAt, TimeAgo: timeAgo(s.Now().Sub(*p.PublishedAt)),
		TwitterURL: s.tweetURL(p.Post), EngagementScore: p.Engagement(),
		Engagement: Engagement{p.Likes, p.Reposts, p.Replies, p.Quotes, p.MeasuredAt},
		Member:     PostMember{p.Username}, RunRef: s.runRef(p.Post),
	}
	if p.Slot != nil {
		shown.Slot = Slot{p.Slot.Month, p.Slot.Number}
	}
	return shown
}
