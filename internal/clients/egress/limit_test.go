package egress

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

const (
	kilo = 1 << 10
	mega = 1 << 20
)

// pours sends size bytes without a Content-Length.
func pours(size int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		part := make([]byte, kilo)
		for left := size; left > 0; left -= len(part) {
			if _, err := w.Write(part[:min(left, len(part))]); err != nil {
				return
			}
		}
	}
}

// read returns the number of bytes received and the error that ended the response.
func read(t *testing.T, client *http.Client, address string) (int, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, response.Body)
	return int(n), errors.Join(err, response.Body.Close())
}

// bounded returns a client, its proxy and the URL of a site that sends size bytes.
func bounded(t *testing.T, size int, o Options) (*http.Client, *Proxy, string) {
	t.Helper()
	site, _ := serve(t, pours(size))
	o.Sites = []Site{{Origin: site.URL}}
	guard, _ := newGuard(t, o)
	proxy := open(t, guard)
	return through(t, proxy), proxy, site.URL
}

// Proves: V15.2.2
func TestAResponseIsCutWhereItIsTooLong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		size, most int
		limits     Options
		cut        bool
	}{
		"much too long":        {500 * mega, mega, Options{MaxResponse: mega}, true},
		"as long as it may be": {mega, mega, Options{MaxResponse: mega}, false},
		"longer than is usual": {20*mega + 1, 20 * mega, Options{}, true},
	} {
		client, proxy, address := bounded(t, tt.size, tt.limits)
		n, err := read(t, client, address)
		require.Equal(t, tt.cut, err != nil, name)
		require.Equal(t, tt.cut, proxy.Over(), name)
		require.LessOrEqual(t, n, tt.most, name)
		require.Greater(t, n, tt.most/2, name)
		require.Less(t, proxy.Bytes(), int64(2*tt.most), name)
		for range 2 { // each response has the whole limit
			if again, err := read(t, client, address); !tt.cut {
				require.NoError(t, err, name)
				require.Equal(t, []int{tt.size, tt.size}, []int{n, again}, name)
			}
		}
	}
}

// Proves: V15.2.2
func TestManyResponsesAreCutWhereTheyAreTooMuch(t *testing.T) {
	t.Parallel()
	client, proxy, address := bounded(t, mega, Options{MaxTotal: 5*mega + mega/2})
	for range 5 {
		_, err := read(t, client, address)
		require.NoError(t, err)
	}
	require.False(t, proxy.Over())
	var received int64
	for range 3 { // no further request reaches the site
		_, err := read(t, client, address)
		require.Error(t, err)
		require.True(t, proxy.Over())
		require.True(t, received == 0 || received == proxy.Bytes())
		received = proxy.Bytes()
	}
	require.Less(t, received, int64(6*mega))
}

// Proves: V15.2.2
func TestATunnelIsCutWhereItIsTooMuch(t *testing.T) {
	t.Parallel()
	client, proxy := secure(t, pours(500*mega), Options{MaxTotal: mega})
	n, err := read(t, client, "https://example.com/")
	require.Error(t, err)
	require.LessOrEqual(t, n, mega)
	require.True(t, proxy.Over())
	require.Less(t, proxy.Bytes(), int64(2*mega))
	_, err = read(t, client, "https://example.com/")
	require.Error(t, err)
}

// TestACutTunnelEndsForWhoOnlyListens uses a client that sends nothing more, so that only the proxy can end it.
func TestACutTunnelEndsForWhoOnlyListens(t *testing.T) {
	t.Parallel()
	proxy := tunneled(t, Options{MaxTotal: mega}, pours(10*mega))
	_, reader := send(t, proxy, "CONNECT example.com:443 HTTP/1.1", "Host: x", "", "GET / HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, readResponse(t, reader, http.MethodConnect).StatusCode)
	n, err := io.Copy(io.Discard, reader)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	require.LessOrEqual(t, n, int64(mega))
	require.True(t, proxy.Over())
}

// TestAClosedGateLeavesNothingBehind is not parallel because it counts all goroutines.
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
	guard, _ := newGuard(t, Options{Sites: []Site{{Origin: site.URL}, {Origin: "https://example.com", Dial: site.Listener.Addr().String()}}})
	require.NoError(t, first.Close())
	before := runtime.NumGoroutine()
	for range 5 {
		proxy, err := guard.Open()
		require.NoError(t, err)
		useAll(t, proxy, site.URL)
		require.Greater(t, runtime.NumGoroutine(), before+8)
		var closing sync.WaitGroup
		for range 3 {
			closing.Go(func() { _ = proxy.Close() })
		}
		closing.Wait()
		_, err = (&net.Dialer{}).DialContext(t.Context(), "tcp", proxy.Addr())
		require.Error(t, err)
	}
	site.CloseClientConnections()
	// Eventually starts one goroutine; five leaking proxies would leave at least five.
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+1 }, testwait.Limit, 5*time.Millisecond)
}

// useAll leaves a proxy with one open connection of each kind.
func useAll(t *testing.T, proxy *Proxy, address string) {
	t.Helper()
	_, kept := send(t, proxy, "GET "+address+"/ HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, readResponse(t, kept, http.MethodGet).StatusCode)
	_, streamed := send(t, proxy, "GET "+address+"/forever HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, readResponse(t, streamed, http.MethodGet).StatusCode)
	_, socket := send(t, proxy, "GET "+address+"/socket HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: websocket")
	require.Equal(t, http.StatusSwitchingProtocols, readResponse(t, socket, http.MethodGet).StatusCode)
	_, tunnel := send(t, proxy, "CONNECT example.com:443 HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, readResponse(t, tunnel, http.MethodConnect).StatusCode)
	send(t, proxy, "GET "+address+"/silent HTTP/1.1", "Host: x")
	send(t, proxy, "GET "+address+"/half") // of a header
}

func TestABrokenEndBreaksTheOther(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	proxy := tunneled(t, Options{MaxTotal: 1 << 40}, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		for r.Context().Err() == nil {
			_, _ = w.Write(make([]byte, kilo))
		}
	})
	conn, reader := send(t, proxy, "CONNECT example.com:443 HTTP/1.1", "Host: x", "", "GET / HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, readResponse(t, reader, http.MethodConnect).StatusCode)
	_, err := reader.ReadByte()
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	select {
	case <-ended:
	case <-time.After(testwait.Limit):
		t.Fatal("the site is still sending")
	}
}
