package posts

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"customerzero/api"
	"customerzero/internal/domain/problem"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// founder calls the API as the founders do.
type founder struct{ *rig.Caller }

type answer struct {
	rig.Answer
	post api.Post // success, of a call about a post
}

func (f *founder) callPost(ctx context.Context, method, path string, body any) answer {
	var reply api.PostReply
	a := answer{f.Call(ctx, method, path, body, &reply), reply.Post}
	if a.Outcome == rig.Success && a.post.ID == "" {
		a.Outcome = rig.Unclear
	}
	return a
}

func (f *founder) write(ctx context.Context, p plannedPost, at time.Time) answer {
	body := api.NewPost{Content: p.text, Member: p.member}
	if !at.IsZero() {
		body.ScheduledAt = at.Format(time.RFC3339Nano)
	}
	return f.callPost(ctx, http.MethodPost, "/api/posts", body)
}

func (f *founder) give(ctx context.Context, id string, o plannedOrder, at time.Time) answer {
	path := "/api/posts/" + id
	var body api.PostChange
	if o.version {
		if version, ok := f.version(ctx, id); ok {
			body.Version = &version
		}
	}
	switch o.kind {
	case edit:
		body.Content = &o.text
		return f.callPost(ctx, http.MethodPatch, path, body)
	case reschedule:
		when := at.Format(time.RFC3339Nano)
		body.ScheduledAt = &when
		return f.callPost(ctx, http.MethodPatch, path, body)
	case cancelling:
		return f.callPost(ctx, http.MethodDelete, path, nil)
	case retry:
		return f.callPost(ctx, http.MethodPost, path+"/retry", nil)
	}
	return answer{Answer: rig.Answer{Outcome: rig.Refused, Code: problem.Invalid}}
}

func (f *founder) version(ctx context.Context, id string) (int, bool) {
	var p api.Post
	a := f.Call(ctx, http.MethodGet, "/api/posts/"+id, nil, &p)
	return p.Version, a.Outcome == rig.Success && p.ID == id
}

// stuck lists posts that wait for a person.
func (f *founder) stuck(ctx context.Context, status string) ([]api.Post, rig.Answer) {
	var page api.Posts
	a := f.Call(ctx, http.MethodGet, "/api/posts?limit=100&status="+status, nil, &page)
	return page.Posts, a
}

// join enters a member. One who is there already is fine: we have asked before.
func (f *founder) join(ctx context.Context, name string) error {
	var a rig.Answer
	body := api.NewMember{Username: name, PaymentAmount: 9}
	entered := cluster.Until(ctx, 5*time.Minute, func() bool {
		a = f.Call(ctx, http.MethodPost, "/api/members", body, &api.AddedMember{})
		return a.Outcome == rig.Success || a.Code == problem.MemberExists
	})
	if !entered {
		return fmt.Errorf("member %s could not be entered: %s", name, a)
	}
	return nil
}
