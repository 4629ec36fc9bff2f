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

// gatedWorld is a world in which members' posts need approval, with a member's browser.
func gatedWorld(t *testing.T) (w *world, ada *browser) {
	w = newWorld(t)
	w.controls(t, `{"approval":true}`)
	return w, w.newMember(t, "ada")
}

func (b *browser) write(t *testing.T, body string) posts.Post {
	return read[posts.PostReply](t, b.post(t, "/api/posts", body), http.StatusCreated).Post
}

func (b *browser) change(t *testing.T, id, body string) posts.Post {
	return read[posts.PostReply](t, b.send(t, "PATCH", "/api/posts/"+id, body), ok).Post
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
			rec := w.do(t, call{method: tt.method, path: tt.path, body: tt.body, contentType: tt.kind, key: "none", header: map[string]string{"Cookie": "session=" + ada.cookies["session"]}})
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
	p := ada.write(t, `{"content":"LOUD","scheduledAt":"2026-12-01T09:00:00Z"}`)
	require.Equal(t, &posts.Review{State: "requested"}, p.Review)
	refused(t, w.send(t, "POST", "/api/posts/"+p.ID+"/review", `{"decision":"reject"}`), problem.Invalid, "a rejection needs a reason")

	rejected := w.review(t, p.ID, `{"decision":"reject","reason":"too loud"}`)
	require.Equal(t, &posts.Review{State: "rejected", Reason: "too loud", Reviewer: "the admin key"}, rejected.Review)
	require.Equal(t, &posts.Review{State: "requested"}, ada.change(t, p.ID, `{"content":"Loud","draft":false}`).Review)
	require.Equal(t, "Quiet", w.review(t, p.ID, `{"decision":"suggest","suggestion":"Quiet"}`).Review.Suggestion)
	accepted := ada.change(t, p.ID, `{"content":"Quiet","draft":false}`)
	require.Equal(t, []any{post.StatusScheduled, "approved"}, []any{accepted.Status, accepted.Review.State})
	require.Equal(t, []string{"start " + p.ID}, w.runs.commands)
	refused(t, ada.send(t, "PATCH", "/api/posts/"+p.ID, `{"content":"something else"}`), problem.Forbidden, "the approval was for another text")
	ada.change(t, p.ID, `{"content":"Quiet","scheduledAt":"2026-12-02T09:00:00Z"}`) // only the time changes
	require.Contains(t, w.runs.commands, "edit "+p.ID+" Quiet")
	refused(t, w.send(t, "POST", "/api/posts/"+p.ID+"/review", `{"decision":"reject","reason":"no"}`), problem.ReviewClosed)

	late := ada.write(t, `{"content":"late","scheduledAt":"2026-11-20T13:00:00Z"}`)
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
	eve := w.newMember(t, "eve")
	p := ada.write(t, `{"content":"secret plans","scheduledAt":"2026-12-01T09:00:00Z"}`)
	const calendar = "/api/schedule?from=2026-11-01T00:00:00Z&to=2026-12-31T00:00:00Z"
	for name, tt := range map[string]struct {
		send sending
		sees bool
	}{
		"a founder": {w.send, true}, "its member": {ada.send, true}, "another member": {eve.send, false}, "a visitor": {w.browser().send, false},
	} {
		status, listed := http.StatusNotFound, 0
		if tt.sees {
			status, listed = ok, 1
		}
		require.Equal(t, status, tt.send(t, "GET", "/api/posts/"+p.ID, "").Code, name)
		page := read[posts.Posts](t, tt.send(t, "GET", "/api/posts?review=requested", ""), 200)
		require.Len(t, page.Posts, listed, name)
		require.Equal(t, listed, page.Counts[post.StatusDraft], name)
		require.Len(t, read[scheduleapi.Schedule](t, tt.send(t, "GET", calendar, ""), 200).Posts, listed, name)
	}
	for _, c := range [][3]string{{"PATCH", "", `{"content":"mine"}`}, {"DELETE", "", ""}, {"POST", "/restore", ""}, {"POST", "/retry", ""}} {
		rec := eve.send(t, c[0], "/api/posts/"+p.ID+c[1], c[2])
		require.Equal(t, http.StatusNotFound, rec.Code, rec.Body.String())
	}
	like := read[scheduleapi.PostCheck](t, eve.post(t, "/api/posts/check", `{"content":"secret plans!"}`), 200)
	require.Empty(t, like.Similar)
}
