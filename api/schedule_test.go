package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	generationapi "customerzero/api/generation"
	"customerzero/api/httpapi"
	"customerzero/api/posts"
	scheduleapi "customerzero/api/schedule"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/treasury"
)

func TestCalendarShowsPostsAndPlannedTimes(t *testing.T) {
	w := newWorld(t)
	r := w.recurring(t, nil)
	shown := read[scheduleapi.Schedule](t, w.send(t, "GET", "/api/schedule?from=2026-11-20T00:00:00Z&to=2026-12-08T00:00:00Z", ""), ok)
	require.Equal(t, []any{1, "Week 1", false, 2}, []any{len(shown.Posts), shown.Posts[0].Content, shown.Cut, len(shown.Planned)})
	for i, p := range shown.Planned {
		require.Equal(t, []any{r.ID, "Week " + strconv.Itoa(i+2), nextMonday.AddDate(0, 0, 7*(i+1))}, []any{p.RecurringPostID, p.Content, p.At})
	}
}

func TestBudgetShowsTheCallersSlots(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	createPost(t, w, `{"content":"ours"}`)
	createPost(t, w, `{"content":"hers","member":"ada"}`)
	budget := func(send sending) scheduleapi.Budget {
		return read[scheduleapi.Budget](t, send(t, "GET", "/api/schedule/budget", ""), 200)
	}
	founders, visitor, hers := budget(w.send), budget(w.browser().send), budget(ada.send)
	require.Equal(t, "Rr", founders.Cells[:2])
	require.Equal(t, "rr", visitor.Cells[:2])
	require.Equal(t, "rR", hers.Cells[:2])
	require.Nil(t, founders.Mine)
	require.Nil(t, visitor.Mine)
	require.Equal(t, []any{&scheduleapi.Part{Held: 1, Allowed: 250}, scheduleapi.Part{Held: 1, Allowed: 250}}, []any{hers.Mine, hers.FoundersShare})
	require.Equal(t, []int{500, 0, 2, 498}, []int{hers.Limit, hers.Spent, hers.Reserved, hers.Free})
	require.Equal(t, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), hers.ResetsAt)
	require.Nil(t, hers.EmptyOn)

	next := read[scheduleapi.Budget](t, w.send(t, "GET", "/api/schedule/budget?month=2026-12", ""), 200)
	require.Equal(t, strings.Repeat(".", 500), next.Cells)
}

func checkOf(t *testing.T, w *world, body string) scheduleapi.PostCheck {
	return read[scheduleapi.PostCheck](t, w.send(t, "POST", "/api/posts/check", body), ok)
}

func TestCheckReportsWhatCreatingWouldRefuse(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"waits already","scheduledAt":"2026-11-20T22:30:00Z"}`)
	for body, code := range map[string]problem.Code{
		`{"content":"fine"}`: "",
		`{"content":"fine","scheduledAt":"2026-11-01T09:00:00Z"}`: problem.DatePast,
		`{"content":"waits\n already"}`:                           problem.TextDuplicate,
		`{"content":"","scheduledAt":"2026-11-01T09:00:00Z"}`:     problem.TextEmpty, // reported before the time
		`{"content":"waits already","postId":"` + p.ID + `"}`:     "",                // not a duplicate of itself
	} {
		check := checkOf(t, w, body)
		require.Equal(t, code != "", check.Problem != nil, body)
		if code != "" {
			require.Equal(t, code, check.Problem.Code, body)
			require.NotEmpty(t, check.Problem.Message)
		}
	}
	for beside, want := range map[string]string{"": "[quiet_hours min_gap]", p.ID: "[quiet_hours]"} {
		hints := checkOf(t, w, `{"content":"ho","scheduledAt":"2026-11-20T23:00:00Z","postId":"`+beside+`"}`).Hints
		codes := httpapi.Map(hints, func(hint scheduleapi.CheckProblem) problem.Code { return hint.Code })
		require.Equal(t, want, fmt.Sprint(codes), "the gap ignores the post itself")
	}
}

// TestCheckNamesTheStateOfTheSameText checks that a repeat is explained by what happened to the text.
func TestCheckNamesTheStateOfTheSameText(t *testing.T) {
	w := newWorld(t)
	w.runs.publish = w.db
	createPost(t, w, `{"content":"published"}`)
	w.runs.refuse = true
	createPost(t, w, `{"content":"failed"}`)
	w.runs.publish = nil
	createPost(t, w, `{"content":"draft","draft":true}`)
	createPost(t, w, `{"content":"scheduled","scheduledAt":"2026-12-01T09:00:00Z"}`)
	for text, state := range map[string]string{
		"published": "was published on Nov 20, 2026 (UTC)", "failed": "is in a failed post, which can still be retried",
		"draft": "is in another draft", "scheduled": "is already scheduled for Dec 1, 2026 (UTC)",
	} {
		check := checkOf(t, w, `{"content":"`+text+`"}`)
		require.NotNil(t, check.Problem, text)
		require.Equal(t, "This text "+state+", and X rejects duplicates. Change the text and try again.", check.Problem.Message)
	}
	later := checkOf(t, w, `{"content":"published","scheduledAt":"2026-12-01T09:00:00Z"}`)
	require.Nil(t, later.Problem, "only a repeat that is sent now is refused")
	require.Equal(t, []any{post.StatusPublished, 100}, []any{later.Similar[0].Status, later.Similar[0].Similarity})
}

func TestCheckMeasuresAndCompares(t *testing.T) {
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

func TestRestoreUndoesACancellation(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi","scheduledAt":"2026-12-01T09:00:00Z"}`)
	must(w.db.Posts.BeginPost(t.Context(), p.ID, "run-1"))(t)
	must(w.db.Posts.CancelPost(t.Context(), p.ID, now))(t)
	w.runs.commands = nil
	back := read[posts.PostReply](t, w.send(t, "POST", "/api/posts/"+p.ID+"/restore", ""), 200).Post
	require.Equal(t, post.StatusScheduled, back.Status)
	require.NotNil(t, back.Slot)
	require.Equal(t, []string{"start " + p.ID}, w.runs.commands)
	rec := w.send(t, "POST", "/api/posts/"+p.ID+"/restore", "")
	refused(t, rec, problem.PostClosed)
}

// Proves: V8.2.2
func TestPostMadeOfAGeneratedText(t *testing.T) {
	w := newWorld(t)
	ada, eve := w.newMember(t, "ada"), w.newMember(t, "eve")
	made := read[generationapi.GenerateReply](t, ada.post(t, "/api/ai/generate", `{"content_type":"tweet","prompt":"mugs"}`), 200)
	of := func(text string) string {
		return asJSON(t, map[string]string{"content": text, "candidateId": made.CandidateID})
	}
	refused(t, eve.post(t, "/api/posts", of(made.Content)), problem.NotFound, "the text belongs to another member")

	p := ada.write(t, of(made.Content))
	require.Equal(t, []any{true, made.Model, false}, []any{p.MadeWithAI, p.Provenance.Model, p.Provenance.Edited})
	p = ada.write(t, of(made.Content+" Really."))
	require.True(t, p.Provenance.Edited)

	made = read[generationapi.GenerateReply](t, ada.post(t, "/api/ai/generate", `{"content_type":"tweet","prompt":"mugs","model":"template-1"}`), 200)
	require.True(t, made.Template)
	p = ada.write(t, of(made.Content+" By no model."))
	require.Equal(t, []any{false, "template-1", true}, []any{p.MadeWithAI, p.Provenance.Model, p.Provenance.Template})
}

func (w *world) postingTimes(t *testing.T) scheduleapi.PostingTimes {
	return read[scheduleapi.PostingTimes](t, w.send(t, http.MethodGet, "/api/posting-times", ""), ok)
}

const sundays = `{"times":[{"weekday":7,"time":"10:00"}],"timezone":"Europe/Berlin","quietFrom":"22:00","quietTo":"07:00","minGapMinutes":30,"version":0}`

func TestPostingTimesHaveDefaults(t *testing.T) {
	w := newWorld(t)
	usual := w.postingTimes(t)
	require.Equal(t, []any{15, "22:00", 0}, []any{len(usual.Times), usual.QuietFrom, usual.Version})
	createPost(t, w, `{"content":"hi","scheduledAt":"2026-11-20T13:29:00Z"}`)
	require.Equal(t, []time.Time{
		time.Date(2026, time.November, 20, 17, 0, 0, 0, time.UTC), time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC),
	}, read[scheduleapi.FreeTimes](t, w.send(t, http.MethodGet, "/api/posting-times/next?count=2", ""), ok).Times, "with a gap to scheduled posts")

	w.refusesAll(t, w.send, map[string]bad{
		"a time in the quiet hours": {"PUT", "/api/posting-times", strings.Replace(sundays, "10:00", "23:00", 1), problem.Invalid},
		"an unknown zone":           {"PUT", "/api/posting-times", strings.Replace(sundays, "Europe/Berlin", "Mars/Olympus", 1), problem.TimezoneUnknown},
	})
	saved := read[scheduleapi.PostingTimes](t, w.send(t, http.MethodPut, "/api/posting-times", sundays), ok)
	require.Equal(t, []any{[]scheduleapi.LocalTime{{Weekday: 7, Time: "10:00"}}, 1}, []any{saved.Times, saved.Version})
	require.Equal(t, saved, w.postingTimes(t))
	refused(t, w.send(t, http.MethodPut, "/api/posting-times", sundays), problem.Conflict, "the version is stale")
	require.Equal(t, usual, read[scheduleapi.PostingTimes](t, w.newMember(t, "ada").get(t, "/api/posting-times"), ok), "members have their own")
}

// recurring creates a recurring post for Mondays at 9:00. now is a Friday.
func (w *world) recurring(t *testing.T, memberID *string) schedule.RecurringPost {
	r, _, err := w.db.RecurringPosts.CreateRecurringPost(t.Context(), schedule.RecurringPost{
		ID: "recurring-post-of-a-test", MemberID: memberID, Texts: []string{"Week {number}"},
		Weekly: []schedule.LocalTime{{Weekday: 1, Minute: 540}}, Timezone: "Europe/Berlin",
	}, now)
	require.NoError(t, err)
	return r
}

const mondays = `"times":[{"weekday":1,"time":"09:00"}],"timezone":"Europe/Berlin"`

var nextMonday = time.Date(2026, time.November, 23, 8, 0, 0, 0, time.UTC)

func TestRecurringPostIsCreatedWithItsNextPost(t *testing.T) {
	w := newWorld(t)
	rec := w.send(t, http.MethodPost, "/api/recurring-posts", `{"texts":["Week {number}"],"endsOn":"2026-12-07",`+mondays+`}`)
	made := read[scheduleapi.RecurringPostReply](t, rec, http.StatusCreated).RecurringPost
	require.Equal(t, []any{"active", "2026-12-07", []scheduleapi.LocalTime{{Weekday: 1, Time: "09:00"}}}, []any{made.State, made.EndsOn, made.Times})
	require.Equal(t, []any{[]time.Time{nextMonday, nextMonday.AddDate(0, 0, 7), nextMonday.AddDate(0, 0, 14)}, "Week 1"}, []any{made.Upcoming, made.Next.Content})
	require.Equal(t, made.ID, made.Next.RecurringPostID)
	require.NotNil(t, made.Next.Slot)
	require.Equal(t, "http://console/namespaces/default/schedules/recurring-post:"+made.ID, made.RunURL)
	require.Equal(t, []string{"start " + made.Next.ID, "schedule " + made.ID + " active"}, w.runs.commands)

	list := read[scheduleapi.RecurringPostList](t, w.send(t, http.MethodGet, "/api/recurring-posts", ""), ok)
	require.Len(t, list.RecurringPosts, 1)
	details := read[scheduleapi.RecurringPostDetails](t, w.send(t, http.MethodGet, "/api/recurring-posts/"+made.ID, ""), ok)
	require.Len(t, details.ScheduledTimes, 1)
	require.Equal(t, []any{"created", post.StatusScheduled}, []any{details.ScheduledTimes[0].State, details.ScheduledTimes[0].Post.Status})
}

func TestRecurringPostIsPausedResumedAndEnded(t *testing.T) {
	w := newWorld(t)
	rec := w.send(t, http.MethodPost, "/api/recurring-posts", `{"texts":["Week {number}"],"endsOn":"2026-12-07",`+mondays+`}`)
	id := read[scheduleapi.RecurringPostReply](t, rec, http.StatusCreated).RecurringPost.ID
	w.runs.commands = nil
	change := func(method, body string) scheduleapi.RecurringPost {
		return read[scheduleapi.RecurringPostReply](t, w.send(t, method, "/api/recurring-posts/"+id, body), ok).RecurringPost
	}
	paused := change(http.MethodPatch, `{"state":"paused"}`)
	require.Equal(t, []any{"by_hand", (*posts.Post)(nil), 0}, []any{paused.Code, paused.Next, len(paused.Upcoming)})
	resumed := change(http.MethodPatch, `{"state":"active","texts":["New {number}"],"timezone":"Pacific/Auckland"}`)
	require.Equal(t, []any{"New 1", nextMonday.Add(-12 * time.Hour)}, []any{resumed.Next.Content, resumed.Next.ScheduledAt.UTC()})
	require.Equal(t, "2026-12-07", resumed.EndsOn, "the last day stays the same in another zone")
	open := change(http.MethodPatch, `{"endsOn":""}`)
	require.Empty(t, open.EndsOn)
	ended := change(http.MethodDelete, "")
	require.Equal(t, []any{"ended", (*posts.Post)(nil)}, []any{ended.State, ended.Next})
	commands := slices.DeleteFunc(w.runs.commands, func(order string) bool { return strings.HasPrefix(order, "wake") })
	require.Equal(t, []string{
		"schedule " + id + " paused", "start " + resumed.Next.ID, "schedule " + id + " active", "start " + open.Next.ID, "schedule " + id + " active", "schedule " + id + " ended",
	}, commands, "the schedule follows the row")
}

func TestInvalidRecurringPostsAreRefused(t *testing.T) {
	w := newWorld(t)
	r := w.recurring(t, nil)
	calls := map[string]bad{}
	for body, code := range map[string]problem.Code{
		`{"texts":["hello"],` + mondays + `}`:                          problem.TextDuplicate,
		`{"texts":["{number}"],"endsOn":"2026-11-19",` + mondays + `}`: problem.DatePast,
		`{"texts":["{number}"],"endsOn":"2026-02-31",` + mondays + `}`: problem.DateInvalid,
		`{"texts":["{number}"],"member":"nobody",` + mondays + `}`:     problem.MemberUnknown,
	} {
		calls[body] = bad{"POST", "/api/recurring-posts", body, code}
		calls[body+" in a preview"] = bad{"POST", "/api/recurring-posts/preview", body, code}
	}
	for body, code := range map[string]problem.Code{`{"state":"paused","version":0}`: problem.Conflict, `{"endsOn":"2026-11-19"}`: problem.DatePast} {
		calls["changed to "+body] = bad{"PATCH", "/api/recurring-posts/" + r.ID, body, code}
	}
	w.refusesAll(t, w.send, calls)
	preview := read[scheduleapi.RecurringPostPreview](t, w.send(t, http.MethodPost, "/api/recurring-posts/preview", `{"texts":["Week {number}"],`+mondays+`}`), ok)
	require.Equal(t, []int{5, 4}, []int{len(preview.Upcoming), preview.PerMonth})
}

func TestMembersCreateNoRecurringPostsDuringApproval(t *testing.T) {
	w := newWorld(t)
	account, memberID := w.join(t, "ada")
	ada, mine := w.browserWith(w.login(t, account, "")), w.recurring(t, &memberID)
	w.controls(t, `{"approval":true}`)
	body := `{"texts":["Ada {number}"],` + mondays + `}`
	refused(t, ada.post(t, "/api/recurring-posts", body), problem.Forbidden)
	read[scheduleapi.RecurringPostReply](t, w.send(t, http.MethodPost, "/api/recurring-posts", body), http.StatusCreated)
	paused, _, err := w.db.RecurringPosts.PlanRecurringPost(t.Context(), mine.ID, now.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, schedule.CodeApproval, paused.Code)
	refused(t, ada.send(t, http.MethodPatch, "/api/recurring-posts/"+mine.ID, `{"state":"active"}`), problem.Forbidden)
}
