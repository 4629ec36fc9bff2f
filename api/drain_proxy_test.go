package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"customerzero/api"
	"customerzero/internal/platform/ports/portstest"
	"customerzero/internal/platform/testwait"
)

// replica is one of several servers behind the proxy. It repeats what it is told, after a moment,
// and says who it is. When it stops, it stays until it is told that the proxy has noticed.
func (w *world) replica(t *testing.T, address string, noticed <-chan struct{}) *parting {
	t.Helper()
	drain := &api.Drain{Delay: forLong}
	drain.StopWhen(noticed)
	w.server.Health.Drain = drain
	mux := http.NewServeMux()
	mux.Handle("/healthz", w.server.Handler())
	mux.HandleFunc("/api/repeat", func(rw http.ResponseWriter, r *http.Request) {
		said, err := io.ReadAll(r.Body)
		if err != nil {
			rw.WriteHeader(http.StatusBadRequest)
			return
		}
		<-time.After(10 * time.Millisecond)
		rw.Header().Set("X-Replica", address)
		_, _ = rw.Write(said)
	})
	return servingAt(t, address, drain, mux)
}

// startProxy runs the proxy as it is deployed, and returns its address.
func startProxy(t *testing.T, replicas ...string) string {
	t.Helper()
	const caddy = "../bin/caddy"
	require.FileExists(t, caddy, "run make build first")
	site, cell := portstest.Address(t), portstest.Address(t)
	said := &strings.Builder{}
	proxy := exec.Command(caddy, "run", "--adapter", "caddyfile", "--config", "../deploy/Caddyfile")
	proxy.Env = append(os.Environ(), "SITE=http://"+site, "CHAOS_TARGET_SITE=http://"+cell, "BIND=127.0.0.1", "CHAOS_TARGET_BIND=127.0.0.1",
		"APIS="+strings.Join(replicas, " "), "CHAOS_TARGETS="+replicas[0], "XDG_DATA_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
	proxy.Stdout, proxy.Stderr = said, said
	require.NoError(t, proxy.Start())
	t.Cleanup(func() {
		_ = proxy.Process.Kill()
		_ = proxy.Wait()
		if t.Failed() {
			t.Log(said)
		}
	})
	return "http://" + site
}

// repeat tells the proxy something, and says which replica answered.
func repeat(ctx context.Context, client *http.Client, proxy, method, said string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, method, proxy+"/api/repeat", strings.NewReader(said))
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	heard, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK || string(heard) != said {
		return "", fmt.Errorf("%s: %d %s", method, resp.StatusCode, heard)
	}
	return resp.Header.Get("X-Replica"), nil
}

// Replicas are restarted one after the other, as an upgrade does it, and nobody notices.
func TestRestartsBehindTheProxyLoseNoRequest(t *testing.T) {
	t.Parallel()
	worlds := []*world{newWorld(t), newWorld(t)}
	addresses := []string{portstest.Address(t), portstest.Address(t)}
	noticed := []chan struct{}{make(chan struct{}), make(chan struct{})}
	replicas := []*parting{worlds[0].replica(t, addresses[0], noticed[0]), worlds[1].replica(t, addresses[1], noticed[1])}
	proxy := startProxy(t, addresses...)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}, Timeout: testwait.Limit}
	heardOf := func(address string) bool {
		who, err := repeat(t.Context(), client, proxy, http.MethodGet, "")
		return err == nil && who == address
	}
	for _, address := range addresses {
		require.Eventually(t, func() bool { return heardOf(address) }, testwait.Limit, 10*time.Millisecond)
	}

	var answered atomic.Int64
	var elsewhere [2]atomic.Int64 // answers of the other replica, one after the other
	load, end := context.WithCancel(t.Context())
	defer end()
	clients, loading := errgroup.WithContext(load)
	for range 6 {
		clients.Go(func() error {
			for n := 0; load.Err() == nil; n++ {
				method, said := http.MethodGet, ""
				if n%2 == 0 {
					method, said = http.MethodPost, strings.Repeat("a purchase ", n%50)
				}
				who, err := repeat(loading, client, proxy, method, said)
				if err != nil {
					if errors.Is(err, context.Canceled) {
						return nil
					}
					return err
				}
				answered.Add(1)
				for i, address := range addresses {
					if elsewhere[i].Add(1); who == address {
						elsewhere[i].Store(0)
					}
				}
			}
			return nil
		})
	}
	for n := range 5 {
		address := addresses[n%2]
		replicas[n%2].stop()
		require.Eventually(t, worlds[n%2].server.Health.Drain.Begun, testwait.Limit, time.Millisecond)
		elsewhere[n%2].Store(0)
		// One that has less to do is asked first, unless the proxy knows that it stops.
		require.Eventually(t, func() bool { return loading.Err() != nil || elsewhere[n%2].Load() >= 100 }, testwait.Limit, time.Millisecond)
		close(noticed[n%2])
		replicas[n%2].gone(t)
		noticed[n%2] = make(chan struct{})
		replicas[n%2] = worlds[n%2].replica(t, address, noticed[n%2])
		require.Eventually(t, func() bool { return loading.Err() != nil || heardOf(address) }, testwait.Limit, 10*time.Millisecond)
	}
	end()
	require.NoError(t, clients.Wait())
	require.Greater(t, answered.Load(), int64(200))
	t.Log(answered.Load(), "requests")
}
