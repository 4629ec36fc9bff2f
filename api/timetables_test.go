package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/problem"
)

func (w *world) timetable(t *testing.T) api.Timetable {
	t.Helper()
	return read[api.Timetable](t, w.do(t, call{method: http.MethodGet, path: "/api/timetable"}), http.StatusOK)
}

const sundays = `{"times":[{"weekday":7,"time":"10:00"}],"timezone":"Europe/Berlin","quietFrom":"22:00","quietTo":"07:00","minGapMinutes":30,"version":0}`

func TestTimetableIsTheUsualOneUntilItIsChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	usual := w.timetable(t)
	require.Len(t, usual.Times, 15)
	require.Equal(t, "22:00", usual.QuietFrom)
	require.Zero(t, usual.Version)

	put := call{method: http.MethodPut, path: "/api/timetable", body: sundays}
	saved := read[api.Timetable](t, w.do(t, put), http.StatusOK)
	require.Equal(t, []api.WallTime{{Weekday: 7, Time: "10:00"}}, saved.Times)
	require.Equal(t, 1, saved.Version)
	require.Equal(t, saved, w.timetable(t))
	require.Equal(t, problem.Conflict, problemOf(t, w.do(t, put)).Code, "the version is stale")

	ada, _ := w.join(t, "ada")
	hers := w.do(t, call{method: http.MethodGet, path: "/api/timetable", key: "none", header: map[string]string{"Cookie": "session=" + w.login(t, ada, "")}})
	require.Equal(t, usual, read[api.Timetable](t, hers, http.StatusOK), "a member's own")
}

func TestFreeTimesKeepTheGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(t, call{method: http.MethodPost, path: "/api/posts", body: `{"content":"hi","scheduledAt":"2026-11-20T13:29:00Z"}`})
	rec := w.do(t, call{method: http.MethodGet, path: "/api/timetable/next?count=2"})
	require.Equal(t, []time.Time{
		time.Date(2026, time.November, 20, 17, 0, 0, 0, time.UTC), time.Date(2026, time.November, 23, 9, 0, 0, 0, time.UTC),
	}, read[api.FreeTimes](t, rec, http.StatusOK).Times)
}

func TestBadTimetablesAreRefused(t *testing.T) {
	t.Parallel()
	const rest = `,"quietFrom":"22:00","quietTo":"07:00","minGapMinutes":30,"version":0}`
	for name, tt := range map[string]struct {
		body    string
		code    problem.Code
		details int
	}{
		"a time in the quiet hours": {`{"times":[{"weekday":1,"time":"09:00"},{"weekday":1,"time":"23:00"}],"timezone":"UTC"` + rest, problem.Invalid, 1},
		"an unknown zone":           {`{"times":[],"timezone":"Mars/Olympus"` + rest, problem.TimezoneUnknown, 0},
		"a time twice":              {`{"times":[{"weekday":1,"time":"09:00"},{"weekday":1,"time":"09:00"}],"timezone":"UTC"` + rest, problem.Invalid, 0},
		"a time that is none":       {`{"times":[{"weekday":1,"time":"9"}],"timezone":"UTC"` + rest, problem.Invalid, 1},
		"a gap longer than a day":   {`{"times":[],"timezone":"UTC","quietFrom":"22:00","quietTo":"07:00","minGapMinutes":1441,"version":0}`, problem.Invalid, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := problemOf(t, w.do(t, call{method: http.MethodPut, path: "/api/timetable", body: tt.body}))
			require.Equal(t, tt.code, p.Code)
			require.Len(t, p.Details, tt.details)
			require.Zero(t, w.timetable(t).Version)
		})
	}
}

func TestCheckHintsAtTheTimetable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(t, call{method: http.MethodPost, path: "/api/posts", body: `{"content":"hi","scheduledAt":"2026-11-20T22:30:00Z"}`})
	rec := w.do(t, call{method: http.MethodPost, path: "/api/posts/check", body: `{"content":"ho","scheduledAt":"2026-11-20T23:00:00Z"}`})
	var codes []problem.Code
	for _, hint := range read[api.PostCheck](t, rec, http.StatusOK).Hints {
		codes = append(codes, hint.Code)
	}
	require.Equal(t, []problem.Code{"quiet_hours", "min_gap"}, codes)
}

func TestAPostIsNotTooNearToItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi","scheduledAt":"2026-11-20T14:30:00Z"}`)
	rec := w.do(t, call{
		method: http.MethodPost, path: "/api/posts/check", body: `{"content":"hi","scheduledAt":"2026-11-20T15:00:00Z","postId":"` + p.ID + `"}`,
	})
	require.Empty(t, read[api.PostCheck](t, rec, http.StatusOK).Hints)
}
