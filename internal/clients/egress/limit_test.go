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

// pours sends as much as the path has digits of, without saying how much.
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

// read returns how much came, and how it ended.
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

// bounded is a site that pours, behind a gate with limits.
func bounded(t *testing.T, size int, o Options) (*http.Client, *Gate, string) {
	t.Helper()
	site, _ := serve(t, pours(size))
	o.Sites = []Site{{Origin: site.URL}}
	guard, _ := newGuard(t, o)
	gate := open(t, guard)
	return through(t, gate), gate, site.URL
}

// Proves: V15.2.2
func TestAResponseIsCutWhereItIsTooLong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		size, most int
		limits     Options
		cut        bool // a cut page is not a whole one
	}{
		"much too long":        {500 * mega, mega, Options{MaxResponse: mega}, true},
		"as long as it may be": {mega, mega, Options{MaxResponse: mega}, false},
		"longer than is usual": {20*mega + 1, 20 * mega, Options{}, true},
	} {
		client, gate, address := bounded(t, tt.size, tt.limits)
		n, err := read(t, client, address)
		require.Equal(t, tt.cut, err != nil, name)
		require.Equal(t, tt.cut, gate.Over(), name)
		require.LessOrEqual(t, n, tt.most, name)
		require.Greater(t, n, tt.most/2, name)
		require.Less(t, gate.Bytes(), int64(2*tt.most), name)
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
	client, gate, address := bounded(t, mega, Options{MaxTotal: 5*mega + mega/2})
	for range 5 {
		_, err := read(t, client, address)
		require.NoError(t, err)
	}
	require.False(t, gate.Over())
	var came int64
	for range 3 { // and nothing is asked for any more
		_, err := read(t, client, address)
		require.Error(t, err)
		require.True(t, gate.Over())
		require.True(t, came == 0 || came == gate.Bytes())
		came = gate.Bytes()
	}
	require.Less(t, gate.Bytes(), int64(6*mega))
}

// Proves: V15.2.2
func TestATunnelIsCutWhereItIsTooMuch(t *testing.T) {
	t.Parallel()
	client, gate := secure(t, pours(500*mega), Options{MaxTotal: mega})
	n, err := read(t, client, "https://example.com/")
	require.Error(t, err)
	require.LessOrEqual(t, n, mega)
	require.True(t, gate.Over())
	require.Less(t, gate.Bytes(), int64(2*mega))
	_, err = read(t, client, "https://example.com/")
	require.Error(t, err)
}

func TestACutTunnelEndsForWhoOnlyListens(t *testing.T) {
	t.Parallel()
	site, _ := serve(t, pours(10*mega))
	guard, _ := newGuard(t, Options{Sites: []Site{{Origin: "https://example.com", Dial: site.Listener.Addr().String()}}, MaxTotal: mega})
	gate := open(t, guard)
	_, reader := say(t, gate, "CONNECT example.com:443 HTTP/1.1", "Host: x", "", "GET / HTTP/1.1", "Host: x")
	require.Equal(t, http.StatusOK, answer(t, reader, http.MethodConnect).StatusCode)
	n, err := io.Copy(io.Discard, reader)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	require.LessOrEqual(t, n, int64(mega))
	require.True(t, gate.Over())
}

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
	guard, _ := newGuard(t, Options{Sites: []Site{{Origin: site.URL}, {Origin: "https://example.com", Dial: site.Listener.Addr().String()}}})
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
	guard, _ := newGuard(t, Options{Sites: []Site{{Origin: "https://example.com", Dial: site.Listener.Addr().String()}}, MaxTotal: 1 << 40})
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
