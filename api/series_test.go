package api_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/localtime"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/recurring"
)

// recurring writes a series for Mondays at nine. Now is a Friday.
func (w *world) recurring(t *testing.T, memberID *string) recurring.Series {
	t.Helper()
	r, _, err := w.db.RecurringPosts.CreateSeries(t.Context(), recurring.Series{
		ID: "series-of-a-test", MemberID: memberID, Texts: []string{"Week {number}"},
		Weekly: []localtime.Time{{Weekday: 1, Minute: 540}}, Timezone: "Europe/Berlin",
	}, now)
	require.NoError(t, err)
	return r
}

const mondays = `"times":[{"weekday":1,"time":"09:00"}],"timezone":"Europe/Berlin"`

var nextMonday = time.Date(2026, time.November, 23, 8, 0, 0, 0, time.UTC)

func TestSeriesIsMadeWithItsNextPost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.do(t, call{method: http.MethodPost, path: "/api/series", body: `{"texts":["Week {number}"],"endsOn":"2026-12-07",` + mondays + `}`})
	made := read[api.SeriesReply](t, rec, http.StatusCreated).Series
	require.Equal(t, "active", made.State)
	require.Equal(t, "2026-12-07", made.EndsOn)
	require.Equal(t, []api.WallTime{{Weekday: 1, Time: "09:00"}}, made.Times)
	require.Equal(t, []time.Time{nextMonday, nextMonday.AddDate(0, 0, 7), nextMonday.AddDate(0, 0, 14)}, made.Upcoming)
	require.Equal(t, "Week 1", made.Next.Content)
	require.Equal(t, made.ID, made.Next.SeriesID)
	require.NotNil(t, made.Next.Slot)
	require.Equal(t, "http://console/namespaces/default/schedules/series:"+made.ID, made.RunURL)
	require.Equal(t, []string{"start " + made.Next.ID, "keep " + made.ID + " active"}, w.runs.orders)

	list := read[api.SeriesList](t, w.do(t, call{method: http.MethodGet, path: "/api/series"}), http.StatusOK)
	require.Len(t, list.Series, 1)
	details := read[api.SeriesDetails](t, w.do(t, call{method: http.MethodGet, path: "/api/series/" + made.ID}), http.StatusOK)
	require.Len(t, details.Occurrences, 1)
	require.Equal(t, "written", details.Occurrences[0].State)
	require.Equal(t, post.StatusScheduled, details.Occurrences[0].Post.Status)
}

func TestSeriesIsPausedResumedAndEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.recurring(t, nil)
	change := func(method, body string) api.Series {
		return read[api.SeriesReply](t, w.do(t, call{method: method, path: "/api/series/" + r.ID, body: body}), http.StatusOK).Series
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
	t.Parallel()
	w := newWorld(t)
	rec := w.do(t, call{method: http.MethodPost, path: "/api/series", body: `{"texts":["Week {number}"],"endsOn":"2026-12-07",` + mondays + `}`})
	made := read[api.SeriesReply](t, rec, http.StatusCreated).Series
	moved := w.do(t, call{method: http.MethodPatch, path: "/api/series/" + made.ID, body: `{"timezone":"Pacific/Honolulu"}`})
	require.Equal(t, "2026-12-07", read[api.SeriesReply](t, moved, http.StatusOK).Series.EndsOn)
	moved = w.do(t, call{method: http.MethodPatch, path: "/api/series/" + made.ID, body: `{"endsOn":""}`})
	require.Empty(t, read[api.SeriesReply](t, moved, http.StatusOK).Series.EndsOn)
}

func TestPreviewCountsTheSlotsOfAMonth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.do(t, call{method: http.MethodPost, path: "/api/series/preview", body: `{"texts":["Week {number}"],` + mondays + `}`})
	preview := read[api.SeriesPreview](t, rec, http.StatusOK)
	require.Len(t, preview.Upcoming, 5)
	require.Equal(t, 4, preview.PerMonth)
	w.untouched(t)
}

func TestBadSeriesAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		code problem.Code
	}{
		"too often":            {`{"texts":["{number}"],"times":[{"weekday":1,"time":"09:00"},{"weekday":1,"time":"09:30"}],"timezone":"UTC"}`, problem.SeriesTooOften},
		"an unknown zone":      {`{"texts":["{number}"],"times":[{"weekday":1,"time":"09:00"}],"timezone":"Mars/Olympus"}`, problem.TimezoneUnknown},
		"the server's zone":    {`{"texts":["{number}"],"times":[{"weekday":1,"time":"09:00"}],"timezone":"Local"}`, problem.TimezoneUnknown},
		"a single text":        {`{"texts":["hello"],` + mondays + `}`, problem.TextDuplicate},
		"no texts":             {`{"texts":[],` + mondays + `}`, problem.Invalid},
		"an empty text":        {`{"texts":["a",""],` + mondays + `}`, problem.TextEmpty},
		"an end in the past":   {`{"texts":["{number}"],"endsOn":"2026-11-19",` + mondays + `}`, problem.DatePast},
		"an end that is none":  {`{"texts":["{number}"],"endsOn":"2026-02-31",` + mondays + `}`, problem.DateInvalid},
		"an eighth day":        {`{"texts":["{number}"],"times":[{"weekday":8,"time":"09:00"}],"timezone":"UTC"}`, problem.Invalid},
		"a 25th hour":          {`{"texts":["{number}"],"times":[{"weekday":1,"time":"25:00"}],"timezone":"UTC"}`, problem.Invalid},
		"the same time twice":  {`{"texts":["{number}"],"times":[{"weekday":1,"time":"09:00"},{"weekday":1,"time":"09:00"}],"timezone":"UTC"}`, problem.Invalid},
		"no times":             {`{"texts":["{number}"],"times":[],"timezone":"UTC"}`, problem.Invalid},
		"an unknown member":    {`{"texts":["{number}"],"member":"nobody",` + mondays + `}`, problem.MemberUnknown},
		"a field nobody knows": {`{"texts":["{number}"],"cron":"* * * * *",` + mondays + `}`, problem.Invalid},
	} {
		for _, path := range []string{"/api/series", "/api/series/preview"} {
			t.Run(name+" at "+path, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				require.Equal(t, tt.code, problemOf(t, w.do(t, call{method: http.MethodPost, path: path, body: tt.body})).Code)
				w.untouched(t)
			})
		}
	}
}

func TestBadChangesOfSeriesAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body string
		code problem.Code
	}{
		"a stale version": {`{"state":"paused","version":0}`, problem.Conflict},
		"a single text":   {`{"texts":["hello"]}`, problem.TextDuplicate},
		"too often":       {`{"times":[{"weekday":1,"time":"09:00"},{"weekday":1,"time":"09:59"}]}`, problem.SeriesTooOften},
		"a past end":      {`{"endsOn":"2026-11-19"}`, problem.DatePast},
		"an ended state":  {`{"state":"ended"}`, problem.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := w.recurring(t, nil)
			require.Equal(t, tt.code, problemOf(t, w.do(t, call{method: http.MethodPatch, path: "/api/series/" + r.ID, body: tt.body})).Code)
			kept, err := w.db.RecurringPosts.ListedSeries(t.Context(), r.ID)
			require.NoError(t, err)
			require.Equal(t, recurring.Active, kept.State)
			require.Equal(t, 1, kept.Version)
			require.NotNil(t, kept.Next)
		})
	}
}

func TestMembersMakeNoSeriesWhilePostsNeedApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, adaID := w.join(t, "ada")
	mine := w.recurring(t, &adaID)
	body := `{"texts":["Ada {number}"],` + mondays + `}`
	cookie := map[string]string{"Cookie": "session=" + w.login(t, ada, "")}
	w.do(t, call{method: http.MethodPut, path: "/api/brakes", body: `{"approval":true}`})
	rec := w.do(t, call{method: http.MethodPost, path: "/api/series", body: body, key: "none", header: cookie})
	require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
	read[api.SeriesReply](t, w.do(t, call{method: http.MethodPost, path: "/api/series", body: body}), http.StatusCreated)

	paused, _, err := w.db.RecurringPosts.PlanSeries(t.Context(), mine.ID, now.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, recurring.CodeApproval, paused.Code)
	rec = w.do(t, call{method: http.MethodPatch, path: "/api/series/" + mine.ID, body: `{"state":"active"}`, key: "none", header: cookie})
	require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
}

func TestCalendarShowsPlannedTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.recurring(t, nil)
	shown := read[api.Schedule](t, w.do(t, call{method: http.MethodGet, path: "/api/schedule?from=2026-11-20T00:00:00Z&to=2026-12-08T00:00:00Z"}), http.StatusOK)
	require.Len(t, shown.Posts, 1)
	require.Len(t, shown.Planned, 2)
	for i, p := range shown.Planned {
		require.Equal(t, r.ID, p.SeriesID)
		require.Equal(t, "Week "+strconv.Itoa(i+2), p.Content)
		require.Equal(t, nextMonday.AddDate(0, 0, 7*(i+1)), p.At)
	}
}
