package httpapi

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proves: S-sandboxes
func TestGuardHosts(t *testing.T) {
	t.Parallel()
	here, everywhere := "127.0.0.1:8090", "[::]:8090"
	for name, c := range map[string]struct {
		at, host string
		own      []string
		refused  bool
	}{
		"an address of this machine":                  {at: here, host: "127.0.0.1:8090"},
		"another address of this machine":             {at: here, host: "127.0.0.2"},
		"its IPv6 address":                            {at: "[::1]:8090", host: "[::1]:8090"},
		"its name, in any case":                       {at: here, host: "LocalHost:9999"},
		"a name that points here":                     {at: here, host: "attacker.example:8090", refused: true},
		"a name that begins like one of ours":         {at: here, host: "localhost.attacker.example", refused: true},
		"a name that begins like an address":          {at: here, host: "127.0.0.1.attacker.example", refused: true},
		"an address elsewhere":                        {at: here, host: "192.0.2.1", refused: true},
		"a short name":                                {at: here, host: "attacker", refused: true},
		"no name":                                     {at: here, host: "", refused: true},
		"the name of a proxy on this machine":         {at: here, host: "bot.example.com", own: []string{"https://bot.example.com"}},
		"another name than that":                      {at: here, host: "www.bot.example.com", own: []string{"https://bot.example.com"}, refused: true},
		"a listener without a name":                   {at: everywhere, host: "attacker.example", own: []string{""}},
		"a listener in a container, by its name":      {at: everywhere, host: "sandbox:8090", own: []string{":8090", "http://localhost"}},
		"a listener in a container, by its address":   {at: everywhere, host: "172.30.90.3:8090", own: []string{"http://localhost"}},
		"a listener in a container, by another name":  {at: everywhere, host: "attacker.example:8090", own: []string{"http://localhost"}, refused: true},
		"a listener in a container, by its long name": {at: everywhere, host: "api.example.com", own: []string{"api.example.com:8090"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, err := net.ResolveTCPAddr("tcp", c.at)
			require.NoError(t, err)
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/sandbox/mail", http.NoBody)
			req.Host = c.host
			rec, served := httptest.NewRecorder(), false
			GuardHosts(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = true }), at, c.own...).ServeHTTP(rec, req)
			require.Equal(t, c.refused, !served)
			require.Equal(t, c.refused, rec.Code == http.StatusMisdirectedRequest)
		})
	}
}
