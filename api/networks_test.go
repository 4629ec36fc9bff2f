package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
			t.Parallel()
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
