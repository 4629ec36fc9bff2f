package egress

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyAtANameOfThisMachineACertificateMayBeSelfMade(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "https://")
	guard, err := New(Options{Sites: []Site{
		{Origin: "https://localhost", Dial: address}, {Origin: "https://bot.example.com", Dial: address}, {Origin: "https://" + address},
	}})
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{DialContext: guard.DialContext, DialTLSContext: guard.DialTLSContext}}
	ask := func(url string) error {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	require.NoError(t, ask("https://localhost/"))
	require.NoError(t, ask("https://"+address+"/"))
	require.ErrorContains(t, ask("https://bot.example.com/"), "certificate")
}
