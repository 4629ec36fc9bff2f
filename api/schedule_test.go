package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	generationapi "customerzero/api/generation"
	"customerzero/api/posts"
	scheduleapi "customerzero/api/schedule"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/treasury"
)

func TestCalendarShowsAFullMonth(t *testing.T) {
	w := newWorld(t)
	for i := range post.MonthlyPosts {
		_, err := w.db.Posts.CreatePost(t.Context(), post.Post{
			ID: fmt.Sprintf("p%03d", i), Text: fmt.Sprintf("post number %d", i), Status: post.StatusScheduled,
			ScheduledAt: now.Add(time.Duration(i) * time.Minute),
		}, now)
		require.NoError(t, err)
	}
	page := read[scheduleapi.Schedule](t, w.send(t, "GET", "/api/schedule?from=2026-11-20T00:00:00Z&to=2026-12-31T00:00:00Z", ""), 200)
	require.Len(t, page.Posts, post.MonthlyPosts)
	require.Equal(t, []any{"p000", false}, []any{page.Posts[0].ID, page.Cut})
	require.NotNil(t, page.Planned)
}

func TestBudgetIsSeenFromWhereOneStands(t *testing.T) {
	w := newWorld(t)
	account, _ := w.join(t, "ada")
	ada := w.login(t, account, "")
	createPost(t, w, `{"content":"ours"}`)
	createPost(t, w, `{"content":"hers","member":"ada"}`)
	ask := func(c call) scheduleapi.Budget {
		c.method, c.path = "GET", "/api/schedule/budget"
		return read[scheduleapi.Budget](t, w.do(t, c), 200)
	}
	founders, visitor := ask(call{}), ask(call{key: "none"})
	hers := ask(w.as(ada, "", "", ""))
	require.Equal(t, "Rr", founders.Cells[:2])
	require.Equal(t, "rr", visitor.Cells[:2])
	require.Equal(t, "rR", hers.Cells[:2])
	require.Nil(t, founders.Mine)
	require.Nil(t, visitor.Mine)
	require.Equal(t, []any{&scheduleapi.Part{Held: 1, Allowed: 250}, scheduleapi.Part{Held: 1, Allowed: 250}}, []any{hers.Mine, hers.Commons})
	require.Equal(t, []int{500, 0, 2, 498}, []int{hers.Limit, hers.Spent, hers.Reserved, hers.Free})
	require.Equal(t, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), hers.ResetsAt)
	require.Nil(t, hers.EmptyOn)

	next := read[scheduleapi.Budget](t, w.send(t, "GET", "/api/schedule/budget?month=2026-12", ""), 200)
	require.Equal(t, strings.Repeat(".", 500), next.Cells)
}

func checkOf(t *testing.T, w *world, body string) scheduleapi.PostCheck {
	return read[scheduleapi.PostCheck](t, w.send(t, "POST", "/api/posts/check", body), ok)
}

func TestCheckSaysWhatCreatingWouldRefuse(t *testing.T) {
	w := newWorld(t)
	must(w.db.Posts.CreatePost(t.Context(), post.Post{ID: "p1", Text: "waits already", Status: post.StatusScheduled, ScheduledAt: now}, now))(t)
	for body, code := range map[string]problem.Code{
		`{"content":"fine"}`: "",
		`{"content":""}`:     problem.TextEmpty,
		`{"content":"fine","scheduledAt":"2026-11-01T09:00:00Z"}`:                        problem.DatePast,
		`{"content":"fine","scheduledAt":"2027-10-31T02:30","timezone":"Europe/Berlin"}`: problem.DateAmbiguous,
		`{"content":"waits\n already"}`:                                                  problem.TextDuplicate,
		`{"content":"","scheduledAt":"2026-11-01T09:00:00Z"}`:                            problem.TextEmpty, // before the time
		`{"content":"waits already","postId":"p1"}`:                                      "",                // it is no double of itself
	} {
		check := checkOf(t, w, body)
		require.Equal(t, code != "", check.Problem != nil, body)
		if code != "" {
			require.Equal(t, code, check.Problem.Code, body)
			require.NotEmpty(t, check.Problem.Message)
		}
	}
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

func TestCancellationIsUndone(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi","scheduledAt":"2026-12-01T09:00:00Z"}`)
	must(w.db.Posts.BeginPost(t.Context(), p.ID, "run-1"))(t)
	must(w.db.Posts.CancelPost(t.Context(), p.ID, now))(t)
	w.runs.orders = nil
	back := read[posts.PostReply](t, w.send(t, "POST", "/api/posts/"+p.ID+"/restore", ""), 200).Post
	require.Equal(t, post.StatusScheduled, back.Status)
	require.NotNil(t, back.Slot)
	require.Equal(t, []string{"start " + p.ID}, w.runs.orders)
	rec := w.send(t, "POST", "/api/posts/"+p.ID+"/restore", "")
	refused(t, rec, problem.PostClosed)
}

// Proves: V8.2.2
func TestPostMadeOfAGeneratedText(t *testing.T) {
	w := newWorld(t)
	account, _ := w.join(t, "ada")
	eveAccount, _ := w.join(t, "eve")
	ada, eve := w.login(t, account, ""), w.login(t, eveAccount, "")
	made := read[generationapi.GenerateReply](t, w.do(t, w.as(ada, "POST", "/api/ai/generate", `{"content_type":"tweet","prompt":"mugs"}`)), 200)
	of := func(text string) string {
		return asJSON(t, map[string]string{"content": text, "candidateId": made.CandidateID})
	}
	refused(t, w.do(t, w.as(eve, "POST", "/api/posts", of(made.Content))), problem.NotFound, "it is somebody else's")

	p := w.write(t, ada, of(made.Content))
	require.Equal(t, []any{true, made.Model, false}, []any{p.MadeWithAI, p.Provenance.Model, p.Provenance.Edited})
	p = w.write(t, ada, of(made.Content+" Really."))
	require.True(t, p.Provenance.Edited)
}

func (w *world) timetable(t *testing.T) scheduleapi.Timetable {
	return read[scheduleapi.Timetable](t, w.send(t, http.MethodGet, "/api/timetable", ""), ok)
}

const sundays = `{"times":[{"weekday":7,"time":"10:00"}],"timezone":"Europe/Berlin","quietFrom":"22:00","quietTo":"07:00","minGapMinutes":30,"version":0}`

func TestTimetableIsTheUsualOneUntilItIsChanged(t *testing.T) {
	w := newWorld(t)
	usual := w.timetable(t)
	require.Len(t, usual.Times, 15)
	require.Equal(t, "22:00", usual.QuietFrom)
	require.Zero(t, usual.Version)

	put := call{method: http.MethodPut, path: "/api/timetable", body: sundays}
	saved := read[scheduleapi.Timetable](t, w.do(t, put), ok)
	require.Equal(t, []any{[]scheduleapi.WallTime{{Weekday: 7, Time: "10:00"}}, 1}, []any{saved.Times, saved.Version})
	require.Equal(t, saved, w.timetable(t))
	refused(t, w.do(t, put), problem.Conflict, "the version is stale")

	ada, _ := w.join(t, "ada")
	hers := w.do(t, call{method: http.MethodGet, path: "/api/timetable", key: "none", header: map[string]string{"Cookie": "session=" + w.login(t, ada, "")}})
	require.Equal(t, usual, read[scheduleapi.Timetable](t, hers, ok), "a member's own")
}

func TestFreeTimesKeepTheGap(t *testing.T) {
	w := newWorld(t)
	w.send(t, http.MethodPost, "/api/posts", `{"content":"hi","scheduledAt":"2026-11-20T13:29:00Z"}`)
	rec := w.send(t, http.MethodGet, "/api/timetable/next?count=2", "")
	require.Equal(t, []time.Time{
		time.Date(2026, time.November, 20, 17, 0, 0, 0, time.UTC), time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC),
	}, read[scheduleapi.FreeTimes](t, rec, ok).Times)
}

func TestBadTimetablesAreRefused(t *testing.T) {
	w := newWorld(t)
	const rest = `,"quietFrom":"22:00","quietTo":"07:00","minGapMinutes":30,"version":0}`
	const late = `{"times":[{"weekday":1,"time":"09:00"},{"weekday":1,"time":"23:00"}],"timezone":"UTC"` + rest
	w.refusesAll(t, w.send, map[string]bad{
		"a time in the quiet hours": {"PUT", "/api/timetable", late, problem.Invalid},
		"an unknown zone":           {"PUT", "/api/timetable", `{"times":[],"timezone":"Mars/Olympus"` + rest, problem.TimezoneUnknown},
	})
	require.Len(t, problemOf(t, w.send(t, http.MethodPut, "/api/timetable", late)).Details, 1)
}

func TestCheckHintsAtTheTimetable(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi","scheduledAt":"2026-11-20T22:30:00Z"}`)
	for beside, want := range map[string][]problem.Code{"": {"quiet_hours", "min_gap"}, p.ID: {"quiet_hours"}} {
		var codes []problem.Code
		for _, hint := range checkOf(t, w, `{"content":"ho","scheduledAt":"2026-11-20T23:00:00Z","postId":"`+beside+`"}`).Hints {
			codes = append(codes, hint.Code)
		}
		require.Equal(t, want, codes, "a post is not too near to itself")
	}
}

// recurring writes a series for Mondays at nine. Now is a Friday.
func (w *world) recurring(t *testing.T, memberID *string) schedule.RecurringPost {
	r, _, err := w.db.RecurringPosts.CreateRecurringPost(t.Context(), schedule.RecurringPost{
		ID: "series-of-a-test", MemberID: memberID, Texts: []string{"Week {number}"},
		Weekly: []schedule.LocalTime{{Weekday: 1, Minute: 540}}, Timezone: "Europe/Berlin",
	}, now)
	require.NoError(t, err)
	return r
}

const mondays = `"times":[{"weekday":1,"time":"09:00"}],"timezone":"Europe/Berlin"`

var nextMonday = time.Date(2026, time.November, 23, 8, 0, 0, 0, time.UTC)

func TestSeriesIsMadeWithItsNextPost(t *testing.T) {
	w := newWorld(t)
	rec := w.send(t, http.MethodPost, "/api/series", `{"texts":["Week {number}"],"endsOn":"2026-12-07",`+mondays+`}`)
	made := read[scheduleapi.SeriesReply](t, rec, http.StatusCreated).Series
	require.Equal(t, []any{"active", "2026-12-07", []scheduleapi.WallTime{{Weekday: 1, Time: "09:00"}}}, []any{made.State, made.EndsOn, made.Times})
	require.Equal(t, []any{[]time.Time{nextMonday, nextMonday.AddDate(0, 0, 7), nextMonday.AddDate(0, 0, 14)}, "Week 1"}, []any{made.Upcoming, made.Next.Content})
	require.Equal(t, made.ID, made.Next.SeriesID)
	require.NotNil(t, made.Next.Slot)
	require.Equal(t, "http://console/namespaces/default/schedules/recurring-post:"+made.ID, made.RunURL)
	require.Equal(t, []string{"start " + made.Next.ID, "keep " + made.ID + " active"}, w.runs.orders)

	list := read[scheduleapi.SeriesList](t, w.send(t, http.MethodGet, "/api/series", ""), ok)
	require.Len(t, list.Series, 1)
	details := read[scheduleapi.SeriesDetails](t, w.send(t, http.MethodGet, "/api/series/"+made.ID, ""), ok)
	require.Len(t, details.Occurrences, 1)
	require.Equal(t, []any{"written", post.StatusScheduled}, []any{details.Occurrences[0].State, details.Occurrences[0].Post.Status})
}

func TestSeriesIsPausedResumedAndEnded(t *testing.T) {
	w := newWorld(t)
	r := w.recurring(t, nil)
	change := func(method, body string) scheduleapi.Series {
		return read[scheduleapi.SeriesReply](t, w.send(t, method, "/api/series/"+r.ID, body), ok).Series
	}
	paused := change(http.MethodPatch, `{"state":"paused"}`)
	require.Equal(t, "by_hand", paused.Code)
	require.Nil(t, paused.Next)
	require.Empty(t, paused.Upcoming)
	resumed := change(http.MethodPatch, `{"state":"active","texts":["Anew {number}"],"timezone":"UTC"}`)
	require.Equal(t, "Anew 1", resumed.Next.Content)
	require.Equal(t, nextMonday.Add(time.Hour), resumed.Next.ScheduledAt.UTC())
	ended := change(http.MethodDelete, "")
	require.Equal(t, "ended", ended.State)
	require.Nil(t, ended.Next)
	require.Equal(t, []string{"keep " + r.ID + " paused", "start " + resumed.Next.ID, "keep " + r.ID + " active", "keep " + r.ID + " ended"},
		withoutWakes(w.runs.orders), "the schedule follows the row")
}

// withoutWakes leaves out who is told that a post was given up.
func withoutWakes(orders []string) []string {
	var kept []string
	for _, order := range orders {
		if order[:4] != "wake" {
			kept = append(kept, order)
		}
	}
	return kept
}

func TestLastDayStaysADayInAnotherZone(t *testing.T) {
	w := newWorld(t)
	rec := w.send(t, http.MethodPost, "/api/series", `{"texts":["Week {number}"],"endsOn":"2026-12-07",`+mondays+`}`)
	made := read[scheduleapi.SeriesReply](t, rec, http.StatusCreated).Series
	moved := w.send(t, http.MethodPatch, "/api/series/"+made.ID, `{"timezone":"Pacific/Honolulu"}`)
	require.Equal(t, "2026-12-07", read[scheduleapi.SeriesReply](t, moved, ok).Series.EndsOn)
	moved = w.send(t, http.MethodPatch, "/api/series/"+made.ID, `{"endsOn":""}`)
	require.Empty(t, read[scheduleapi.SeriesReply](t, moved, ok).Series.EndsOn)
}

func TestPreviewCountsTheSlotsOfAMonth(t *testing.T) {
	w := newWorld(t)
	rec := w.send(t, http.MethodPost, "/api/series/preview", `{"texts":["Week {number}"],`+mondays+`}`)
	preview := read[scheduleapi.SeriesPreview](t, rec, ok)
	require.Len(t, preview.Upcoming, 5)
	require.Equal(t, 4, preview.PerMonth)
	w.untouched(t)
}

func TestBadSeriesAreRefused(t *testing.T) {
	w := newWorld(t)
	r := w.recurring(t, nil)
	calls := map[string]bad{}
	for name, tt := range map[string]struct {
		body string
		code problem.Code
	}{
		"too often":           {`{"texts":["{number}"],"times":[{"weekday":1,"time":"09:00"},{"weekday":1,"time":"09:30"}],"timezone":"UTC"}`, problem.SeriesTooOften},
		"an unknown zone":     {`{"texts":["{number}"],"times":[{"weekday":1,"time":"09:00"}],"timezone":"Mars/Olympus"}`, problem.TimezoneUnknown},
		"a single text":       {`{"texts":["hello"],` + mondays + `}`, problem.TextDuplicate},
		"an end in the past":  {`{"texts":["{number}"],"endsOn":"2026-11-19",` + mondays + `}`, problem.DatePast},
		"an end that is none": {`{"texts":["{number}"],"endsOn":"2026-02-31",` + mondays + `}`, problem.DateInvalid},
		"an unknown member":   {`{"texts":["{number}"],"member":"nobody",` + mondays + `}`, problem.MemberUnknown},
	} {
		calls[name] = bad{"POST", "/api/series", tt.body, tt.code}
		calls[name+" in a preview"] = bad{"POST", "/api/series/preview", tt.body, tt.code}
	}
	for body, code := range map[string]problem.Code{
		`{"state":"paused","version":0}`: problem.Conflict, `{"texts":["hello"]}`: problem.TextDuplicate, `{"endsOn":"2026-11-19"}`: problem.DatePast,
		`{"times":[{"weekday":1,"time":"09:00"},{"weekday":1,"time":"09:59"}]}`: problem.SeriesTooOften,
	} {
		calls["changed to "+body] = bad{"PATCH", "/api/series/" + r.ID, body, code}
	}
	w.refusesAll(t, w.send, calls)
}

func TestMembersMakeNoSeriesWhilePostsNeedApproval(t *testing.T) {
	w := newWorld(t)
	ada, adaID := w.join(t, "ada")
	mine := w.recurring(t, &adaID)
	body := `{"texts":["Ada {number}"],` + mondays + `}`
	cookie := map[string]string{"Cookie": "session=" + w.login(t, ada, "")}
	w.send(t, http.MethodPut, "/api/brakes", `{"approval":true}`)
	rec := w.do(t, call{method: http.MethodPost, path: "/api/series", body: body, key: "none", header: cookie})
	refused(t, rec, problem.Forbidden)
	read[scheduleapi.SeriesReply](t, w.send(t, http.MethodPost, "/api/series", body), http.StatusCreated)

	paused, _, err := w.db.RecurringPosts.PlanRecurringPost(t.Context(), mine.ID, now.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, schedule.CodeApproval, paused.Code)
	rec = w.do(t, call{method: http.MethodPatch, path: "/api/series/" + mine.ID, body: `{"state":"active"}`, key: "none", header: cookie})
	refused(t, rec, problem.Forbidden)
}

func TestCalendarShowsPlannedTimes(t *testing.T) {
	w := newWorld(t)
	r := w.recurring(t, nil)
	shown := read[scheduleapi.Schedule](t, w.send(t, http.MethodGet, "/api/schedule?from=2026-11-20T00:00:00Z&to=2026-12-08T00:00:00Z", ""), ok)
	require.Len(t, shown.Posts, 1)
	require.Len(t, shown.Planned, 2)
	for i, p := range shown.Planned {
		require.Equal(t, []any{r.ID, "Week " + strconv.Itoa(i+2), nextMonday.AddDate(0, 0, 7*(i+1))}, []any{p.SeriesID, p.Content, p.At})
	}
}
