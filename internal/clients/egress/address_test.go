package egress

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const notPublic = "resolves to an address that is not public"

// inside lists resolver answers that would lead into our network.
var inside = []string{
	"127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.0.1", "192.168.1.1", "100.64.0.1", "100.100.100.200",
	"169.254.169.254", "169.254.0.1", "192.0.0.192", "168.63.129.16", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
	"224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
	"::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::",
	"fd00::1", "fd00:ec2::254", "fc00::1", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "2001:db8::1", "2606:4700::1%lo", "100::1", "none",
}

// named returns a proxy for a named http site and a named https site.
func named(t *testing.T, answers ...[]string) (*Proxy, *names, *dials) {
	t.Helper()
	resolver := &names{answers: map[string][][]string{"own.example": answers, "secure.example": answers}}
	guard, outside := newGuard(t, Options{Sites: []Site{{Origin: "http://own.example"}, {Origin: "https://secure.example"}}, Resolver: resolver})
	return open(t, guard), resolver, outside
}

// ways request a named site.
var ways = map[string]func(*testing.T, *Proxy) error{
	"http": func(t *testing.T, proxy *Proxy) error {
		_, reader := send(t, proxy, "GET http://own.example/ HTTP/1.1", "Host: own.example")
		return errorOf(readResponse(t, reader, http.MethodGet))
	},
	"tunnel": func(t *testing.T, proxy *Proxy) error {
		_, reader := send(t, proxy, "CONNECT secure.example:443 HTTP/1.1", "Host: secure.example:443")
		return errorOf(readResponse(t, reader, http.MethodConnect))
	},
	"own client": func(t *testing.T, proxy *Proxy) error {
		_, err := proxy.guard.DialContext(t.Context(), "tcp", "own.example:80")
		return err
	},
}

func errorOf(response *http.Response) error {
	switch response.StatusCode {
	case http.StatusForbidden:
		return ErrRefused
	case http.StatusBadGateway:
		return errNoInternet
	}
	return nil
}

// Proves: F23, V13.2.4
func TestANameThatLeadsInsideIsRefusedBeforeAnythingIsDialled(t *testing.T) {
	t.Parallel()
	for _, address := range inside {
		for way, request := range ways {
			proxy, resolver, outside := named(t, []string{"1.1.1.1", address, "2606:4700::1"})
			require.ErrorIs(t, request(t, proxy), ErrRefused, "%s %s", address, way)
			require.Empty(t, outside.list())
			require.Equal(t, 1, resolver.lookups())
			if way == "http" {
				require.Equal(t, []string{"own.example:80: " + notPublic}, proxy.Refused())
			}
			require.NoError(t, proxy.Close())
		}
		proxy, _, outside := named(t, []string{address})
		require.ErrorIs(t, ways["own client"](t, proxy), ErrRefused, address)
		require.Empty(t, outside.list())
	}
}

// Proves: F23, V13.2.4
func TestANameIsResolvedOnceAndWhatWasLookedAtIsDialled(t *testing.T) {
	t.Parallel()
	ports := map[string]string{"http": "80", "tunnel": "443", "own client": "80"}
	for way, request := range ways {
		proxy, resolver, outside := named(t, []string{"1.1.1.1", "2606:4700::1", "::ffff:8.8.8.8"}, []string{"127.0.0.1"})
		require.ErrorIs(t, request(t, proxy), errNoInternet, way)
		require.Equal(t, 1, resolver.lookups(), way)
		require.Equal(t, []string{"1.1.1.1:" + ports[way], "[2606:4700::1]:" + ports[way], "8.8.8.8:" + ports[way]}, outside.list())
		require.Empty(t, proxy.Refused())

		require.ErrorIs(t, request(t, proxy), ErrRefused, "the second answer is inside")
		require.Len(t, outside.list(), 3)
	}
}

func TestANameWithoutAddressesCannotBeReached(t *testing.T) {
	t.Parallel()
	for way, request := range ways {
		for _, answers := range [][][]string{{{}}, nil} { // none, and an error
			proxy, _, outside := named(t, answers...)
			err := request(t, proxy)
			require.Error(t, err, way)
			require.NotErrorIs(t, err, ErrRefused, way)
			require.Empty(t, outside.list())
			require.Empty(t, proxy.Refused())
		}
	}
}

// slow is a resolver that waits until its context ends and stores the context's error in end.
type slow struct {
	called, ended chan struct{}
	end           *error
}

func newSlow() slow { return slow{make(chan struct{}), make(chan struct{}), new(error)} }

func (s slow) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	close(s.called)
	<-ctx.Done()
	for range 1000 {
		runtime.Gosched() // gives a Close that does not wait the time to return
	}
	*s.end = ctx.Err()
	close(s.ended)
	return nil, ctx.Err()
}

func TestASlowResolverHoldsNobodyWhoDoesNotWait(t *testing.T) {
	t.Parallel()
	guard, outside := newGuard(t, Options{Sites: []Site{{Origin: "https://secure.example"}}, Resolver: newSlow()})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := guard.DialContext(ctx, "tcp", "secure.example:443")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Empty(t, outside.list())
}

func TestClosingAGateEndsALookup(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"GET http://own.example/ HTTP/1.1", "CONNECT secure.example:443 HTTP/1.1"} {
		resolver := newSlow()
		guard, outside := newGuard(t, Options{Sites: []Site{{Origin: "http://own.example"}, {Origin: "https://secure.example"}}, Resolver: resolver})
		proxy := open(t, guard)
		send(t, proxy, first, "Host: own.example")
		<-resolver.called
		require.NoError(t, proxy.Close())
		if strings.HasPrefix(first, "GET") {
			<-resolver.ended // Close cannot wait for the transport
		}
		select {
		case <-resolver.ended:
		default:
			t.Fatal("the tunnel is still being opened")
		}
		require.ErrorIs(t, *resolver.end, context.Canceled)
		require.Empty(t, outside.list())
	}
}

// Proves: F23, V13.2.4
func TestTheDialerOfTheInternetRefusesInsideByItself(t *testing.T) {
	t.Parallel()
	caught := []*trap{newTrap(t, "127.0.0.1:0"), newTrap(t, "[::1]:0")}
	for _, one := range caught {
		_, err := publicDialer().DialContext(t.Context(), "tcp", one.Addr().String())
		require.ErrorContains(t, err, "prohibited")
		require.Zero(t, one.visits.Load())
	}
}

func TestASiteThatWasPlacedIsDialledThereAndNotLookedUp(t *testing.T) {
	t.Parallel()
	for site, dialled := range map[Site][]string{
		{Origin: "http://127.0.0.1:81"}:                            {"127.0.0.1:81"},
		{Origin: "http://[::1]:81"}:                                {"[::1]:81"},
		{Origin: "http://10.1.2.3:81"}:                             {"10.1.2.3:81"},
		{Origin: "http://LOCALHOST:81"}:                            {"127.0.0.1:81", "[::1]:81"},
		{Origin: "http://named.example:81", Dial: "10.0.0.1:8080"}: {"10.0.0.1:8080"},
		{Origin: "http://localhost:81", Dial: "target:8080"}:       {"target:8080"},
	} {
		resolver := &names{}
		guard, outside := newGuard(t, Options{Sites: []Site{site}, Resolver: resolver})
		placed := &dials{}
		guard.dialPlaced = placed.DialContext
		s, err := parseSite(site)
		require.NoError(t, err)
		_, err = guard.DialContext(t.Context(), "tcp", s.target)
		require.ErrorIs(t, err, errNoInternet)
		require.Equal(t, dialled, placed.list())
		require.Zero(t, resolver.lookups())
		require.Empty(t, outside.list())
	}
}

// Proves: V13.2.4
func TestOnlyTCPIsDialled(t *testing.T) {
	t.Parallel()
	caught := newTrap(t, "127.0.0.1:0")
	guard, _ := newGuard(t, Options{Sites: []Site{{Origin: "http://" + caught.Addr().String()}}})
	for _, network := range []string{"udp", "unix", "ip", ""} {
		_, err := guard.DialContext(t.Context(), network, caught.Addr().String())
		require.ErrorIs(t, err, ErrRefused, network)
	}
	require.Zero(t, caught.visits.Load())
}

// Proves: V13.2.4
func TestASiteIsWrittenAsABrowserWouldWriteIt(t *testing.T) {
	t.Parallel()
	const plain = "http://example.com"
	for _, sites := range [][]Site{
		{{Origin: plain, Dial: "target"}},
		{{Origin: plain, Dial: ":80"}},
		{{Origin: plain, Dial: "target:"}},
		{{Origin: plain, Dial: "target:http"}},
		{{Origin: plain, Dial: "target:0"}},
		{{Origin: plain, Dial: "http://target:80"}},
		{{Origin: plain, Dial: "::1:80"}},
		{{Origin: plain}, {Origin: "https://example.com:80"}},
		{{Origin: plain}, {Origin: plain, Dial: "127.0.0.1:1"}}, // one address, two sites
	} {
		_, err := New(Options{Sites: sites})
		require.Error(t, err, sites)
	}
	for _, origin := range []string{
		"", "example.com", "example.com:80", "//example.com", "ftp://example.com", "ws://example.com", "file:///etc", "http:",
		"http://", "http://:80", "http://example.com/path", "http://example.com//", "http://example.com?x", "http://example.com/?",
		"http://user@example.com", "http://user:secret@example.com", "http://example.com:0", "http://example.com:080",
		"http://example.com:65536", "http://exämple.com", "http://１２７.0.0.1", "http://example.com.evil\\x", "http://*.example.com",
		"http://2130706433", "http://127.1", "http://0177.0.0.1", "http://0x7f.1", "http://127.0.0.1.", "http://0x7f000001",
		"http://[::ffff:127.0.0.1]", "http://[0:0:0:0:0:0:0:1]", "http://[fe80::1%25lo]", "http://a..b", "http://.a",
	} {
		_, err := New(Options{Sites: []Site{{Origin: origin}}})
		require.Error(t, err, origin)
	}
	for origin, target := range map[string]string{
		"http://example.com": "example.com:80", "HTTPS://Example.COM/": "example.com:443", "http://example.com:80": "example.com:80",
		"http://127.0.0.1:8080": "127.0.0.1:8080", "http://[::1]:8080": "[::1]:8080", "https://[2a00::1]": "[2a00::1]:443",
		"http://localhost:5173": "localhost:5173", "http://target_1.internal": "target_1.internal:80",
		"https://xn--bcher-kva.example": "xn--bcher-kva.example:443", "https://4chan.example": "4chan.example:443",
	} {
		guard, err := New(Options{Sites: []Site{{Origin: origin}, {Origin: origin}}})
		require.NoError(t, err, origin)
		require.Contains(t, guard.sites, target)
	}
}

// FuzzParseSite checks that a parsed site has one spelling, so that the proxy, the dialer and a browser use the
// same host and port.
func FuzzParseSite(f *testing.F) {
	for _, origin := range []string{
		"https://example.com", "http://localhost:8080", "http://[::1]:9", "https://EXAMPLE.com/", "http://0177.0.0.1", "http://127.1", "http://0x7f.1", "http://1.2.3.4.", "http://[::ffff:1.2.3.4]",
		"http://[fe80::1%25eth0]", "https://user:p@example.com", "https://example.com/a", "https://example.com?", "https://example.com#", "ftp://example.com", "//example.com", "", "http://",
		"http://exa mple.com", "http://example.com:0", "http://example.com:080", "http://example.com:65536", "http://K.example", "http://a..b", "http://\u200bexample.com", "http://example.com:",
	} {
		f.Add(origin, "")
	}
	f.Add("https://example.com", "127.0.0.1:1")
	f.Add("https://example.com", ":1")
	f.Fuzz(func(t *testing.T, origin, dial string) {
		s, err := parseSite(Site{Origin: origin, Dial: dial})
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.True(t, isCanonical(s.host) && validPort(s.port))
		require.Equal(t, strings.ToLower(s.host), s.host)
		host, port, err := net.SplitHostPort(s.target)
		require.NoError(t, err)
		require.Equal(t, s.host, host)
		require.Equal(t, s.port, port)
		u, err := url.Parse(s.scheme + "://" + s.authority)
		require.NoError(t, err)
		require.Equal(t, s.host, u.Hostname())
		again, err := parseSite(Site{Origin: s.scheme + "://" + s.authority, Dial: dial})
		require.NoError(t, err)
		require.Equal(t, s, again)
		if addr, err := netip.ParseAddr(s.host); err == nil {
			require.Equal(t, addr.Unmap(), addr)
		}
		require.True(t, ascii(s.host))
	})
}

// FuzzMeant checks that every allowed request names a configured site.
func FuzzMeant(f *testing.F) {
	for _, request := range []string{
		"GET http://example.com/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", "CONNECT docs.example.com:443 HTTP/1.1\r\nHost: docs.example.com:443\r\n\r\n", "CONNECT docs.example.com HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET http://example.com@evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://u:p@example.com/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: example.com\r\n\r\n",
		"GET http:example.com/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET //example.com/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://EXAMPLE.com:80/%2e%2e HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://example.com:080/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT docs.example.com:443/ HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT //docs.example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://example.com%00.evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET https://docs.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET http://e\u212aample.com/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://[::ffff:127.0.0.1]:8080/ HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		f.Add([]byte(request))
	}
	guard, err := New(Options{Sites: []Site{{Origin: "http://example.com"}, {Origin: "https://docs.example.com"}, {Origin: "http://127.0.0.1:8080"}}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
		if err != nil {
			return
		}
		s, refused := guard.siteOf(r)
		if refused != nil {
			require.NotEmpty(t, refused.Error())
			return
		}
		require.Contains(t, []string{"example.com:80", "docs.example.com:443", "127.0.0.1:8080"}, s.target)
		require.Equal(t, s.target, strings.ToLower(target(r)))
		require.Nil(t, r.URL.User)
		require.Equal(t, s.scheme == "https", r.Method == http.MethodConnect)
	})
}
