package api_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/platform/testwait"
)

// testServer is a server that a test can stop.
type testServer struct {
	url   string
	stop  context.CancelFunc
	ended chan error
}

func serving(t *testing.T, drain *api.Drain, handler http.Handler) *testServer {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(func() {
		stop()
		_ = listener.Close() // whatever its delay is
	})
	p := &testServer{url: "http://" + listener.Addr().String(), stop: stop, ended: make(chan error, 1)}
	go func() { p.ended <- drain.Serve(ctx, api.HTTPServer(handler, nil), listener) }()
	return p
}

// get sends a request on a new connection.
func (p *testServer) get(t *testing.T, path string) (*http.Response, error) {
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

func (p *testServer) status(t *testing.T, path string) int {
	return must(p.get(t, path))(t).StatusCode
}

func (p *testServer) awaitEnd(t *testing.T) {
	select {
	case err := <-p.ended:
		require.NoError(t, err)
	case <-time.After(testwait.Limit):
		require.Fail(t, "the server did not stop")
	}
}

// forLong is a delay that outlasts the test.
const forLong = 10 * testwait.Limit

func TestADrainingServerReportsNotReadyAndKeepsServing(t *testing.T) {
	w := newWorld(t)
	w.server.Health.Drain = &api.Drain{Delay: forLong}
	p := serving(t, w.server.Health.Drain, w.server.Handler())
	require.Equal(t, ok, p.status(t, "/readyz"))

	p.stop()
	require.Eventually(t, func() bool { return w.server.Health.Drain.Begun() }, testwait.Limit, time.Millisecond)
	resp := must(p.get(t, "/readyz"))(t)
	require.Equal(t, http.StatusServiceUnavailable, resp.StatusCode)
	require.Contains(t, string(must(io.ReadAll(resp.Body))(t)), "draining")
	require.Equal(t, http.StatusServiceUnavailable, p.status(t, "/healthz"), "the reverse proxy checks this")
	require.Equal(t, ok, p.status(t, "/api/bot-posts"), "new requests are still served")
}

func TestAServerStopsAfterItsDelay(t *testing.T) {
	t.Parallel()
	const delay = 100 * time.Millisecond
	p := serving(t, &api.Drain{Delay: delay}, http.NotFoundHandler())
	begin := time.Now()
	p.stop()
	p.awaitEnd(t)
	require.GreaterOrEqual(t, time.Since(begin), delay)
	_, err := p.get(t, "/healthz")
	require.ErrorContains(t, err, "refused")
}

func TestADrainingServerKeepsIdleConnections(t *testing.T) {
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
	require.True(t, ask().Close, "on the idle connection, which stayed open")
}

func TestOpenRequestsFinish(t *testing.T) {
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
	}, testwait.Limit, time.Millisecond, "the listener is closed")
	close(leave)
	require.Equal(t, "the whole answer", <-answer)
	p.awaitEnd(t)
}

func TestAStreamEndsWhenDrainingBegins(t *testing.T) {
	w := newWorld(t)
	w.server.Health.Drain = &api.Drain{Delay: forLong}
	p := serving(t, w.server.Health.Drain, w.server.Handler())
	r := w.broken(t)
	w.probed(t, r.ID, 0, 0, 0, 0)
	path := "/api/chaos/runs/" + r.ID + "/events"
	s := openStream(t, p.url+path, nil)
	for event := s.next(t); event.id != "1"; event = s.next(t) { // all stored events
		require.NotEmpty(t, event.name)
	}

	p.stop()
	rest, err := io.ReadAll(s.response.Body)
	require.NoError(t, err, "the stream ends without an error")
	require.Contains(t, string(rest), "retry: 1000")
	require.Equal(t, http.StatusServiceUnavailable, p.status(t, "/healthz"), "other requests are still served")

	w.probed(t, r.ID, 1, 2, 0)
	w.server.Health.Drain = &api.Drain{}
	other := serving(t, w.server.Health.Drain, w.handler) // another process with the same store
	s = openStream(t, other.url+path, map[string]string{"Last-Event-ID": "1"})
	require.Equal(t, "event", s.next(t).name)
	require.Equal(t, "2", s.next(t).id, "no event is missed or repeated")
	other.stop()
	_, err = io.ReadAll(s.response.Body)
	require.NoError(t, err, "the stream ends before the server cuts it off")
	other.awaitEnd(t)
}
