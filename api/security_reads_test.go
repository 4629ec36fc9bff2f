package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

// counts are the reads that write, and what: a limit that was used, who looked at the list of
// secrets, the places where somebody leaves for X and comes back, and the diagnostic, which the
// contract has as a read.
var counts = map[string]string{
	"GET /api/admin/secrets":   "audit_entries",
	"GET /api/account/export":  "rate_windows",
	"GET /api/runs":            "rate_windows",
	"GET /api/runs/{id}":       "rate_windows",
	"GET /auth/x/login":        "rate_windows x_logins secrets",
	"GET /auth/x/callback":     "",
	"GET /api/auth/test-oauth": "rate_windows diagnoses findings",
}

// Proves: V3.5.3
func TestV3_5_3_ReadingChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.standIns(t)
	p, ids := w.everybody(t)
	walked, before := 0, w.rows(t)
	for _, route := range w.server.Routes() {
		if !strings.HasPrefix(route, http.MethodGet+" ") || strings.HasSuffix(route, "/events") {
			continue
		}
		walked++
		orders := w.runs.told()
		for _, token := range []string{p.founder, p.member, ""} {
			rec := w.do(t, w.callTo(route, "", ids, token, "", "none"))
			require.NotEqual(t, http.StatusInternalServerError, rec.Code, "%s: %s", route, rec.Body)
		}
		after := w.rows(t)
		for _, line := range changed(before, after) {
			table, _, _ := strings.Cut(line, " ")
			require.Contains(t, strings.Fields(counts[route]), table, "%s has written %s", route, line)
		}
		if counts[route] == "" {
			require.Equal(t, orders, w.runs.told(), route)
		}
		before = after
	}
	require.Greater(t, walked, 60)
}

// changed are the lines that only one of the two has.
func changed(before, after string) (lines []string) {
	known := map[string]int{}
	for _, line := range strings.Split(before, "\n") {
		known[line]++
	}
	for _, line := range strings.Split(after, "\n") {
		if known[line]--; known[line] < 0 {
			lines = append(lines, line)
		}
	}
	for line, n := range known {
		if n > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// What begins something when it is read is begun by our own pages alone, or by hand: a picture
// on another site's page would do it in its visitors' names.
// Proves: V3.5.3
func TestV3_5_3_OtherSitesBeginNothingByReading(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	session := w.login(t, ada, "")
	for path, good := range map[string]int{
		"/api/auth/test-oauth?step=env": http.StatusOK, "/api/account/export": http.StatusOK, "/auth/x/login": http.StatusSeeOther,
	} {
		for name, tt := range map[string]struct {
			header map[string]string
			status int
		}{
			"a picture of another site":        {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"}, http.StatusForbidden},
			"a frame of another site":          {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}, http.StatusForbidden},
			"a script of another site":         {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "empty"}, http.StatusForbidden},
			"a neighbour under the domain":     {map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "image"}, http.StatusForbidden},
			"another site, and nothing more":   {map[string]string{"Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
			"our own page":                     {map[string]string{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Dest": "empty"}, good},
			"somebody who types it":            {map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Dest": "document"}, good},
			"a program, or a browser of old":   {map[string]string{}, good},
			"a link that somebody has pressed": {map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}, linked(path)},
		} {
			before, orders := w.rows(t), w.runs.told()
			tt.header["Cookie"] = "session=" + session
			rec := w.do(t, call{method: http.MethodGet, path: path, key: "none", header: tt.header})
			require.Equal(t, tt.status, rec.Code, "%s asks for %s: %s", name, path, rec.Body)
			if tt.status == http.StatusForbidden {
				require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
				require.Empty(t, rec.Header()["Set-Cookie"])
				require.Equal(t, before, w.rows(t), "%s asks for %s", name, path)
				require.Equal(t, orders, w.runs.told())
			}
		}
	}
}

// linked is what somebody meets who comes by a link: the way to X, which other names of ours
// lead to as well, and nothing else.
func linked(path string) int {
	if path == "/auth/x/login" {
		return http.StatusSeeOther
	}
	return http.StatusForbidden
}
