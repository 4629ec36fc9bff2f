package egress

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// forbidden lists hosts that are not configured. PORT is the port of a trap.
var forbidden = []string{
	"127.0.0.1:PORT", "127.0.0.1", "127.0.0.1:", "127.0.0.1:22", "127.0.0.2:PORT", "127.1:PORT", "127.0.1:PORT",
	"2130706433:PORT", "0x7f000001:PORT", "017700000001:PORT", "0177.0.0.1:PORT", "0x7f.1:PORT", "0x7f.0.0.1:PORT",
	"00000177.0.0.1:PORT", "127.0.0.1.:PORT", "127.000.000.001:PORT", "0:PORT", "0.0.0.0:PORT", "0x0:PORT",
	"localhost:PORT", "localhost.:PORT", "LOCALHOST:PORT", "LocalHost:PORT", "x.localhost:PORT", "localhost.localdomain:PORT",
	"ip6-localhost:PORT", "127.0.0.1.nip.io:PORT", "7f000001.nip.io:PORT", "rebind.example:PORT",
	"[::]:PORT", "[::1]:PORT", "[0:0:0:0:0:0:0:1]:PORT", "[0000::0001]:PORT", "[::1%25lo]:PORT", "[fe80::1%25lo]:PORT",
	"[::ffff:127.0.0.1]:PORT", "[::ffff:7f00:1]:PORT", "[::127.0.0.1]:PORT", "[64:ff9b::7f00:1]:PORT",
	"[64:ff9b::127.0.0.1]:PORT", "[64:ff9b:1::7f00:1]:PORT", "[2002:7f00:1::]:PORT", "[2001:0:7f00:1::]:PORT",
	"[fd00::1]:PORT", "[fd00:ec2::254]", "[fc00::1]:PORT", "[fec0::1]:PORT", "[ff02::1]:PORT", "[2001:db8::1]:PORT",
	"10.0.0.1", "10.255.255.255:PORT", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.1.1:8080",
	"100.64.0.1", "100.100.100.200", "169.254.0.1", "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
	"0xa9.0xfe.0xa9.0xfe", "169.254.43518", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "169.254.169.254.nip.io",
	"metadata.google.internal", "metadata", "instance-data", "192.0.0.192", "168.63.129.16", "198.18.0.1",
	"224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "8.8.8.8", "example.org", "www.own.example",
	"own.example.", "own.example:81", "own.example:443", "own.example:080", "xown.example", "own.example.evil.example",
	"own-example", "１２７.０.０.１:PORT", "①②⑦.0.0.1:PORT", "127。0。0。1:PORT", "ｌocalhost:PORT",
	"own.example", "ｏwn.example", "ow\u0274.example", "\u212Aelvin.example:80", "x", "unix", "%31%32%37.0.0.1:PORT",
}

// asks are the request forms. HOST is a forbidden host.
var asks = [][]string{
	{"GET http://HOST/ HTTP/1.1", "Host: HOST"},
	{"CONNECT HOST HTTP/1.1", "Host: HOST"},
}

// tricks are requests that must be refused for other reasons. OWN is a configured http site and SECURE a
// configured https site, each as host:port; SELF is the proxy.
var tricks = map[string][]string{
	"https without a tunnel":         {"GET https://SECURE/ HTTP/1.1", "Host: SECURE"},
	"https of an http site":          {"GET https://OWN/ HTTP/1.1", "Host: OWN"},
	"http of an https site":          {"GET http://SECURE/ HTTP/1.1", "Host: SECURE"},
	"http at the port of https":      {"GET http://secure.example:443/ HTTP/1.1", "Host: SECURE"},
	"a tunnel to an http site":       {"CONNECT OWN HTTP/1.1", "Host: OWN"},
	"a tunnel to a named http site":  {"CONNECT own.example:82 HTTP/1.1", "Host: own.example:82"},
	"a tunnel without a port":        {"CONNECT secure.example HTTP/1.1", "Host: secure.example"},
	"a tunnel with an empty port":    {"CONNECT secure.example: HTTP/1.1", "Host: secure.example"},
	"a tunnel to another port":       {"CONNECT secure.example:PORT HTTP/1.1", "Host: SECURE"},
	"a tunnel to a path":             {"CONNECT SECURE/ HTTP/1.1", "Host: SECURE"},
	"a tunnel to a path alone":       {"CONNECT / HTTP/1.1", "Host: SECURE"},
	"a tunnel to a URL":              {"CONNECT https://SECURE HTTP/1.1", "Host: SECURE"},
	"a tunnel with a name":           {"CONNECT user@SECURE HTTP/1.1", "Host: SECURE"},
	"a tunnel with our site as name": {"CONNECT SECURE@127.0.0.1:PORT HTTP/1.1", "Host: SECURE"},
	"a tunnel, Host is another":      {"CONNECT 127.0.0.1:PORT HTTP/1.1", "Host: SECURE"},
	"our site as a name":             {"GET http://OWN@127.0.0.1:PORT/ HTTP/1.1", "Host: OWN"},
	"our site as name and password":  {"GET http://own.example:80@127.0.0.1:PORT/ HTTP/1.1", "Host: OWN"},
	"a name at our site":             {"GET http://user@OWN/ HTTP/1.1", "Host: OWN"},
	"credentials at our site":        {"GET http://user:secret@OWN/ HTTP/1.1", "Host: OWN"},
	"an empty name at our site":      {"GET http://@OWN/ HTTP/1.1", "Host: OWN"},
	"a backslash before our site":    {"GET http://127.0.0.1:PORT\\@OWN/ HTTP/1.1", "Host: OWN"},
	"a fragment before our site":     {"GET http://127.0.0.1:PORT#@OWN/ HTTP/1.1", "Host: OWN"},
	"a question before our site":     {"GET http://127.0.0.1:PORT?@OWN/ HTTP/1.1", "Host: OWN"},
	"a space in the host":            {"GET http://own.example 127.0.0.1:PORT/ HTTP/1.1", "Host: OWN"},
	"a tab in the host":              {"GET http://own.example\t127.0.0.1:PORT/ HTTP/1.1", "Host: OWN"},
	"a null in the host":             {"GET http://OWN%00.example/ HTTP/1.1", "Host: OWN"},
	"Host is another":                {"GET http://127.0.0.1:PORT/ HTTP/1.1", "Host: OWN"},
	"two hosts":                      {"GET http://OWN/ HTTP/1.1", "Host: OWN", "Host: 127.0.0.1:PORT"},
	"no host":                        {"GET http:/// HTTP/1.1", "Host: OWN"},
	"no host at all":                 {"GET http: HTTP/1.1", "Host: OWN"},
	"no slashes":                     {"GET http:OWN HTTP/1.1", "Host: OWN"},
	"one slash":                      {"GET http:/OWN/ HTTP/1.1", "Host: OWN"},
	"a path alone":                   {"GET / HTTP/1.1", "Host: OWN"},
	"a path alone of a trap":         {"GET / HTTP/1.1", "Host: 127.0.0.1:PORT"},
	"a host in a path":               {"GET //OWN/ HTTP/1.1", "Host: OWN"},
	"a star":                         {"OPTIONS * HTTP/1.1", "Host: OWN"},
	"nothing":                        {"GET HTTP/1.1", "Host: OWN"},
	"the proxy itself":               {"GET http://SELF/ HTTP/1.1", "Host: SELF"},
	"the proxy itself, by its path":  {"GET / HTTP/1.1", "Host: SELF"},
	"a tunnel to the proxy":          {"CONNECT SELF HTTP/1.1", "Host: SELF"},
	"ftp":                            {"GET ftp://OWN/ HTTP/1.1", "Host: OWN"},
	"file":                           {"GET file:///etc/passwd HTTP/1.1", "Host: OWN"},
	"file at a host":                 {"GET file://OWN/etc/passwd HTTP/1.1", "Host: OWN"},
	"gopher":                         {"GET gopher://127.0.0.1:PORT/_GET HTTP/1.1", "Host: OWN"},
	"data":                           {"GET data:text/html,x HTTP/1.1", "Host: OWN"},
	"javascript":                     {"GET javascript:alert(1) HTTP/1.1", "Host: OWN"},
	"ws":                             {"GET ws://OWN/ HTTP/1.1", "Host: OWN", "Connection: Upgrade", "Upgrade: websocket"},
	"unix":                           {"GET unix:///var/run/docker.sock HTTP/1.1", "Host: OWN"},
	"HTTP/2":                         {"PRI * HTTP/2.0"},
	"HTTP/0.9":                       {"GET http://127.0.0.1:PORT/"},
	"a line in the URL":              {"GET http://127.0.0.1:PORT/%0d%0aHost:%20OWN HTTP/1.1", "Host: OWN"},
	"two requests in one":            {"POST http://127.0.0.1:PORT/ HTTP/1.1", "Host: OWN", "Content-Length: 6", "Transfer-Encoding: chunked", "", "0"},
}

// fort is a proxy with configured sites, surrounded by traps.
type fort struct {
	proxy    *Proxy
	own      *httptest.Server
	served   atomic.Int64
	traps    []*trap
	names    *names
	outside  *dials
	replacer *strings.Replacer
}

func newFort(t *testing.T) *fort {
	t.Helper()
	v4 := newTrap(t, "127.0.0.1:0")
	_, port, err := net.SplitHostPort(v4.Addr().String())
	require.NoError(t, err)
	f := &fort{traps: []*trap{v4, newTrap(t, "[::1]:"+port), newTrap(t, "127.0.0.1:0")}}
	f.own = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { f.served.Add(1) }))
	t.Cleanup(f.own.Close)
	f.names = &names{answers: map[string][][]string{}}
	for _, host := range forbidden { // a lookup returns the traps
		name, _, _ := strings.Cut(host, ":")
		f.names.answers[name] = [][]string{{"127.0.0.1"}}
	}
	sites := []Site{
		{Origin: f.own.URL},
		{Origin: "https://secure.example", Dial: f.traps[2].Addr().String()},
		{Origin: "http://own.example:82"},
		{Origin: "http://kelvin.example"},
	}
	guard, outside := newGuard(t, Options{Resolver: f.names, Sites: sites})
	f.outside = outside
	f.proxy = open(t, guard)
	f.replacer = strings.NewReplacer(
		"PORT", port, "OWN", f.own.Listener.Addr().String(), "SECURE", "secure.example:443", "SELF", f.proxy.Addr(),
	)
	return f
}

// refuses sends a request and requires a refusal.
func (f *fort) refuses(t *testing.T, lines []string) {
	t.Helper()
	written := make([]string, len(lines))
	for i, line := range lines {
		written[i] = f.replacer.Replace(line)
	}
	_, reader := send(t, f.proxy, written...)
	method, _, _ := strings.Cut(lines[0], " ")
	status := readResponse(t, reader, method).StatusCode
	require.Contains(t, []int{http.StatusForbidden, http.StatusBadRequest, http.StatusHTTPVersionNotSupported}, status, written)
}

func (f *fort) untouched(t *testing.T) {
	t.Helper()
	for _, caught := range f.traps {
		require.Zero(t, caught.visits.Load(), "a connection reached %s", caught.Addr())
	}
	require.Zero(t, f.served.Load(), "our site received a request")
	require.Zero(t, f.names.lookups(), "a name was looked up")
	require.Empty(t, f.outside.list(), "the internet was dialled")
	require.Zero(t, f.proxy.Bytes())
}

// Proves: F23, V13.2.4
func TestNoOtherHostIsReachedHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(forbidden), 45)
	for _, host := range forbidden {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			f := newFort(t)
			for _, ask := range asks {
				f.refuses(t, []string{strings.ReplaceAll(ask[0], "HOST", host), strings.ReplaceAll(ask[1], "HOST", host)})
				f.refuses(t, []string{strings.ReplaceAll(ask[0], "HOST", host), "Host: OWN"})
			}
			_, err := f.proxy.guard.DialContext(t.Context(), "tcp", f.replacer.Replace(host))
			require.ErrorIs(t, err, ErrRefused)
			f.untouched(t)
		})
	}
}

// Proves: F23, V13.2.4
func TestNoTrickOfARequestReachesAnything(t *testing.T) {
	t.Parallel()
	for trick, lines := range tricks {
		t.Run(trick, func(t *testing.T) {
			t.Parallel()
			f := newFort(t)
			f.refuses(t, lines)
			f.untouched(t)
		})
	}
}

func TestWhatIsRefusedIsNotedOnceAndNotWithoutEnd(t *testing.T) {
	t.Parallel()
	f := newFort(t)
	for range 3 {
		f.refuses(t, []string{"GET http://evil.example/ HTTP/1.1", "Host: evil.example"})
	}
	f.refuses(t, []string{"CONNECT evil.example:443 HTTP/1.1", "Host: evil.example"})
	f.refuses(t, []string{"GET http://user@OWN/ HTTP/1.1", "Host: OWN"})
	require.Equal(t, []string{
		"evil.example:80: not one of our sites",
		"evil.example:443: not one of our sites",
		f.replacer.Replace("OWN: the URL contains credentials"),
	}, f.proxy.Refused())

	for i := range 40 {
		host := strconv.Itoa(i) + strings.Repeat("x", 30*i) + ".example"
		f.refuses(t, []string{"GET http://" + host + "/ HTTP/1.1", "Host: " + host})
	}
	require.Len(t, f.proxy.Refused(), 20)
	for _, line := range f.proxy.Refused() {
		require.Less(t, len(line), 300)
	}
	f.untouched(t)
}
