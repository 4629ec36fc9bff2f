package egress

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatASiteSaysComesThroughAsItIs(t *testing.T) {
	t.Parallel()
	site, proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/there":
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("X-Request", r.Method+" "+r.URL.RawQuery+" "+r.Host+" body "+string(body)+".")
			_, _ = io.WriteString(w, "a page")
		case "/moved":
			http.Redirect(w, r, "http://evil.example/", http.StatusFound)
		case "/untyped":
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "<html>")
		default:
			http.NotFound(w, r)
		}
	})
	client := through(t, proxy)

	response, body := get(t, client, site.URL+"/there?a=1;b=%zz")
	require.Equal(t, "a page", body)
	require.Equal(t, "GET a=1;b=%zz "+site.Listener.Addr().String()+" body .", response.Header.Get("X-Request"))

	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site.URL+"/there", strings.NewReader("a form"))
	require.NoError(t, err)
	response, err = client.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Contains(t, response.Header.Get("X-Request"), "body a form.")

	response, _ = get(t, client, site.URL+"/gone")
	require.Equal(t, http.StatusNotFound, response.StatusCode)

	response, _ = get(t, client, site.URL+"/moved")
	require.Equal(t, http.StatusFound, response.StatusCode)
	require.Equal(t, "http://evil.example/", response.Header.Get("Location"))
	require.Empty(t, proxy.Refused(), "the browser follows redirects, not the proxy")

	for range 50 {
		response, _ = get(t, client, site.URL+"/untyped")
		require.NotContains(t, response.Header, "Content-Type")
	}
	require.Positive(t, proxy.Bytes())
	require.False(t, proxy.Over())
}

func TestWhatIsPackedStaysPacked(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	_, _ = io.WriteString(packer, "a page")
	require.NoError(t, packer.Close())
	site, proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
			return
		}
		_, _ = io.WriteString(w, "a page")
	})
	for accept, want := range map[string]string{"": "a page", "Accept-Encoding: gzip, br": packed.String()} {
		_, reader := send(t, proxy, "GET "+site.URL+"/ HTTP/1.1", "Host: x", "Connection: close", accept)
		body, err := io.ReadAll(readResponse(t, reader, http.MethodGet).Body)
		require.NoError(t, err)
		require.Equal(t, want, string(body))
	}
}

func TestNothingOfTheProxyReachesTheSite(t *testing.T) {
	t.Parallel()
	seen := make(chan *http.Request, 1)
	site, proxy := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen <- r })
	_, reader := send(t, proxy, "GET "+site.URL+"/ HTTP/1.1", "Host: evil.example", "Connection: X-Hop, close", "X-Hop: 1",
		"Keep-Alive: 5", "Proxy-Connection: keep-alive", "Proxy-Authorization: Basic eDp5", "TE: gzip", "X-Kept: 1",
		"X-Forwarded-For: 10.0.0.1", "Forwarded: for=10.0.0.1")
	require.Equal(t, http.StatusOK, readResponse(t, reader, http.MethodGet).StatusCode)
	received := <-seen
	require.Equal(t, http.Header{"X-Kept": {"1"}}, received.Header)
	require.Equal(t, site.Listener.Addr().String(), received.Host)
}

func TestAStreamComesAsItIsSaid(t *testing.T) {
	t.Parallel()
	read := make(chan struct{})
	site, proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "8")
		_, _ = io.WriteString(w, "one\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-read:
			_, _ = io.WriteString(w, "two\n")
		case <-r.Context().Done():
		}
	})
	_, reader := send(t, proxy, "GET "+site.URL+"/ HTTP/1.0")
	response := readResponse(t, reader, http.MethodGet)
	first := make([]byte, 4)
	_, err := io.ReadFull(response.Body, first)
	require.NoError(t, err)
	require.Equal(t, "one\n", string(first))
	close(read)
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "two\n", string(rest))
}

func TestHalfAPageIsNotTakenForAWhole(t *testing.T) {
	t.Parallel()
	site, proxy := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half") // in chunks, without a length
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	_, reader := send(t, proxy, "GET "+site.URL+"/ HTTP/1.1", "Host: x")
	body, err := io.ReadAll(readResponse(t, reader, http.MethodGet).Body)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "half", string(body))
}

// echo accepts a WebSocket upgrade and echoes each line until it receives bye.
func echo(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "websocket" {
		http.Error(w, "no upgrade", http.StatusBadRequest)
		return
	}
	conn, both, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	for {
		line, err := both.ReadString('\n')
		if err != nil || line == "bye\n" {
			return
		}
		_, _ = io.WriteString(conn, "echo "+line)
	}
}

func TestAWebSocketSpeaksBothWaysUntilOneEnds(t *testing.T) {
	t.Parallel()
	site, proxy := serve(t, echo)
	conn, reader := send(t, proxy, "GET "+site.URL+"/ HTTP/1.1", "Host: x", "Connection: Upgrade", "Upgrade: websocket")
	require.Equal(t, http.StatusSwitchingProtocols, readResponse(t, reader, http.MethodGet).StatusCode)
	_, err := io.WriteString(conn, "hello\n")
	require.NoError(t, err)
	line, err := reader.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "echo hello\n", line)
	_, err = io.WriteString(conn, "bye\n")
	require.NoError(t, err)
	_, err = reader.ReadString('\n')
	require.ErrorIs(t, err, io.EOF, "the site's close is passed on")
}

// secure returns a client that trusts a TLS site at https://example.com, and its proxy.
func secure(t *testing.T, handler http.HandlerFunc, o Options) (*http.Client, *Proxy) {
	t.Helper()
	site := httptest.NewUnstartedServer(handler)
	site.EnableHTTP2 = true
	site.StartTLS()
	t.Cleanup(site.Close)
	o.Sites = []Site{{Origin: "https://example.com", Dial: site.Listener.Addr().String()}}
	guard, _ := newGuard(t, o)
	proxy := open(t, guard)
	client := through(t, proxy)
	transport, ok := client.Transport.(*http.Transport)
	require.True(t, ok)
	trusted, ok := site.Client().Transport.(*http.Transport)
	require.True(t, ok)
	transport.TLSClientConfig = &tls.Config{RootCAs: trusted.TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS13}
	transport.ForceAttemptHTTP2 = true
	return client, proxy
}

func TestATunnelLeavesTLSAlone(t *testing.T) {
	t.Parallel()
	client, proxy := secure(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto+" "+r.Host) }, Options{})
	response, body := get(t, client, "https://example.com/")
	require.Equal(t, "HTTP/2.0 example.com", body)
	require.Equal(t, "example.com", response.TLS.PeerCertificates[0].DNSNames[0])
	require.Greater(t, proxy.Bytes(), int64(500), "the certificate alone is longer")
	require.Empty(t, proxy.Refused())
}

func TestATunnelForwardsWhatCameTooEarly(t *testing.T) {
	t.Parallel()
	proxy := tunneled(t, Options{}, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "received") })
	conn, reader := send(t, proxy, "CONNECT example.com:443 HTTP/1.1", "Host: x", "", "GET / HTTP/1.0")
	require.Equal(t, http.StatusOK, readResponse(t, reader, http.MethodConnect).StatusCode)
	body, err := io.ReadAll(readResponse(t, reader, http.MethodGet).Body)
	require.NoError(t, err)
	require.Equal(t, "received", string(body))
	_, err = reader.ReadByte()
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, conn.Close())
}

func TestManyAtOnceDoNotMixUp(t *testing.T) {
	t.Parallel()
	site, proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat(r.URL.Path, 500))
	})
	client := through(t, proxy)
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			path := "/" + strings.Repeat("x", i)
			_, body := get(t, client, site.URL+path)
			require.Equal(t, strings.Repeat(path, 500), body)
		})
	}
	all.Wait()
	require.False(t, proxy.Over())
}

// Proves: F23, V15.3.2
func TestOurOwnClientReachesASiteAndNoRedirectLeadsItElsewhere(t *testing.T) {
	t.Parallel()
	caught := newTrap(t, "127.0.0.1:0")
	site, proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "http://"+caught.Addr().String(), http.StatusFound)
		}
	})
	transport := &http.Transport{DialContext: proxy.guard.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	response, _ := get(t, client, site.URL)
	require.Equal(t, http.StatusOK, response.StatusCode)

	_, err := read(t, client, site.URL+"/moved")
	require.ErrorIs(t, err, ErrRefused)
	require.Zero(t, caught.visits.Load())
}

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
	for _, origin := range []string{"https://localhost/", "https://" + address + "/"} {
		_, err := read(t, client, origin)
		require.NoError(t, err, origin)
	}
	_, err = read(t, client, "https://bot.example.com/")
	require.ErrorContains(t, err, "certificate")
}
