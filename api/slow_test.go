package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/platform/testwait"
)

// patientFor starts a server with the product's timeouts set to another duration.
func (w *world) patientFor(t *testing.T, limit time.Duration) string {
	server := httptest.NewUnstartedServer(w.handler)
	server.Config = api.HTTPServer(w.handler, nil)
	for _, bound := range []*time.Duration{
		&server.Config.ReadHeaderTimeout, &server.Config.ReadTimeout, &server.Config.WriteTimeout, &server.Config.IdleTimeout,
	} {
		require.Positive(t, *bound, "the server has no timeout")
		require.LessOrEqual(t, *bound, time.Minute, "the product's timeout")
		*bound = limit
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// slowly sends data in small pieces and returns a channel that closes when the server disconnects.
func slowly(t *testing.T, address, first, rest string) <-chan struct{} {
	conn := must(net.Dial("tcp", address))(t)
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(1 << 12)
	must(io.WriteString(conn, first))(t)
	over := make(chan struct{})
	go func() {
		defer close(over)
		pause := time.NewTicker(200 * time.Millisecond)
		defer pause.Stop()
		for {
			<-pause.C
			if _, err := io.WriteString(conn, rest); err != nil {
				return
			}
		}
	}()
	return over
}

// silently sends nothing and returns a channel that closes when the server disconnects.
func silently(t *testing.T, address string) <-chan struct{} {
	conn := must(net.Dial("tcp", address))(t)
	t.Cleanup(func() { _ = conn.Close() })
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(io.Discard, conn)
	}()
	return over
}

// crowd connects many clients that are slow in every way. Huma disconnects those with a slow body after 5 seconds, the
// server's timeouts the others.
func crowd(t *testing.T, address string) (bodies, others []<-chan struct{}) {
	head := "POST /api/client-errors HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	for range 50 {
		bodies = append(bodies,
			slowly(t, address, head+"Content-Length: 1000\r\n\r\n{", " "),
			slowly(t, address, head+"Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"),
		)
		others = append(others,
			slowly(t, address, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", "a"),
			slowly(t, address, strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 60), "\r\n"), // reads nothing
			silently(t, address),
		)
	}
	return bodies, others
}

// Proves: F30, S-size
func TestSlowClientsAreLetGoAndHoldUpNobody(t *testing.T) {
	bodies, others := crowd(t, newWorld(t).patientFor(t, time.Second))
	for _, gone := range append(bodies, others...) {
		select {
		case <-gone:
		case <-time.After(testwait.Limit):
			require.Fail(t, "a slow client is still connected")
		}
	}

	address := newWorld(t).patientFor(t, 10*testwait.Limit)
	_, others = crowd(t, address) // these stay connected
	client := &http.Client{Transport: &http.Transport{}, Timeout: testwait.Limit}
	for range 50 {
		resp := must(client.Get("http://" + address + "/api/bot-posts"))(t)
		must(io.Copy(io.Discard, resp.Body))(t)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, ok, resp.StatusCode)
	}
	for _, gone := range others {
		select {
		case <-gone:
			require.Fail(t, "a slow client was disconnected too early")
		default:
		}
	}
}

// converse sends a raw request with a body of zero bytes, until the server stops reading.
func converse(t *testing.T, address, head string, body int) (status, sent int) {
	conn := must(net.Dial("tcp", address))(t)
	defer func() { _ = conn.Close() }()
	must(io.WriteString(conn, head))(t)
	part, written := make([]byte, 64<<10), make(chan int, 1)
	go func() {
		n := 0
		for n < body {
			more, err := conn.Write(part)
			n += more
			if err != nil {
				break
			}
		}
		written <- n
	}()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(testwait.Limit)))
	answer := must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	_ = conn.Close()
	return answer.StatusCode, <-written
}

// Proves: F29, S-size
func TestTooMuchIsRefusedBeforeItIsRead(t *testing.T) {
	w := newWorld(t)
	address := w.patientFor(t, testwait.Limit)
	long := "GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat("a", 40<<10) + "\r\n\r\n"
	status, _ := converse(t, address, long, 0)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, status)

	const huge = 100 << 20
	for what, length := range map[string]string{
		"as it says": fmt.Sprint("Content-Length: ", huge), "as it does not say": "Transfer-Encoding: chunked",
	} {
		for _, path := range []string{"/api/client-errors", "/api/posts/import", "/webhooks/stripe", "/api/posts"} {
			first := ""
			if strings.HasPrefix(length, "Transfer") {
				first = "6400000\r\n" // one chunk of a hundred million bytes
			}
			status, sent := converse(t, address, "POST "+path+" HTTP/1.1\r\nHost: x\r\nX-Admin-Key: "+key+
				"\r\nContent-Type: application/json\r\n"+length+"\r\n\r\n"+first, huge)
			require.Equal(t, http.StatusRequestEntityTooLarge, status, "%s, %s", path, what)
			require.Less(t, sent, 16<<20, "%s, %s: only buffered data", path, what)
		}
	}
}

// endless is an infinite body that counts the bytes read.
type endless struct{ read int }

func (e *endless) Read(part []byte) (int, error) {
	e.read += len(part)
	return len(part), nil
}

// Proves: F29, S-size
func TestNoRouteReadsMoreThanItsLimit(t *testing.T) {
	t.Parallel()
	c := &cast{}
	for route := range answers {
		method, path, _ := strings.Cut(route, " ")
		if method == http.MethodGet || strings.HasPrefix(path, "/sandbox/") { // reachable from this machine only
			continue
		}
		w := c.on(t)
		asked := w.callTo(route, "x", c.ids, "", "", key)
		req := w.request(t, asked)
		body := &endless{}
		req.Body, req.ContentLength = io.NopCloser(body), -1
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, req)
		if rec.Code < http.StatusBadRequest {
			c.world = nil // a route without a body changed it
		}
		limit := 128 << 10
		if strings.HasSuffix(path, "/import") {
			limit = 2 << 20
		}
		require.Less(t, body.read, limit, route)
	}
}

func TestTheContractIsReadConcurrently(t *testing.T) {
	w := newWorld(t)
	var readers sync.WaitGroup
	for range 4 {
		for _, form := range []string{".json", ".yaml", "-3.0.json", "-3.0.yaml"} {
			readers.Go(func() {
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/openapi"+form, http.NoBody))
				if rec.Code != ok || !strings.Contains(rec.Body.String(), "/api/bot-posts") {
					t.Errorf("%s: %d", form, rec.Code)
				}
			})
		}
	}
	readers.Wait()
}
