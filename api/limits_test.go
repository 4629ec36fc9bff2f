package api_test

import (
	"customerzero/api"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// useUp leaves nothing of any limit that was used so far.
func (w *world) useUp(t *testing.T, buckets string) {
	used := must(w.open(t).ExecContext(t.Context(), "UPDATE rate_windows SET used = allowed WHERE bucket LIKE ?", buckets))(t)
	n := must(used.RowsAffected())(t)
	require.NotZero(t, n, "no limit was used")
}

// From however many networks they come, clicks on prices have a bound: each may cost a call of
// a model, and one at the payment service.
// Proves: V2.4.1-prices, LLM06
func TestV2_4_1_EverybodysClicksTogetherAreBounded(t *testing.T) {
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

// counted are the calls that are counted by the caller's network, with the names of what counts them.
var counted = map[string]call{
	"chaos-visitor":        {method: http.MethodPost, path: "/api/chaos", body: crash},
	"verification-visitor": {method: http.MethodPost, path: "/api/ai-verification", body: `{"wait":false}`},
	"diagnosis-visitor":    {method: http.MethodGet, path: "/api/auth/test-oauth?step=env"},
	"quote-visitor":        {method: http.MethodPost, path: "/api/dynamic-payment", body: wantsToBuy},
	"visitors":             {method: http.MethodPost, path: "/api/visits", body: `{"page":"pricing"}`},
	"experiment-visitor":   {method: http.MethodPost, path: "/api/experiments/submit", body: anIdea},
	"code-visitor":         {method: http.MethodPost, path: "/api/auth/email", body: `{"email":"ada@example.com"}`},
	"guess-visitor":        {method: http.MethodPost, path: "/api/auth/email/verify", body: `{"email":"ada@example.com","code":"000000"}`},
	"x-login-visitor":      {method: http.MethodGet, path: "/auth/x/login"},
	"run-visitor":          {method: http.MethodGet, path: "/api/runs"},
}

// Who a request comes from, the network says, or a proxy that is ours. Headers that anybody can write
// make nobody somebody else, on no call that is counted.
// Proves: F31
func TestNoHeaderMakesAnotherNetwork(t *testing.T) {
	t.Parallel()
	const proxy, stranger, client = "10.0.0.1", "198.51.100.7", "203.0.113.9"
	forwarded := func(values ...string) []header {
		var all []header
		for _, value := range values {
			all = append(all, header{"X-Forwarded-For", value})
		}
		return all
	}
	others := []header{
		{"Forwarded", "for=192.0.2.60"},
		{"X-Real-Ip", "192.0.2.61"},
		{"True-Client-Ip", "192.0.2.62"},
		{"Cf-Connecting-Ip", "192.0.2.63"},
		{"X-Client-Ip", "192.0.2.64"},
		{"X-Cluster-Client-Ip", "192.0.2.65"},
		{"X-Appengine-Remote-Addr", "192.0.2.66"},
		{"Fly-Client-Ip", "192.0.2.67"},
	}
	for name, tt := range map[string]struct {
		proxies []string
		from    string
		says    []header
		network string
	}{
		"no proxy, and a name of its own":              {nil, stranger, forwarded(client), stranger},
		"no proxy, and a chain of names":               {nil, stranger, forwarded("127.0.0.1, " + client), stranger},
		"no proxy, and every other header":             {nil, stranger, others, stranger},
		"a proxy, and a stranger who is none":          {[]string{proxy}, stranger, forwarded(client), stranger},
		"a proxy, and a stranger who names it":         {[]string{proxy}, stranger, forwarded(client + ", " + proxy), stranger},
		"a proxy says whom it asks for":                {[]string{proxy}, proxy, forwarded(client), client},
		"a proxy says so behind what its client said":  {[]string{proxy}, proxy, forwarded("192.0.2.1, " + client), client},
		"a proxy says so in a line of its own":         {[]string{proxy}, proxy, forwarded("192.0.2.1", client), client},
		"a proxy asks through another of ours":         {[]string{"10.0.0.0/8"}, proxy, forwarded("192.0.2.1, " + client + ", 10.9.9.9"), client},
		"a proxy says no address":                      {[]string{proxy}, proxy, forwarded("somebody"), proxy},
		"a proxy says none behind what its client did": {[]string{proxy}, proxy, forwarded("192.0.2.1, somebody"), proxy},
		"a proxy hands every other header on":          {[]string{proxy}, proxy, append(forwarded(client), others...), client},
		"a proxy hands on nothing else":                {[]string{proxy}, proxy, others, proxy},
		"IPv4 in IPv6 is IPv4":                         {[]string{proxy}, proxy, forwarded("::ffff:" + client), client},
		"an address of an IPv6 network":                {nil, "[2001:db8:1:2::1]", nil, "2001:db8:1:2::"},
		"another address of it":                        {nil, "[2001:db8:1:2:ffff:eeee:dddd:cccc]", nil, "2001:db8:1:2::"},
		"the network beside it":                        {nil, "[2001:db8:1:3::1]", nil, "2001:db8:1:3::"},
		"an address of it through a proxy":             {[]string{proxy}, proxy, forwarded("2001:db8:1:2::7"), "2001:db8:1:2::"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.server.TrustedProxies = tt.proxies
			w.handler = w.server.Handler()
			for _, c := range counted {
				c.key, c.from = "none", tt.from
				w.say(t, c, tt.says)
			}
			mark := w.db.Keys().Mark(tt.network, "visitor")
			names := map[string]bool{}
			each(t, w.open(t), "SELECT bucket FROM rate_windows", func(row []any) {
				name, whom, _ := strings.Cut(fmt.Sprint(row[0]), ":")
				if _, byNetwork := counted[name]; byNetwork {
					require.Equal(t, mark, whom, name)
					names[name] = true
				}
			})
			require.Len(t, names, len(counted), "each call was counted: %v", names)
		})
	}
}
