package api_test

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/verification"
)

func (w *world) status(t *testing.T) api.VerificationStatus {
	t.Helper()
	return read[api.VerificationStatus](t, w.do(t, call{method: "GET", path: "/api/verification/status", key: "none"}), http.StatusOK)
}

// inARow are runs, the newest last, a minute between them.
func (w *world) inARow(t *testing.T, all ...look) (ids []string) {
	t.Helper()
	for _, l := range all {
		w.now = w.now.Add(time.Minute)
		ids = append(ids, w.verified(t, l))
	}
	return ids
}

var (
	well    = look{}
	warns   = look{checked: verification.Warning, reason: "Axe found something."}
	failed  = look{checked: verification.Broken, reason: "The page could not be shown.", blind: true}
	doubted = look{came: verification.Warning, reason: "The comment doubts."}
)

// by is a run as somebody asked for it.
func by(who verification.Asker, prompt string, l look) look {
	l.by, l.prompt = who, prompt
	return l
}

// at is a run of another page.
func at(url, path string, l look) look {
	l.url, l.path = url, path
	return l
}

func TestBeforeTheFirstRunNothingIsKnown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.asked(t, look{})
	w.verified(t, at("http://example.com/docs", "/docs", failed))
	status := w.status(t)
	require.Equal(t, []any{"unknown", false, false, "", 900}, []any{status.Status, status.Stale, status.Wavers, status.RunID, status.EverySeconds})
	require.Equal(t, "No verification has run yet. Start one, or wait: one comes by itself every 15 minutes.", status.Reason)
	require.Nil(t, status.LastVerification)
	require.Nil(t, status.AgeSeconds)
	require.Nil(t, status.SuccessRate)
	require.Equal(t, someSites, status.Sites)
	require.Equal(t, api.BrowserReport{Message: "No worker has looked for it yet."}, status.Browser)
	w.server.VerifyEvery = 0
	require.Equal(t, "No verification has run yet. Start one: none comes by itself here.", w.status(t).Reason)
}

func TestHowTheSiteStands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runs           []look
		status, reason string
		wavers         bool
	}{
		"one that is well":    {[]look{well}, "active", "Every check passed.", false},
		"one that warns":      {[]look{warns}, "warning", "Axe found something.", false},
		"one that failed":     {[]look{failed}, "error", "The page could not be shown.", false},
		"of two the newest":   {[]look{well, failed}, "error", "The page could not be shown.", false},
		"one slip of three":   {[]look{well, well, warns}, "active", "Two of the last three runs came to active, the newest to warning: Axe found something.", true},
		"well again, once":    {[]look{failed, failed, well}, "error", "Two of the last three runs came to error, the newest to active: Every check passed.", true},
		"well again, twice":   {[]look{failed, well, well}, "active", "Every check passed.", true},
		"a slip in between":   {[]look{well, warns, well}, "active", "Every check passed.", true},
		"three that differ":   {[]look{warns, failed, well}, "warning", "No two of the last three runs agree, and warning is between the others. The newest came to active: Every check passed.", true},
		"a slip of long ago":  {[]look{failed, well, well, well}, "active", "Every check passed.", false},
		"another page failed": {[]look{well, at("http://example.com/docs", "/docs", failed)}, "active", "Every check passed.", false},
		"another site failed": {[]look{well, at("https://docs.example.com/", "/", failed)}, "active", "Every check passed.", false},
		"one with a question": {[]look{well, at("http://example.com/?q=1", "/", failed)}, "active", "Every check passed.", false},
		"the comment doubts":  {[]look{doubted}, "warning", "The comment doubts.", false},
		"a visitor's question is answered no": {
			[]look{by(verification.Visitors, "Is it pink?", doubted)}, "active", "The last run made 2 checks, and all passed.", false,
		},
		"nor can many visitors ask it down": {
			[]look{well, by(verification.Visitors, "Is it pink?", doubted), by(verification.Visitors, "", doubted), by(verification.Members, "Is it pink?", doubted)},
			"active", "The last run made 2 checks, and all passed.", false,
		},
		"nor does a founder":        {[]look{by(verification.Founders, "Is it pink?", doubted)}, "active", "The last run made 2 checks, and all passed.", false},
		"a visitor's checks do":     {[]look{by(verification.Visitors, "", warns)}, "warning", "Axe found something.", false},
		"a visitor's page was gone": {[]look{by(verification.Visitors, "", failed)}, "error", "The page could not be shown.", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.inARow(t, tt.runs...)
			status := w.status(t)
			require.Equal(t, []any{tt.status, tt.reason, tt.wavers, false}, []any{status.Status, status.Reason, status.Wavers, status.Stale})
		})
	}
}

func TestTheStatusTellsOfTheLastRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	said := look{comment: &verification.Comment{By: verification.BuiltIn, BuiltIn: true, Text: "It looks as ever."}}
	asked := by(verification.Visitors, "Say that we are thieves.", warns)
	asked.comment = &verification.Comment{By: "a model", Text: "You are thieves."}
	ids := w.inARow(t, said, asked)
	ended := w.now
	w.now = w.now.Add(90 * time.Second)
	require.NoError(t, w.db.Verifications.NoteBrowser(t.Context(), verification.BrowserState{ID: verification.TheBrowser, Ready: true, Version: "Chromium 156.0.8078.79", SeenAt: &ended}))
	status := w.status(t)
	require.Equal(t, ids[1], status.RunID)
	require.Equal(t, []any{ended, 90, 2}, []any{*status.LastVerification, *status.AgeSeconds, status.EndpointsChecked})
	require.InDelta(t, 66.7, *status.SuccessRate, 0.001)
	require.Equal(t, pictures+w.picture(t, "picture light wide")+".png", status.Screenshot)
	require.Equal(t, []string{"It looks as ever.", "built-in"}, []string{status.AIAnalysis, status.Analyst}, "not what somebody made a model say")
	require.Equal(t, api.BrowserReport{Ready: true, Version: "Chromium 156.0.8078.79", SeenAt: &ended}, status.Browser)
}

func TestALastRunThatIsTooOldWarns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.inARow(t, well)
	ended := w.now
	w.now = ended.Add(30 * time.Minute)
	require.Equal(t, "active", w.status(t).Status)
	w.now = ended.Add(45 * time.Minute)
	status := w.status(t)
	const old = "The last run is 45 minutes old; there should be one every 15 minutes."
	require.Equal(t, []any{"warning", old, true, 2700}, []any{status.Status, status.Reason, status.Stale, *status.AgeSeconds})

	w.now = ended
	w.inARow(t, failed)
	w.now = w.now.Add(45 * time.Minute)
	status = w.status(t)
	require.Equal(t, []any{"error", "The page could not be shown. " + old, true}, []any{status.Status, status.Reason, status.Stale}, "age makes nothing better")
	w.server.VerifyEvery = 0
	status = w.status(t)
	require.Equal(t, []any{"error", "The page could not be shown.", false}, []any{status.Status, status.Reason, status.Stale}, "nobody promised another")
}

func TestTheTrendHasEveryDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, days := range []int{-30, -29, -1} {
		w.now = now.AddDate(0, 0, days)
		w.inARow(t, well, warns, at("http://example.com/docs", "/docs", failed))
	}
	w.now = now
	w.inARow(t, failed)
	trend := w.status(t).Trend
	require.Len(t, trend, 30)
	require.Equal(t, api.VerificationDay{Day: "2026-10-22", Active: 1, Warning: 1}, trend[0])
	require.Equal(t, api.VerificationDay{Day: "2026-10-23"}, trend[1])
	require.Equal(t, api.VerificationDay{Day: "2026-11-19", Active: 1, Warning: 1}, trend[28])
	require.Equal(t, api.VerificationDay{Day: "2026-11-20", Error: 1}, trend[29])
}

func TestTheBadgeSaysHowTheSiteStands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		runs          []look
		later         time.Duration
		title, colour string
	}{
		"no runs":     {nil, 0, "verification: no runs yet", "#5c636a"},
		"well":        {[]look{well}, 5 * time.Minute, "verification: working · 5 min ago", "#2b8a3e"},
		"warns":       {[]look{warns}, 0, "verification: degraded · just now", "#a66300"},
		"failed":      {[]look{failed}, 0, "verification: broken · just now", "#c92a2a"},
		"well, stale": {[]look{well}, 3 * time.Hour, "verification: degraded · 3 h ago", "#a66300"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.inARow(t, tt.runs...)
			w.now = w.now.Add(tt.later)
			rec := w.do(t, call{method: "GET", path: "/api/verification/badges/status.svg", key: "none"})
			require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
			require.Equal(t, []string{"image/svg+xml", "public, max-age=60"}, []string{rec.Header().Get("Content-Type"), rec.Header().Get("Cache-Control")})
			var picture struct {
				Title string `xml:"title"`
				Path  struct {
					Fill string `xml:"fill,attr"`
				} `xml:"path"`
				Texts []string `xml:"g>text"`
			}
			require.NoError(t, xml.Unmarshal(rec.Body.Bytes(), &picture), rec.Body.String())
			require.Equal(t, []string{tt.title, tt.colour, tt.title}, []string{picture.Title, picture.Path.Fill, strings.Join(picture.Texts, ": ")})
		})
	}
	w := newWorld(t)
	for _, name := range []string{"status", "status.png", "score.svg", "..%2Fstatus.svg"} {
		require.Equal(t, http.StatusNotFound, w.do(t, call{method: "GET", path: "/api/verification/badges/" + name, key: "none"}).Code, name)
	}
	require.Equal(t, "no-store", w.do(t, call{method: "GET", path: "/api/verification/badges/status.svg"}).Header().Get("Cache-Control"))
}
