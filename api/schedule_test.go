package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/treasury"
)

func TestCalendarShowsAFullMonth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range post.MonthlyPosts {
		_, err := w.db.Posts.CreatePost(t.Context(), post.Post{
			ID: fmt.Sprintf("p%03d", i), Text: fmt.Sprintf("post number %d", i), Status: post.StatusScheduled,
			ScheduledAt: now.Add(time.Duration(i) * time.Minute),
		}, now)
		require.NoError(t, err)
	}
	page := read[api.Schedule](t, w.do(t, call{method: "GET", path: "/api/schedule?from=2026-11-20T00:00:00Z&to=2026-12-31T00:00:00Z"}), 200)
	require.Len(t, page.Posts, post.MonthlyPosts)
	require.Equal(t, "p000", page.Posts[0].ID)
	require.False(t, page.Cut)
	require.NotNil(t, page.Planned)
}

func TestBudgetIsSeenFromWhereOneStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account, _ := w.join(t, "ada")
	ada := w.login(t, account, "")
	createPost(t, w, `{"content":"ours"}`)
	createPost(t, w, `{"content":"hers","member":"ada"}`)
	ask := func(c call) api.Budget {
		c.method, c.path = "GET", "/api/schedule/budget"
		return read[api.Budget](t, w.do(t, c), 200)
	}
	founders, visitor := ask(call{}), ask(call{key: "none"})
	hers := ask(w.as(t, ada, "", "", ""))
	require.Equal(t, "Rr", founders.Cells[:2])
	require.Equal(t, "rr", visitor.Cells[:2])
	require.Equal(t, "rR", hers.Cells[:2])
	require.Nil(t, founders.Mine)
	require.Nil(t, visitor.Mine)
	require.Equal(t, &api.Part{Held: 1, Allowed: 250}, hers.Mine)
	require.Equal(t, api.Part{Held: 1, Allowed: 250}, hers.Commons)
	require.Equal(t, []int{500, 0, 2, 498}, []int{hers.Limit, hers.Spent, hers.Reserved, hers.Free})
	require.Equal(t, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), hers.ResetsAt)
	require.Nil(t, hers.EmptyOn)

	next := read[api.Budget](t, w.do(t, call{method: "GET", path: "/api/schedule/budget?month=2026-12"}), 200)
	require.Equal(t, strings.Repeat(".", 500), next.Cells)
}

func checkOf(t *testing.T, w *world, body string) api.PostCheck {
	t.Helper()
	return read[api.PostCheck](t, w.do(t, call{method: "POST", path: "/api/posts/check", body: body}), http.StatusOK)
}

func TestCheckSaysWhatCreatingWouldRefuse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		code problem.Code
	}{
		"nothing":                    {`{"content":"fine"}`, ""},
		"an empty text":              {`{"content":""}`, problem.TextEmpty},
		"281 letters":                {`{"content":"` + strings.Repeat("x", 281) + `"}`, problem.TextTooLong},
		"a time that has passed":     {`{"content":"fine","scheduledAt":"2026-11-01T09:00:00Z"}`, problem.DatePast},
		"a time that comes twice":    {`{"content":"fine","scheduledAt":"2027-10-31T02:30","timezone":"Europe/Berlin"}`, problem.DateAmbiguous},
		"a text that waits already":  {`{"content":"waits\n already"}`, problem.TextDuplicate},
		"the text before the time":   {`{"content":"","scheduledAt":"2026-11-01T09:00:00Z"}`, problem.TextEmpty},
		"the same post is no double": {`{"content":"waits already","postId":"p1"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			_, err := w.db.Posts.CreatePost(t.Context(), post.Post{ID: "p1", Text: "waits already", Status: post.StatusScheduled, ScheduledAt: now}, now)
			require.NoError(t, err)
			check := checkOf(t, w, tt.body)
			if tt.code == "" {
				require.Nil(t, check.Problem)
				return
			}
			require.NotNil(t, check.Problem)
			require.Equal(t, tt.code, check.Problem.Code)
			require.NotEmpty(t, check.Problem.Message)
		})
	}
}

func TestCheckMeasuresAndCompares(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	like := createPost(t, w, `{"content":"Our new mug is here, come and see it"}`)
	createPost(t, w, `{"content":"We hired an accountant"}`)
	check := checkOf(t, w, `{"content":"Our new mugs are here, come and see them https://example.com","scheduledAt":"2026-12-01T09:00","timezone":"Europe/Berlin"}`)
	require.Equal(t, []int{post.Weight("Our new mugs are here, come and see them https://example.com"), 280, 1}, []int{check.Weight, check.Limit, check.Links})
	require.EqualValues(t, treasury.LinkPostMicroUSD, check.CostMicroUSD)
	require.WithinDuration(t, time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC), *check.ScheduledAt, 0)

	check = checkOf(t, w, `{"content":"our new mug is here: come and see it!"}`)
	require.Len(t, check.Similar, 1)
	require.Equal(t, like.ID, check.Similar[0].PostID)
	require.GreaterOrEqual(t, check.Similar[0].Similarity, 90)
	require.Nil(t, check.ScheduledAt)
	require.Empty(t, checkOf(t, w, `{"content":"our new mug is here: come and see it!","postId":"`+like.ID+`"}`).Similar)
}

func TestCancellationIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi","scheduledAt":"2026-12-01T09:00:00Z"}`)
	_, err := w.db.Posts.BeginPost(t.Context(), p.ID, "run-1")
	require.NoError(t, err)
	_, err = w.db.Posts.CancelPost(t.Context(), p.ID, now)
	require.NoError(t, err)
	w.runs.orders = nil
	back := read[api.PostReply](t, w.do(t, call{method: "POST", path: "/api/posts/" + p.ID + "/restore"}), 200).Post
	require.Equal(t, post.StatusScheduled, back.Status)
	require.NotNil(t, back.Slot)
	require.Equal(t, []string{"start " + p.ID}, w.runs.orders)
	rec := w.do(t, call{method: "POST", path: "/api/posts/" + p.ID + "/restore"})
	require.Equal(t, problem.PostClosed, problemOf(t, rec).Code)
}

// Proves: V8.2.2
func TestPostMadeOfAGeneratedText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account, _ := w.join(t, "ada")
	eveAccount, _ := w.join(t, "eve")
	ada, eve := w.login(t, account, ""), w.login(t, eveAccount, "")
	made := read[api.GenerateReply](t, w.do(t, w.as(t, ada, "POST", "/api/ai/generate", `{"content_type":"tweet","prompt":"mugs"}`)), 200)
	of := func(text string) string {
		return body(t, map[string]string{"content": text, "candidateId": made.CandidateID})
	}
	rec := w.do(t, w.as(t, eve, "POST", "/api/posts", of(made.Content)))
	require.Equal(t, problem.NotFound, problemOf(t, rec).Code, "it is somebody else's")

	p := w.write(t, ada, of(made.Content))
	require.True(t, p.MadeWithAI)
	require.Equal(t, made.Model, p.Provenance.Model)
	require.False(t, p.Provenance.Edited)
	p = w.write(t, ada, of(made.Content+" Really."))
	require.True(t, p.Provenance.Edited)
}
