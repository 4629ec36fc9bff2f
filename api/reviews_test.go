package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api/posts"
	scheduleapi "customerzero/api/schedule"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// gatedWorld is a world in which members' posts need approval, with a member's session.
func gatedWorld(t *testing.T) (w *world, ada string) {
	w = newWorld(t)
	account, _ := w.join(t, "ada")
	ada = w.login(t, account, "")
	w.controls(t, `{"approval":true}`)
	return w, ada
}

// as returns a request with a session.
func (w *world) as(session, method, path, body string) call {
	return call{method: method, path: path, body: body, key: "none", host: "localhost", header: map[string]string{"Cookie": "session=" + session}}
}

func (w *world) write(t *testing.T, session, body string) posts.Post {
	return read[posts.PostReply](t, w.do(t, w.as(session, "POST", "/api/posts", body)), http.StatusCreated).Post
}

func (w *world) change(t *testing.T, session, id, body string) posts.Post {
	return read[posts.PostReply](t, w.do(t, w.as(session, "PATCH", "/api/posts/"+id, body)), ok).Post
}

func (w *world) review(t *testing.T, id, body string) posts.Post {
	return read[posts.PostReply](t, w.send(t, "POST", "/api/posts/"+id+"/review", body), ok).Post
}

func TestMembersPostsWaitForApproval(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ method, path, body, kind string }{
		"for now":        {"POST", "/api/posts", `{"content":"hi"}`, ""},
		"queued":         {"POST", "/api/posts", `{"content":"hi","queue":true}`, ""},
		"posted at once": {"POST", "/tweet", `{"content":"hi"}`, ""},
		"from a file":    {"POST", "/api/posts/import", "text\nhi\n", "text/csv"},
	} {
		t.Run(name, func(t *testing.T) {
			w, ada := gatedWorld(t)
			c := w.as(ada, tt.method, tt.path, tt.body)
			c.contentType = tt.kind
			rec := w.do(t, c)
			require.Less(t, rec.Code, 300, rec.Body.String())
			if tt.path != "/api/posts" {
				require.Contains(t, rec.Body.String(), "This post waits for a founder's approval.")
			}
			if tt.path == "/tweet" {
				require.Equal(t, http.StatusAccepted, rec.Code)
			}
			listed, _, err := w.db.Posts.Posts(t.Context(), post.Filter{Limit: 10})
			require.NoError(t, err)
			for _, p := range listed {
				require.Equal(t, []any{post.StatusDraft, post.ReviewRequested}, []any{p.Status, p.Review})
				require.Nil(t, p.Slot)
			}
			require.Len(t, listed, 1)
			require.Empty(t, w.runs.commands, "no workflow is started")
		})
	}
}

func TestReviewOfAMembersPost(t *testing.T) {
	w, ada := gatedWorld(t)
	require.Equal(t, post.StatusScheduled, createPost(t, w, `{"content":"for ada, by founders","member":"ada"}`).Status)
	w.runs.commands = nil
	p := w.write(t, ada, `{"content":"LOUD","scheduledAt":"2026-12-01T09:00:00Z"}`)
	require.Equal(t, &posts.Review{State: "requested"}, p.Review)
	refused(t, w.send(t, "POST", "/api/posts/"+p.ID+"/review", `{"decision":"reject"}`), problem.Invalid, "a rejection needs a reason")

	rejected := w.review(t, p.ID, `{"decision":"reject","reason":"too loud"}`)
	require.Equal(t, &posts.Review{State: "rejected", Reason: "too loud", Reviewer: "the admin key"}, rejected.Review)
	require.Equal(t, &posts.Review{State: "requested"}, w.change(t, ada, p.ID, `{"content":"Loud","draft":false}`).Review)
	require.Equal(t, "Quiet", w.review(t, p.ID, `{"decision":"suggest","suggestion":"Quiet"}`).Review.Suggestion)
	accepted := w.change(t, ada, p.ID, `{"content":"Quiet","draft":false}`)
	require.Equal(t, []any{post.StatusScheduled, "approved"}, []any{accepted.Status, accepted.Review.State})
	require.Equal(t, []string{"start " + p.ID}, w.runs.commands)
	refused(t, w.do(t, w.as(ada, "PATCH", "/api/posts/"+p.ID, `{"content":"something else"}`)), problem.Forbidden, "the approval was for another text")
	w.change(t, ada, p.ID, `{"content":"Quiet","scheduledAt":"2026-12-02T09:00:00Z"}`) // only the time changes
	require.Contains(t, w.runs.commands, "edit "+p.ID+" Quiet")
	refused(t, w.send(t, "POST", "/api/posts/"+p.ID+"/review", `{"decision":"reject","reason":"no"}`), problem.ReviewClosed)

	late := w.write(t, ada, `{"content":"late","scheduledAt":"2026-11-20T13:00:00Z"}`)
	w.now = now.Add(48 * time.Hour)
	refused(t, w.send(t, "POST", "/api/posts/"+late.ID+"/review", `{"decision":"approve"}`), problem.DatePast)
	done := w.review(t, late.ID, `{"decision":"approve","version":1,"scheduledAt":"2026-12-01T09:00","timezone":"Europe/Berlin"}`)
	require.WithinDuration(t, time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC), done.ScheduledAt, 0)
	require.Equal(t, &posts.Review{State: "approved", Reviewer: "the admin key"}, done.Review)
	require.Contains(t, w.runs.commands, "start "+late.ID)
}

// Proves: V8.2.2
func TestDraftsAreSeenByTheirMemberAndFounders(t *testing.T) {
	w, ada := gatedWorld(t)
	account, _ := w.join(t, "eve")
	eve := w.login(t, account, "")
	p := w.write(t, ada, `{"content":"secret plans","scheduledAt":"2026-12-01T09:00:00Z"}`)
	const calendar = "/api/schedule?from=2026-11-01T00:00:00Z&to=2026-12-31T00:00:00Z"
	for name, tt := range map[string]struct {
		call func(method, path, body string) call
		sees bool
	}{
		"a founder":      {func(m, p, b string) call { return call{method: m, path: p, body: b} }, true},
		"its member":     {func(m, p, b string) call { return w.as(ada, m, p, b) }, true},
		"another member": {func(m, p, b string) call { return w.as(eve, m, p, b) }, false},
		"a visitor":      {func(m, p, b string) call { return call{method: m, path: p, body: b, key: "none"} }, false},
	} {
		status, listed := http.StatusNotFound, 0
		if tt.sees {
			status, listed = ok, 1
		}
		require.Equal(t, status, w.do(t, tt.call("GET", "/api/posts/"+p.ID, "")).Code, name)
		page := read[posts.Posts](t, w.do(t, tt.call("GET", "/api/posts?review=requested", "")), 200)
		require.Len(t, page.Posts, listed, name)
		require.Equal(t, listed, page.Counts[post.StatusDraft], name)
		require.Len(t, read[scheduleapi.Schedule](t, w.do(t, tt.call("GET", calendar, "")), 200).Posts, listed, name)
	}
	for _, c := range []call{
		w.as(eve, "PATCH", "/api/posts/"+p.ID, `{"content":"mine"}`), w.as(eve, "DELETE", "/api/posts/"+p.ID, ""),
		w.as(eve, "POST", "/api/posts/"+p.ID+"/restore", ""), w.as(eve, "POST", "/api/posts/"+p.ID+"/retry", ""),
	} {
		rec := w.do(t, c)
		require.Equal(t, http.StatusNotFound, rec.Code, rec.Body.String())
	}
	like := read[scheduleapi.PostCheck](t, w.do(t, w.as(eve, "POST", "/api/posts/check", `{"content":"secret plans!"}`)), 200)
	require.Empty(t, like.Similar)
}
