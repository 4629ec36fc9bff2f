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

// inside are answers with which a name would lead into our network.
var inside = []string{
	"127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.0.1", "192.168.1.1", "100.64.0.1", "100.100.100.200",
	"169.254.169.254", "169.254.0.1", "192.0.0.192", "168.63.129.16", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
	"224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
	"::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::",
	"fd00::1", "fd00:ec2::254", "fc00::1", "fe80::1", "fe80::1%lo", "fec0::1", "ff02::1", "2001:db8::1", "2606:4700::1%lo", "100::1", "none",
}

// named is a gate of one site that has a name, http, and one that is https.
func named(t *testing.T, answers ...[]string) (*Gate, *names, *dials) {
	t.Helper()
	resolver := &names{answers: map[string][][]string{"own.example": answers, "secure.example": answers}}
	guard, outside := newGuard(t, Options{Sites: []Site{{Origin: "http://own.example"}, {Origin: "https://secure.example"}}, Resolver: resolver})
	return open(t, guard), resolver, outside
}

// ways are how a site with a name is asked for.
var ways = map[string]func(*testing.T, *Gate) error{
	"in the open": func(t *testing.T, gate *Gate) error {
		_, reader := say(t, gate, "GET http://own.example/ HTTP/1.1", "Host: own.example")
		return errorOf(answer(t, reader, http.MethodGet))
	},
	"in a tunnel": func(t *testing.T, gate *Gate) error {
		_, reader := say(t, gate, "CONNECT secure.example:443 HTTP/1.1", "Host: secure.example:443")
		return errorOf(answer(t, reader, http.MethodConnect))
	},
	"by ourselves": func(t *testing.T, gate *Gate) error {
		_, err := gate.guard.DialContext(t.Context(), "tcp", "own.example:80")
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
		for way, ask := range ways {
			gate, resolver, outside := named(t, []string{"1.1.1.1", address, "2606:4700::1"})
			require.ErrorIs(t, ask(t, gate), ErrRefused, "%s %s", address, way)
			require.Empty(t, outside.list())
			require.Equal(t, 1, resolver.lookups())
			if way == "in the open" {
				require.Equal(t, []string{"own.example:80: " + notPublic}, gate.Refused())
			}
			require.NoError(t, gate.Close())
		}
		gate, _, outside := named(t, []string{address})
		require.ErrorIs(t, ways["by ourselves"](t, gate), ErrRefused, address)
		require.Empty(t, outside.list())
	}
}

// Proves: F23, V13.2.4
func TestANameIsResolvedOnceAndWhatWasLookedAtIsDialled(t *testing.T) {
	t.Parallel()
	ports := map[string]string{"in the open": "80", "in a tunnel": "443", "by ourselves": "80"}
	for way, ask := range ways {
		gate, resolver, outside := named(t, []string{"1.1.1.1", "2606:4700::1", "::ffff:8.8.8.8"}, []string{"127.0.0.1"})
		require.ErrorIs(t, ask(t, gate), errNoInternet, way)
		require.Equal(t, 1, resolver.lookups(), way)
		require.Equal(t, []string{"1.1.1.1:" + ports[way], "[2606:4700::1]:" + ports[way], "8.8.8.8:" + ports[way]}, outside.list())
		require.Empty(t, gate.Refused())

		require.ErrorIs(t, ask(t, gate), ErrRefused, "the name leads inside by now")
		require.Len(t, outside.list(), 3)
	}
}

func TestANameWithoutAddressesCannotBeReached(t *testing.T) {
	t.Parallel()
	for way, ask := range ways {
		for _, answers := range [][][]string{{{}}, nil} { // none, and an error
			gate, _, outside := named(t, answers...)
			err := ask(t, gate)
			require.Error(t, err, way)
			require.NotErrorIs(t, err, ErrRefused, way)
			require.Empty(t, outside.list())
			require.Empty(t, gate.Refused())
		}
	}
}

// slow never answers. When it has ended, it returns why.
type slow struct {
	asked, ended chan struct{}
	end          *error
}

func newSlow() slow { return slow{make(chan struct{}), make(chan struct{}), new(error)} }

func (s slow) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	close(s.asked)
	<-ctx.Done()
	for range 1000 {
		runtime.Gosched() // time enough for a Close that does not wait
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
		gate := open(t, guard)
		say(t, gate, first, "Host: own.example")
		<-resolver.asked
		require.NoError(t, gate.Close())
		if strings.HasPrefix(first, "GET") {
			<-resolver.ended // the transport's, which nobody can wait for
		}
		select {
		case <-resolver.ended:
		default:
			t.Fatal("a tunnel is still being opened")
		}
		require.ErrorIs(t, *resolver.end, context.Canceled, "the lookup's own time was not over")
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
		{Origin: "http://localhost:81", Dial: "cell:8080"}:         {"cell:8080"},
	} {
		resolver := &names{}
		guard, outside := newGuard(t, Options{Sites: []Site{site}, Resolver: resolver})
		own := &dials{}
		guard.dialOwn = own.DialContext
		s, err := parseSite(site)
		require.NoError(t, err)
		_, err = guard.DialContext(t.Context(), "tcp", s.target)
		require.ErrorIs(t, err, errNoInternet)
		require.Equal(t, dialled, own.list())
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
		{{Origin: plain, Dial: "cell"}},
		{{Origin: plain, Dial: ":80"}},
		{{Origin: plain, Dial: "cell:"}},
		{{Origin: plain, Dial: "cell:http"}},
		{{Origin: plain, Dial: "cell:0"}},
		{{Origin: plain, Dial: "http://cell:80"}},
		{{Origin: plain, Dial: "::1:80"}},
		{{Origin: plain}, {Origin: "https://example.com:80"}},
		{{Origin: plain}, {Origin: plain, Dial: "127.0.0.1:1"}}, // two at one address
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
		"http://localhost:5173": "localhost:5173", "http://cell_1.internal": "cell_1.internal:80",
		"https://xn--bcher-kva.example": "xn--bcher-kva.example:443", "https://4chan.example": "4chan.example:443",
	} {
		guard, err := New(Options{Sites: []Site{{Origin: origin}, {Origin: origin}}})
		require.NoError(t, err, origin)
		require.Contains(t, guard.sites, target)
	}
}

// A site that is understood has one spelling: what is sent, what is dialled and what a browser makes
// of it are the same host and port.
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
		require.True(t, writtenPlainly(s.host) && validPort(s.port))
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
			require.Equal(t, addr.Unmap(), addr, "an address of the old kind has one form")
		}
		require.True(t, ascii(s.host))
	})
}

// However a request is written, what is let through is one of the sites, by its one name.
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
		s, no := guard.meant(r)
		if no != nil {
			require.NotEmpty(t, no.Error())
			return
		}
		require.Contains(t, []string{"example.com:80", "docs.example.com:443", "127.0.0.1:8080"}, s.target)
		require.Equal(t, s.target, strings.ToLower(target(r)))
		require.Nil(t, r.URL.User)
		require.Equal(t, s.scheme == "https", r.Method == http.MethodConnect)
	})
}
