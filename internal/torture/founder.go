package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"customerzero/api"
	"customerzero/internal/problem"
)

// founder calls the API as the founders do.
type founder struct {
	url, key string
	http     http.Client
}

func newFounder(url, key string) *founder {
	return &founder{url: url, key: key, http: http.Client{Timeout: 10 * time.Second}}
}

// outcome is what a call came to.
type outcome string

const (
	success outcome = "success"
	refused outcome = "refused" // certainly not done
	unclear outcome = "unclear" // nobody told us
)

type answer struct {
	outcome outcome
	code    problem.Code // refused
	post    api.Post     // success, of a call about a post
}

func (a answer) String() string {
	if a.code != "" {
		return string(a.outcome) + " " + string(a.code)
	}
	return string(a.outcome)
}

// call makes one request. Whatever is not an answer of the API's own leaves it unclear.
func (f *founder) call(ctx context.Context, method, path string, body, reply any) answer {
	text, err := json.Marshal(body)
	if err != nil {
		return answer{outcome: refused, code: problem.Invalid}
	}
	req, err := http.NewRequestWithContext(ctx, method, f.url+path, bytes.NewReader(text))
	if err != nil {
		return answer{outcome: refused, code: problem.Invalid}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Admin-Key", f.key)
	resp, err := f.http.Do(req)
	if err != nil {
		return answer{outcome: unclear}
	}
	defer func() { _ = resp.Body.Close() }()
	decoder := json.NewDecoder(resp.Body)
	switch {
	case resp.StatusCode >= http.StatusInternalServerError:
		return answer{outcome: unclear}
	case resp.StatusCode >= http.StatusBadRequest:
		var said api.Problem
		if decoder.Decode(&said) != nil {
			return answer{outcome: unclear}
		}
		return answer{outcome: refused, code: said.Code}
	case decoder.Decode(reply) != nil: // cut off in the middle: the status says enough
		return answer{outcome: success}
	}
	return answer{outcome: success}
}

func (f *founder) callPost(ctx context.Context, method, path string, body any) answer {
	var reply api.PostReply
	a := f.call(ctx, method, path, body, &reply)
	a.post = reply.Post
	if a.outcome == success && a.post.ID == "" {
		a.outcome = unclear
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
	return answer{outcome: refused, code: problem.Invalid}
}

func (f *founder) version(ctx context.Context, id string) (int, bool) {
	var p api.Post
	a := f.call(ctx, http.MethodGet, "/api/posts/"+id, nil, &p)
	return p.Version, a.outcome == success && p.ID == id
}

// stuck lists posts that wait for a person.
func (f *founder) stuck(ctx context.Context, status string) ([]api.Post, answer) {
	var page api.Posts
	a := f.call(ctx, http.MethodGet, "/api/posts?limit=100&status="+status, nil, &page)
	return page.Posts, a
}

// join enters a member. One who is there already is fine: we have asked before.
func (f *founder) join(ctx context.Context, name string) error {
	var a answer
	body := api.NewMember{Username: name, PaymentAmount: 9}
	entered := until(ctx, time.Minute, func() bool {
		a = f.call(ctx, http.MethodPost, "/api/members", body, &api.AddedMember{})
		return a.outcome == success || a.code == problem.MemberExists
	})
	if !entered {
		return fmt.Errorf("member %s could not be entered: %s", name, a)
	}
	return nil
}
