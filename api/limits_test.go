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
	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

// unlimited are the public writes without a rate limit, and the reason.
var unlimited = map[string]string{
	"POST /api/account/email/undo": "256 bits cannot be guessed, and a wrong token costs one query",
	"POST /api/auth/activate":      "256 bits cannot be guessed, and a wrong token costs one query",
	"POST /api/auth/logout":        "it ends only the caller's own session",
	"POST /webhooks/stripe":        "the signature is checked first, and a body has at most 64 kB",
	"POST /sandbox/x/{path}":       "reachable from this machine only",
	"POST /sandbox/stripe/{path}":  "reachable from this machine only",
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
	"chaos-network":        {method: "POST", path: "/api/chaos", body: crash},
	"verification-network": {method: "POST", path: "/api/ai-verification", body: `{"wait":false}`},
	"diagnosis-network":    {method: http.MethodGet, path: "/api/auth/test-oauth?step=env"},
	"quote-network":        {method: "POST", path: "/api/dynamic-payment", body: wantsToBuy},
	"visitors-network":     {method: "POST", path: "/api/visits", body: `{"page":"pricing"}`},
	"experiment-network":   {method: "POST", path: "/api/experiments/submit", body: anIdea},
	"code-network":         {method: "POST", path: "/api/auth/email", body: `{"email":"ada@example.com"}`},
	"guess-network":        {method: "POST", path: "/api/auth/email/verify", body: `{"email":"ada@example.com","code":"000000"}`},
	"x-login-network":      {method: http.MethodGet, path: "/auth/x/login"},
	"run-network":          {method: http.MethodGet, path: "/api/runs"},
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
		network string   // the narrowest
		wider   []string // the networks around it
	}{
		"no proxy, and a forged address":         {nil, stranger, forwarded(client), stranger, nil},
		"no proxy, and every other header":       {nil, stranger, others, stranger, nil},
		"a proxy, and a client that bypasses it": {[]string{proxy}, stranger, forwarded(client), stranger, nil},
		"a proxy, and a client that names it":    {[]string{proxy}, stranger, forwarded(client + ", " + proxy), stranger, nil},
		"a proxy appends to a forged header":     {[]string{proxy}, proxy, forwarded("192.0.2.1, " + client), client, nil},
		"a proxy adds a header line":             {[]string{proxy}, proxy, forwarded("192.0.2.1", client), client, nil},
		"a proxy behind another trusted one":     {[]string{"10.0.0.0/8"}, proxy, forwarded("192.0.2.1, " + client + ", 10.9.9.9"), client, nil},
		"a proxy with a malformed last entry":    {[]string{proxy}, proxy, forwarded("192.0.2.1, somebody"), proxy, nil},
		"a proxy forwards every other header":    {[]string{proxy}, proxy, append(forwarded(client), others...), client, nil},
		"IPv4 in IPv6 is IPv4":                   {[]string{proxy}, proxy, forwarded("::ffff:" + client), client, nil},
		"an address of an IPv6 network":          {nil, "[2001:db8:1:2::1]", nil, "2001:db8:1:2::", []string{"2001:db8:1::/56", "2001:db8:1::/48"}},
		"a /64 of another /56":                   {nil, "[2001:db8:1:103::1]", nil, "2001:db8:1:103::", []string{"2001:db8:1:100::/56", "2001:db8:1::/48"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.server.TrustedProxies = tt.proxies
			w.handler = w.server.Handler()
			for _, c := range byNetwork {
				c.key, c.from = "none", tt.from
				w.sendHeaders(t, c, tt.says)
			}
			marks := []string{w.db.Keys().Mark(tt.network, "visitor")}
			for _, wider := range tt.wider {
				marks = append(marks, w.db.Keys().Mark(wider, "visitor"))
			}
			counted := map[string]bool{}
			names := map[string]bool{}
			each(t, w.open(t), "SELECT bucket FROM rate_windows", func(row []any) {
				name, whom, _ := strings.Cut(fmt.Sprint(row[0]), ":")
				if _, is := byNetwork[name]; is {
					require.Contains(t, marks, whom[strings.LastIndex(whom, "/")+1:], name)
					counted[whom[strings.LastIndex(whom, "/")+1:]], names[name] = true, true
				}
			})
			require.Len(t, counted, len(marks))
			require.Len(t, names, len(byNetwork), "each call was counted: %v", names)
		})
	}
}

// A stranger who has an address or a name, and a few networks, leaves the user's own browsers a way in.
// Proves: S-lockout
func TestStrangersLockNobodyOut(t *testing.T) {
	w := newWorld(t)
	w.join(t, "ada")
	known := w.browser()
	require.Equal(t, ok, ways["with a code by e-mail"].login(t, known).Code)
	require.Equal(t, ok, known.post(t, "/api/auth/logout", "").Code)
	require.NotEmpty(t, known.cookies["device"])
	ask := func(b *browser, from string) int {
		b.from = from
		return b.post(t, "/api/auth/email", `{"email":"ada@example.com"}`).Code
	}
	require.Equal(t, ok, ask(known, "203.0.113.1"))
	code := w.mailed(t, "ada@example.com", "Code")
	verify := func(b *browser) *httptest.ResponseRecorder {
		return b.post(t, "/api/auth/email/verify", `{"email":"ada@example.com","code":"`+code+`"}`)
	}
	eve := w.browser()
	for i := range 4 * account.CodesForSubject.PerNetwork.Most {
		ask(eve, fmt.Sprintf("198.51.100.%d", i%4))
	}
	require.Equal(t, http.StatusTooManyRequests, ask(eve, "198.51.100.1"))
	for range account.CodeTries + 1 {
		refused(t, verify(eve), problem.CodeWrong, "a code is for the browser that requested it")
	}
	require.Equal(t, ok, ask(w.browser(), "203.0.113.9"), "a new browser in another network")
	require.Equal(t, ok, ask(known, "198.51.100.1"), "a known browser in the same network")
	code = w.mailed(t, "ada@example.com", "Code")
	require.Equal(t, ok, verify(known).Code)
	require.Equal(t, "ada", known.who(t).User.Username)
}

// Proves: S-lockout
func TestAnOfficeHasMoreThanOneVisitor(t *testing.T) {
	w := newWorld(t)
	start := func(b *browser) int {
		w.endAll(t)
		return b.post(t, "/api/chaos", crash).Code
	}
	for range chaos.Limits.PerNetwork.Most / chaos.Limits.PerVisitor.Most {
		b := w.browser()
		require.Equal(t, ok, b.post(t, "/api/visits", `{"page":"other"}`).Code)
		for range chaos.Limits.PerVisitor.Most {
			require.Equal(t, ok, start(b))
		}
		require.Equal(t, http.StatusTooManyRequests, start(b))
	}
	b := w.browser()
	require.Equal(t, ok, b.post(t, "/api/visits", `{"page":"other"}`).Code)
	require.Equal(t, http.StatusTooManyRequests, start(b), "cookies do not raise the limit of a network")
}

// Proves: S-floods
func TestCallersInventNoVisitors(t *testing.T) {
	w := newWorld(t)
	signed := httpapi.SignVisitor(w.db.Keys(), account.NewToken())
	invented := func(i int) string {
		switch i % 4 {
		case 0:
			return account.NewToken()
		case 1:
			return account.NewToken() + signed[strings.Index(signed, "."):]
		case 2:
			return httpapi.SignVisitor(w.db.Keys(), account.NewToken()) // old cookies whose rows are deleted
		}
		return ""
	}
	for i := range 2 * account.VisitorsPerNetwork.Most {
		b := w.browser()
		b.cookies["visitor"] = invented(i)
		require.Equal(t, ok, b.post(t, "/api/visits", `{"page":"pricing"}`).Code)
	}
	require.Equal(t, account.VisitorsPerNetwork.Most, w.count(t, "SELECT count(*) FROM visitors"))
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
	{chaos.Limits.PerVisitor, 1, "visitor", "POST", "/api/chaos", crash, "network"},
	{chaos.Limits.PerNetwork, 1, "cookies", "POST", "/api/chaos", crash, "network"},
	{chaos.Limits.PerMember, 1, "member", "POST", "/api/chaos", crash, "account"},
	{chaos.Limits.Members(), 1, "admin key", "POST", "/api/chaos", crash, "visitor"},
	{verification.Limits.PerVisitor, 1, "visitor", "POST", "/api/ai-verification", `{}`, "network"},
	{verification.Limits.PerNetwork, 1, "cookies", "POST", "/api/ai-verification", `{}`, "network"},
	{verification.Limits.Members(), 1, "admin key", "POST", "/api/ai-verification", `{}`, "visitor"},
	{account.CodesPerBrowser, 1, "member", "POST", "/api/account/email", `{"email":"new#@example.com"}`, "account"},
	{account.CodesForSubject.PerNetwork, 1, "visitor", "POST", "/api/auth/email", `{"email":"ada@example.com"}`, "network"},
	{account.CodesPerNetwork, 1, "visitor", "POST", "/api/auth/email", `{"email":"new#@example.com"}`, "network"},
	{account.GuessesPerNetwork, 1, "visitor", "POST", "/api/auth/email/verify", `{"email":"new@example.com","code":"000000"}`, "network"},
	{account.XLogins.PerNetwork, 1, "visitor", "GET", "/auth/x/login", "", "network"},
	{account.Diagnoses.PerNetwork, 1, "cookies", "GET", "/api/auth/test-oauth?step=env", "", "network"}, // X bills each
	{account.TokensPerAccount, 1, "member", "POST", "/api/auth/token", `{"scope":"credentials"}`, "account"},
	{account.CredentialTries, 1, "founder", "POST", "/api/auth/credentials", botTokens, ""},
	{account.QuotesPerNetwork, 1, "visitor", "POST", "/api/dynamic-payment", wantsToBuy, "network"},
	{account.QuotesOverall, 1, "visitor", "POST", "/api/dynamic-payment", wantsToBuy, ""}, // each may call a model and Stripe
	{account.QuotesOverall, 1, "visitor", "POST", "/api/cye/full-flow", answers["POST /api/cye/full-flow"].body, ""},
	{account.VisitorsPerNetwork, 1, "visitor", "POST", "/api/visits", `{"page":"pricing"}`, "network"},
	{account.VisitorsOverall, 1, "visitor", "POST", "/api/visits", `{"page":"pricing"}`, ""},
	{account.GenerationsPerAccount, 3, "member", "POST", "/api/ai/generations", threeModels, "account"}, // each model counts
	{account.GenerationsPerAccount, 1, "member", "POST", "/api/ai/generate", `{"content_type":"tweet","prompt":"hello"}`, "account"},
	{account.RunsPerNetwork, 1, "visitor", "GET", "/api/runs", "", "network"},
	{account.RunsPerNetwork, 1, "visitor", "GET", "/api/runs/post:p1", "", "network"},
	{account.ExportsPerAccount, 1, "member", "GET", "/api/account/export", "", "account"},
	{account.Reports.PerNetwork, 1, "visitor", "POST", "/api/client-errors", `{"message":"boom","path":"/"}`, "network"},
	{experiment.Submissions.PerVisitor, 1, "visitor", "POST", "/api/experiments/submit", titled("An idea, number #"), "network"},
	{experiment.Submissions.PerNetwork, 1, "cookies", "POST", "/api/experiments/submit", titled("An idea, number #"), "network"},
	{experiment.Submissions.PerMember, 1, "member", "POST", "/api/experiments/submit", titled("An idea, number #"), "account"},
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
				if by == "network" || by == "cookies" {
					who = "visitor"
				}
				b := w.browserWith(sessions[who].cookies["session"])
				if by == "cookies" { // each call with a new visitor cookie
					b.cookies["visitor"] = httpapi.SignVisitor(w.db.Keys(), account.NewToken())
				}
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
			sessions["member"] = w.browserWith(w.login(t, w.accountOf(t, "ada"), "")) // some requests need a fresh login
			require.True(t, accepted(ask(tt.by)))
		})
	}
}
