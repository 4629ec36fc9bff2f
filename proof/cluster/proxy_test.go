//go:build proof

package cluster

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

// TestProxyFinishesOpenRequests restarts the proxy while an API handles a request.
func TestProxyFinishesOpenRequests(t *testing.T) {
	t.Parallel()
	arrived, proceed := make(chan struct{}), make(chan struct{})
	c := &Cluster{ready: map[*Process]func(context.Context) error{}, options: newOptions(t)}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/slow" {
			close(arrived)
			<-proceed
		}
		_, _ = io.WriteString(w, "answered")
	}))
	t.Cleanup(api.Close)
	address := strings.TrimPrefix(api.URL, "http://")
	c.APIs = []*Process{{program: Program{Env: []string{"ADDR=" + address}}}}
	c.Target = &Process{program: Program{Env: []string{"CHAOS_TARGET_ADDR=" + address}}}
	t.Cleanup(c.Stop)
	require.NoError(t, c.chooseAddresses(t.Context()))
	require.NoError(t, c.startProxy(t.Context()))

	got, restarted := make(chan string, 1), make(chan error, 1)
	go func() {
		if resp, err := http.Get(c.URL + "/api/slow"); err == nil {
			text, _ := io.ReadAll(resp.Body)
			got <- string(text)
		}
		close(got)
	}()
	<-arrived
	go func() { restarted <- c.Restart(t.Context(), c.Proxy) }()
	require.True(t, Until(t.Context(), testwait.Limit, func() bool {
		resp, err := http.Get(c.URL + "/api/stats")
		return err == nil && resp.Close && resp.Body.Close() == nil
	}), "callers are asked to reconnect when it is about to stop")
	close(proceed)
	require.Equal(t, "answered", <-got)
	require.NoError(t, <-restarted)
	require.Equal(t, "answered", page(t, c.URL+"/api/stats", ""))
}
