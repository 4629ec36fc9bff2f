package egress

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

// Not parallel: it counts the goroutines of everybody.
func TestAClosedGateLeavesNothingBehind(t *testing.T) {
	site, first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/socket":
			echo(w, r)
		case "/forever":
			_, _ = io.WriteString(w, "one\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/silent":
			<-r.Context().Done()
		}
	})
	guard, _ := newGuard(t, Options{Sites: []Site{
		{Origin: site.URL}, {Origin: "https://example.com", Dial: site.Listener.Addr().String()},
	}})
	require.NoError(t, first.Close())
	before := runtime.NumGoroutine()
	for range 5 {
		gate, err := guard.Open()
		require.NoError(t, err)
		useAll(t, gate, site.URL)
		require.Greater(t, runtime.NumGoroutine(), before+8)
		var closing sync.WaitGroup
		for range 3 {
			closing.Go(func() { _ = gate.Close() })
		}
		closing.Wait()
		_, err = (&net.Dialer{}).DialContext(t.Context(), "tcp", gate.Addr())
		require.Error(t, err)
	}
	site.CloseClientConnections()
	// Whoever looks is one himself; five gates would leave five.
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, testwait.Limit, 5*time.Millisecond)
}

// useAll leaves a gate with one connection of each kind open.
func useAll(t *testing.T, gate *Gate, address string) {
	t.Helper()
	_, kept := say(t, gate, "GET "+address+"/ HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, answer(t, kept, http.MethodGet).StatusCode)
	_, streamed := say(t, gate, "GET "+address+"/forever HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, answer(t, streamed, http.MethodGet).StatusCode)
	_, socket := say(t, gate, "GET "+address+"/socket HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: websocket")
	require.Equal(t, http.StatusSwitchingProtocols, answer(t, socket, http.MethodGet).StatusCode)
	_, tunnel := say(t, gate, "CONNECT example.com:443 HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, answer(t, tunnel, http.MethodConnect).StatusCode)
	say(t, gate, "GET "+address+"/silent HTTP/1.1", "Host: x")
	say(t, gate, "GET "+address+"/half") // of a header
}

func TestABrokenEndBreaksTheOther(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	site, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		for r.Context().Err() == nil {
			_, _ = w.Write(make([]byte, kilo))
		}
	})
	guard, _ := newGuard(t, Options{
		Sites: []Site{{Origin: "https://example.com", Dial: site.Listener.Addr().String()}}, MaxTotal: 1 << 40,
	})
	conn, reader := say(t, open(t, guard), "CONNECT example.com:443 HTTP/1.1", "Host: x", "", "GET / HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, answer(t, reader, http.MethodConnect).StatusCode)
	_, err := reader.ReadByte()
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	select {
	case <-ended:
	case <-time.After(testwait.Limit):
		t.Fatal("the site speaks to nobody")
	}
}
