package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	checkoutapi "customerzero/api/checkout"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

// unlimited are the public writes without a rate limit, and the reason.
var unlimited = map[string]string{
	"POST /api/auth/activate":     "256 bits cannot be guessed, and a wrong token costs one query",
	"POST /api/auth/logout":       "it ends only the caller's own session",
	"POST /webhooks/stripe":       "the signature is checked first, and a body has at most 64 kB",
	"POST /sandbox/x/{path}":      "reachable from this machine only",
	"POST /sandbox/stripe/{path}": "reachable from this machine only",
}

// Every public write that starts a workflow, sends an email or fills the database has a limit, or a reason to have none.
// Proves: V2.4.1-all
func TestV2_4_1_EveryWriteOfVisitorsHasALimitOrAReason(t *testing.T) {
	t.Parallel()
	limited := map[string]bool{"POST /api/auth/manual-login": true} // shares the limits of /api/auth/email
	for _, tt := range limits {
		limited[tt.method+" "+tt.path] = true
	}
	for route, want := range answers {
		if !strings.HasPrefix(route, http.MethodGet) && want.visitor != no && want.visitor != nothing {
			require.True(t, limited[route] || unlimited[route] != "", route)
		}
	}
}

// byNetwork are the requests that are limited by network address, by the name of their limit.
var byNetwork = map[string]call{
	"chaos-visitor":        {method: "POST", path: "/api/chaos", body: crash},
	"verification-visitor": {method: "POST", path: "/api/ai-verification", body: `{"wait":false}`},
	"diagnosis-visitor":    {method: http.MethodGet, path: "/api/auth/test-oauth?step=env"},
	"quote-visitor":        {method: "POST", path: "/api/dynamic-payment", body: wantsToBuy},
	"visitors":             {method: "POST", path: "/api/visits", body: `{"page":"pricing"}`},
	"experiment-visitor":   {method: "POST", path: "/api/experiments/submit", body: anIdea},
	"code-visitor":         {method: "POST", path: "/api/auth/email", body: `{"email":"ada@example.com"}`},
	"guess-visitor":        {method: "POST", path: "/api/auth/email/verify", body: `{"email":"ada@example.com","code":"000000"}`},
	"x-login-visitor":      {method: http.MethodGet, path: "/auth/x/login"},
	"run-visitor":          {method: http.MethodGet, path: "/api/runs"},
}

// The network address comes from the connection or a trusted proxy. Headers that clients can forge do not change it.
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
		"no proxy, and a forged address":         {nil, stranger, forwarded(client), stranger},
		"no proxy, and every other header":       {nil, stranger, others, stranger},
		"a proxy, and a client that bypasses it": {[]string{proxy}, stranger, forwarded(client), stranger},
		"a proxy, and a client that names it":    {[]string{proxy}, stranger, forwarded(client + ", " + proxy), stranger},
		"a proxy appends to a forged header":     {[]string{proxy}, proxy, forwarded("192.0.2.1, " + client), client},
		"a proxy adds a header line":             {[]string{proxy}, proxy, forwarded("192.0.2.1", client), client},
		"a proxy behind another trusted one":     {[]string{"10.0.0.0/8"}, proxy, forwarded("192.0.2.1, " + client + ", 10.9.9.9"), client},
		"a proxy with a malformed last entry":    {[]string{proxy}, proxy, forwarded("192.0.2.1, somebody"), proxy},
		"a proxy forwards every other header":    {[]string{proxy}, proxy, append(forwarded(client), others...), client},
		"IPv4 in IPv6 is IPv4":                   {[]string{proxy}, proxy, forwarded("::ffff:" + client), client},
		"an address of an IPv6 network":          {nil, "[2001:db8:1:2::1]", nil, "2001:db8:1:2::"},
		"the network beside it":                  {nil, "[2001:db8:1:3::1]", nil, "2001:db8:1:3::"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.server.TrustedProxies = tt.proxies
			w.handler = w.server.Handler()
			for _, c := range byNetwork {
				c.key, c.from = "none", tt.from
				w.sendHeaders(t, c, tt.says)
			}
			mark := w.db.Keys().Mark(tt.network, "visitor")
			names := map[string]bool{}
			each(t, w.open(t), "SELECT bucket FROM rate_windows", func(row []any) {
				name, whom, _ := strings.Cut(fmt.Sprint(row[0]), ":")
				if _, is := byNetwork[name]; is {
					require.Equal(t, mark, whom, name)
					names[name] = true
				}
			})
			require.Len(t, names, len(byNetwork), "each call was counted: %v", names)
		})
	}
}

// limits are requests with their limit, its cost, their caller, and others, who are not affected by an exhausted limit:
// another network, another account, or none. A # becomes a new number in each request.
var limits = []struct {
	limit              account.Limit
	uses               int
	by                 string
	method, path, body string
	others             string
}{
	{chaos.PerVisitor, 1, "visitor", "POST", "/api/chaos", crash, "network"},
	{chaos.Overall, 1, "admin key", "POST", "/api/chaos", crash, ""}, // founders count only overall
	{verification.PerVisitor, 1, "visitor", "POST", "/api/ai-verification", `{}`, "network"},
	{verification.Overall, 1, "admin key", "POST", "/api/ai-verification", `{}`, ""},
	{account.CodesPerSubject, 1, "member", "POST", "/api/account/email", `{"email":"new#@example.com"}`, "account"},
	{account.CodesPerSubject, 1, "visitor", "POST", "/api/auth/email", `{"email":"ada@example.com"}`, ""},
	{account.CodesPerVisitor, 1, "visitor", "POST", "/api/auth/email", `{"email":"new#@example.com"}`, "network"},
	{account.GuessesPerVisitor, 1, "visitor", "POST", "/api/auth/email/verify", `{"email":"new@example.com","code":"000000"}`, "network"},
	{account.LoginsPerVisitor, 1, "visitor", "GET", "/auth/x/login", "", "network"},
	{account.LoginsOverall, 1, "visitor", "GET", "/auth/x/login", "", ""},
	{account.DiagnosesOverall, 1, "visitor", "GET", "/api/auth/test-oauth?step=env", "", ""}, // X bills each
	{account.CredentialTries, 1, "founder", "POST", "/api/auth/credentials", botTokens, ""},
	{account.QuotesPerVisitor, 1, "visitor", "POST", "/api/dynamic-payment", wantsToBuy, "network"},
	{account.QuotesOverall, 1, "visitor", "POST", "/api/dynamic-payment", wantsToBuy, ""}, // each may call a model and Stripe
	{account.QuotesOverall, 1, "visitor", "POST", "/api/cye/full-flow", answers["POST /api/cye/full-flow"].body, ""},
	{account.VisitorsPerNetwork, 1, "visitor", "POST", "/api/visits", `{"page":"pricing"}`, "network"},
	{account.GenerationsPerAccount, 3, "member", "POST", "/api/ai/generations", threeModels, "account"}, // each model counts
	{account.GenerationsPerAccount, 1, "member", "POST", "/api/ai/generate", `{"content_type":"tweet","prompt":"hello"}`, "account"},
	{account.RunsPerVisitor, 1, "visitor", "GET", "/api/runs", "", "network"},
	{account.RunsPerVisitor, 1, "visitor", "GET", "/api/runs/post:p1", "", "network"},
	{account.ExportsPerAccount, 1, "member", "GET", "/api/account/export", "", "account"},
	{account.ReportsOverall, 1, "visitor", "POST", "/api/client-errors", `{"message":"boom","path":"/"}`, ""},
	{experiment.SubmissionsPerVisitor, 1, "visitor", "POST", "/api/experiments/submit", titled("An idea, number #"), "network"},
	{experiment.SubmissionsPerMember, 1, "member", "POST", "/api/experiments/submit", titled("An idea, number #"), "account"},
	{experiment.SubmissionsOverall, 1, "visitor", "POST", "/api/experiments/submit", titled("An idea, number #"), ""},
	{experiment.VotesPerMember, 1, "member", "POST", "/api/experiments/vote", `{"experimentId":"001","vote":1}`, "account"},
}

// Proves: V2.4.1-chaos, V2.4.1-verifications, V2.4.1-texts, V2.4.1-rest, V2.4.1-logins, V2.4.1-prices, V2.4.1-diagnostic, LLM06
func TestEveryLimitCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range limits {
		t.Run(tt.limit.Name+" at "+tt.path, func(t *testing.T) {
			w := newWorld(t)
			w.endVerifications(t)
			sessions := map[string]*browser{"visitor": w.browser(), "member": w.newMember(t, "ada"), "account": w.newMember(t, "eve"), "founder": w.founder(t)}
			calls := 0
			ask := func(by string) *httptest.ResponseRecorder {
				calls++
				w.endAll(t)
				address := fmt.Sprintf("new%d@example.com", calls)
				if strings.Contains(tt.path, "/account/") {
					w.canaries.addAddress(address)
				}
				path, body := tt.path, strings.ReplaceAll(tt.body, "#", strconv.Itoa(calls))
				if by == "admin key" {
					return w.send(t, tt.method, path, body)
				}
				who := by
				if by == "network" {
					who = "visitor"
				}
				b := w.browserWith(sessions[who].cookies["session"])
				if b.from = "198.51.100.1"; by == "network" || tt.others == "" {
					b.from = fmt.Sprintf("203.0.113.%d", calls)
				}
				return b.send(t, tt.method, path, body)
			}
			accepted := func(rec *httptest.ResponseRecorder) bool {
				switch tt.path {
				case "/auth/x/login":
					return !strings.Contains(rec.Header().Get("Location"), "error=too_many")
				case "/api/visits":
					return read[checkoutapi.Counted](t, rec, ok).Counted
				}
				return rec.Code < 400 || tt.path == "/api/auth/email/verify" && rec.Code == 422
			}
			window := "FROM rate_windows WHERE bucket LIKE '" + tt.limit.Name + ":%'"
			require.True(t, accepted(ask(tt.by)))
			require.Equal(t, []int{tt.uses, tt.limit.Most}, []int{w.count(t, "SELECT used "+window), w.count(t, "SELECT allowed "+window)})
			w.exec(t, "UPDATE rate_windows SET used = allowed - ? WHERE bucket LIKE ?", tt.uses, tt.limit.Name+":%")
			require.True(t, accepted(ask(tt.by)), "one use is left")

			w.endAll(t)
			before, commands := w.rows(t), w.runs.sent()
			rec := ask(tt.by)
			require.False(t, accepted(rec))
			for _, line := range changed(before, w.rows(t)) { // other limits
				require.True(t, strings.HasPrefix(line, "rate_windows "), line)
			}
			if !strings.Contains(tt.body, "@") { // an email's workflow starts in the background
				require.Equal(t, commands, w.runs.sent())
			}
			if tt.path != "/auth/x/login" && tt.path != "/api/visits" {
				require.Contains(t, refused(t, rec, problem.TooMany).Message, "Too many "+tt.limit.Doing+". Try again after ")
				require.Equal(t, now.Add(tt.limit.Per).Format(http.TimeFormat), rec.Header().Get("Retry-After"))
			}
			if tt.others != "" {
				require.True(t, accepted(ask(tt.others)), "others are not limited")
			}
			w.now = now.Add(tt.limit.Per)
			require.True(t, accepted(ask(tt.by)))
		})
	}
}
