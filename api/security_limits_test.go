package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// useUp leaves nothing of any limit that was used so far.
func (w *world) useUp(t *testing.T, buckets string) {
	t.Helper()
	used, err := w.open(t).ExecContext(t.Context(), "UPDATE rate_windows SET used = allowed WHERE bucket LIKE ?", buckets)
	require.NoError(t, err)
	n, err := used.RowsAffected()
	require.NoError(t, err)
	require.NotZero(t, n, "no limit was used")
}

// From however many networks they come, clicks on prices have a bound: each may cost a call of
// a model, and one at the payment service.
// Proves: V2.4.1-prices, LLM06
func TestV2_4_1_EverybodysClicksTogetherAreBounded(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{"/api/dynamic-payment": wantsToBuy, "/api/cye/full-flow": answers["POST /api/cye/full-flow"].body} {
		w := newWorld(t)
		click := call{method: http.MethodPost, path: path, body: body, key: "none", from: "198.51.100.1"}
		require.Equal(t, ok, w.do(t, click).Code)
		orders := w.runs.told()
		w.useUp(t, account.QuotesOverall.Name+":%")
		click.from = "203.0.113.9"
		rec := w.do(t, click)
		require.Equal(t, http.StatusTooManyRequests, rec.Code, "%s: %s", path, rec.Body)
		require.NotEmpty(t, rec.Header().Get("Retry-After"))
		require.Equal(t, problem.TooMany, problemOf(t, rec).Code)
		require.Equal(t, orders, w.runs.told(), "nobody was asked for a price")
	}
}

// Proves: V2.4.1-logins
func TestV2_4_1_CodesForNewAddressesAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	ask := func(i int) int {
		b.from = fmt.Sprintf("198.51.100.%d", i)
		address := fmt.Sprintf("new%d@example.com", i)
		w.canaries.addAddress(address)
		return b.post(t, "/api/account/email", `{"email":"`+address+`"}`).Code
	}
	for i := range account.CodesPerSubject.Most {
		require.Equal(t, ok, ask(i))
	}
	before := w.count(t, "SELECT count(*) FROM letters")
	require.Equal(t, http.StatusTooManyRequests, ask(200), "another address and another network are the same account")
	require.Equal(t, before, w.count(t, "SELECT count(*) FROM letters"))
}

// unlimited are the writes that anybody may try without end, and why, and those of which there
// is one at a time: their limits have tests of their own.
var unlimited = map[string]string{
	"POST /api/chaos":                 "TestTheFourthRunOfAVisitorWithinTheHourWaits",
	"POST /api/ai-verification":       "TestAVisitorWaitsWhenTheirVerificationsAreUsedUp",
	"POST /api/experiments/submit":    "TestIdeasAreCountedByNetworkAndByMember",
	"POST /api/auth/claim":            "256 bits are not guessed, and a wrong one costs one look",
	"POST /api/auth/logout":           "it ends what the caller came with, and a visitor has nothing",
	"POST /unsubscribe":               "its proof is a keyed digest; a wrong one costs one look",
	"POST /webhooks/stripe":           "its signature is checked before anything is read of it, and 64 kB at most",
	"POST /api/checkouts/{id}/cancel": "whoever knows the number of an open page ends it, once",
	"POST /api/checkouts/{id}/look":   "it counts among the prices, once there is such a page",
	"POST /sandbox/x/{path}":          "is there for people at this machine alone",
	"POST /sandbox/stripe/{path}":     "is there for people at this machine alone",
}

// A write of a visitor's that starts a run, sends an e-mail or fills the database has a limit:
// once it is used up, the next one is refused, or not heeded.
// Proves: V2.4.1-all
func TestV2_4_1_EveryWriteOfVisitorsHasALimitOrAReason(t *testing.T) {
	t.Parallel()
	for route, want := range answers {
		if strings.HasPrefix(route, http.MethodGet) || want.visitor == no || unlimited[route] != "" || want.visitor == nothing {
			continue
		}
		t.Run(route, func(t *testing.T) {
			t.Parallel()
			c := &cast{}
			w := c.on(t)
			ask := func() int { return w.do(t, w.callTo(route, want.body, c.ids, "", "", "none")).Code }
			require.Equal(t, want.visitor, ask())
			w.useUp(t, "%")
			before := w.rows(t)
			if route == "POST /api/visits" { // who is not counted may look on
				rec := w.do(t, w.callTo(route, want.body, c.ids, "", "", "none"))
				require.False(t, read[api.Counted](t, rec, ok).Counted)
			} else {
				require.Equal(t, http.StatusTooManyRequests, ask())
			}
			require.Empty(t, changed(before, w.rows(t)))
		})
	}
}
