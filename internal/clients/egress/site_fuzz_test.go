package egress

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
