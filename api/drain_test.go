package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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

// parting is a server that is told to stop when the test likes.
type parting struct {
	url   string
	stop  context.CancelFunc
	ended chan error
}

func serving(t *testing.T, drain *api.Drain, handler http.Handler) *parting {
	return servingAt(t, "127.0.0.1:0", drain, handler)
}

func servingAt(t *testing.T, address string, drain *api.Drain, handler http.Handler) *parting {
	listener := must(net.Listen("tcp", address))(t)
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(func() {
		stop()
		_ = listener.Close() // whatever its delay is
	})
	p := &parting{url: "http://" + listener.Addr().String(), stop: stop, ended: make(chan error, 1)}
	go func() { p.ended <- drain.Serve(ctx, api.HTTPServer(handler, nil), listener) }()
	return p
}

// get asks on a connection of its own.
func (p *parting) get(t *testing.T, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err == nil {
		t.Cleanup(func() { _ = resp.Body.Close() })
	}
	return resp, err
}

func (p *parting) status(t *testing.T, path string) int {
	resp := must(p.get(t, path))(t)
	return resp.StatusCode
}

// gone waits for the end.
func (p *parting) gone(t *testing.T) {
	select {
	case err := <-p.ended:
		require.NoError(t, err)
	case <-time.After(testwait.Limit):
		require.Fail(t, "it goes on")
	}
}

// forLong is how long a server stays that the test ends itself.
const forLong = 10 * testwait.Limit

func TestAServerThatStopsSaysSoFirstAndServesOn(t *testing.T) {
	w := newWorld(t)
	w.server.Health.Drain = &api.Drain{Delay: forLong}
	p := serving(t, w.server.Health.Drain, w.server.Handler())
	require.Equal(t, ok, p.status(t, "/readyz"))

	p.stop()
	require.Eventually(t, func() bool { return w.server.Health.Drain.Begun() }, testwait.Limit, time.Millisecond)
	resp := must(p.get(t, "/readyz"))(t)
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	said := must(io.ReadAll(resp.Body))(t)
	require.Contains(t, string(said), "draining")
	require.Equal(t, http.StatusServiceUnavailable, p.status(t, "/healthz"), "proxies ask this")
	require.Equal(t, ok, p.status(t, "/api/bot-posts"), "who comes now is served")
}

func TestAServerThatStopsIsGoneAfterItsDelay(t *testing.T) {
	t.Parallel()
	const delay = 100 * time.Millisecond
	p := serving(t, &api.Drain{Delay: delay}, http.NotFoundHandler())
	begin := time.Now()
	p.stop()
	p.gone(t)
	require.GreaterOrEqual(t, time.Since(begin), delay)
	_, err := p.get(t, "/healthz")
	require.ErrorContains(t, err, "refused")
}

func TestWhoIsAskedToGoElsewhereKeepsTheConnectionUntilThen(t *testing.T) {
	t.Parallel()
	drain := &api.Drain{Delay: forLong}
	p := serving(t, drain, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("here")) }))
	client := &http.Client{Transport: &http.Transport{}}
	ask := func() *http.Response {
		req := must(http.NewRequestWithContext(t.Context(), http.MethodPost, p.url, http.NoBody))(t)
		resp := must(client.Do(req))(t)
		must(io.ReadAll(resp.Body))(t)
		require.NoError(t, resp.Body.Close())
		return resp
	}
	require.False(t, ask().Close)
	p.stop()
	require.Eventually(t, drain.Begun, testwait.Limit, time.Millisecond)
	require.True(t, ask().Close, "on the idle connection, which was not cut")
}

func TestWhatHasBegunIsFinished(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	p := serving(t, &api.Drain{}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		_, _ = w.Write([]byte("the whole answer"))
	}))
	answer := make(chan string, 1)
	go func() {
		resp, err := p.get(t, "/")
		if err != nil {
			answer <- err.Error()
			return
		}
		text, _ := io.ReadAll(resp.Body)
		answer <- string(text)
	}()
	<-entered
	p.stop()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", p.url[len("http://"):])
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, testwait.Limit, time.Millisecond, "nobody else is let in")
	close(leave)
	require.Equal(t, "the whole answer", <-answer)
	p.gone(t)
}

func TestAStreamEndsFirstAndHoldsUpNothing(t *testing.T) {
	w := newWorld(t)
	w.server.Health.Drain = &api.Drain{Delay: forLong}
	p := serving(t, w.server.Health.Drain, w.server.Handler())
	r := w.broken(t)
	w.probed(t, r.ID, 0, 0, 0, 0)
	path := "/api/chaos/runs/" + r.ID + "/events"
	s := openStream(t, p.url+path, nil)
	for s.next(t).id != "1" { // all that is known
	}

	p.stop()
	rest, err := io.ReadAll(s.response.Body)
	require.NoError(t, err, "it ends as it should")
	require.Contains(t, string(rest), "retry: 1000")
	require.Equal(t, http.StatusServiceUnavailable, p.status(t, "/healthz"), "others are still answered")

	w.probed(t, r.ID, 1, 2, 0)
	w.server.Health.Drain = &api.Drain{}
	other := serving(t, w.server.Health.Drain, w.handler) // another process has the same books
	s = openStream(t, other.url+path, map[string]string{"Last-Event-ID": "1"})
	require.Equal(t, "event", s.next(t).name)
	require.Equal(t, "2", s.next(t).id, "nothing is missed, and nothing told twice")
	other.stop()
	_, err = io.ReadAll(s.response.Body)
	require.NoError(t, err, "it ends as it should, and is not cut off by a server that has waited for it")
	other.gone(t)
}

// replica is one of several servers behind the proxy. It repeats what it is told, after a moment,
// and says who it is. When it stops, it stays until it is told that the proxy has noticed.
func (w *world) replica(t *testing.T, address string, noticed <-chan struct{}) *parting {
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
	if resp.StatusCode != ok || string(heard) != said {
		return "", fmt.Errorf("%s: %d %s", method, resp.StatusCode, heard)
	}
	return resp.Header.Get("X-Replica"), nil
}

// Replicas are restarted one after the other, as an upgrade does it, and nobody notices.
func TestRestartsBehindTheProxyLoseNoRequest(t *testing.T) {
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
