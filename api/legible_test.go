package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/store/testdb"
)

// PostgreSQL refuses what is no text, and who writes such an address is answered all the same.
// Proves: F29
func TestAnAddressThatIsNoTextLeadsNowhere(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorldOn(t, kind)
			for path, status := range map[string]int{
				"/api/posts/a%00b": 404, "/api/posts/%ff": 404, "/api/chaos/runs/%00": 404, "/api/receipts/%c3%28": 404, "/api/experiments/%00": 404,
				"/api/experiments?q=a%00b": 422, "/api/experiments?q=%ff": 422, "/api/posts?%00=1": 422, "/api/posts?status=%ed%a0%80": 422,
			} {
				rec := w.do(t, call{method: http.MethodGet, path: path, key: "none"})
				require.Equal(t, status, rec.Code, "%s: %s", path, rec.Body)
				require.Contains(t, []problem.Code{problem.NotFound, problem.Invalid}, problemOf(t, rec).Code)
			}
			rec := w.do(t, call{method: http.MethodGet, path: "/api/experiments?q=%C3%A9", key: "none"})
			require.Equal(t, ok, rec.Code, rec.Body)
		})
	}
}

func TestABrowserThatCallsItselfWhatIsNoTextLogsIn(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, "postgres")
	w.join(t, "ada")
	b := w.browser()
	require.Equal(t, ok, b.post(t, "/api/auth/email", `{"email":"ada@example.com"}`).Code)
	req := b.request(t, http.MethodPost, "/api/auth/email/verify", `{"email":"ada@example.com","code":"`+w.mailedCode(t, "ada@example.com")+`"}`)
	req.Header.Set("User-Agent", "\xff\xfe/1.0 (X11; Linux \xfd)")
	rec := w.answer(t, req)
	require.Equal(t, ok, rec.Code, rec.Body)
}
