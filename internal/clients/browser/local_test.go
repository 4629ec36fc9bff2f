package browser

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/egress"
	"customerzero/internal/domain/problem"
)

// The proxy of a deployment that serves one machine signs its certificate itself.
func TestOnlyAtANameOfThisMachineACertificateMayBeSelfMade(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(html(well))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "https://")
	guard, err := egress.New(egress.Options{Sites: []egress.Site{
		{Origin: "https://localhost", Dial: address}, {Origin: "https://bot.example.com", Dial: address}, {Origin: "https://" + address},
	}})
	require.NoError(t, err)
	b := New(Options{Dir: modules, Guard: guard})
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	for _, origin := range []string{"https://localhost", "https://" + address} {
		seen, err := b.Look(t.Context(), wide(origin+"/"))
		require.NoError(t, err, origin)
		require.NotEmpty(t, seen.PNG)
	}
	_, err = b.Look(t.Context(), wide("https://bot.example.com/"))
	require.Equal(t, problem.PageUnreachable, problem.CodeOf(err), "%v", err)
}

func TestNamesOfThisMachine(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://localhost": true, "https://localhost:8443/a": true, "https://127.0.0.1:1": true, "https://[::1]/": true,
		"https://localhost.example.com": false, "https://bot.example.com": false, "https://10.0.0.1": false, "https://bot.example.com#localhost": false, "::": false,
	} {
		require.Equal(t, want, local(address), address)
	}
}
