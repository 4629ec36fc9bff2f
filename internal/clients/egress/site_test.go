package egress

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASiteIsWrittenAsABrowserWouldWriteIt(t *testing.T) {
	t.Parallel()
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

func TestASiteIsDialledAtAHostAndAPort(t *testing.T) {
	t.Parallel()
	for _, dial := range []string{"cell", ":80", "cell:", "cell:http", "cell:0", "http://cell:80", "::1:80"} {
		_, err := New(Options{Sites: []Site{{Origin: "http://example.com", Dial: dial}}})
		require.Error(t, err, dial)
	}
}

// Proves: V13.2.4
func TestTwoSitesAtOneAddressCannotDiffer(t *testing.T) {
	t.Parallel()
	for _, other := range []Site{
		{Origin: "https://example.com:80"}, {Origin: "http://example.com", Dial: "127.0.0.1:1"},
	} {
		_, err := New(Options{Sites: []Site{{Origin: "http://example.com"}, other}})
		require.Error(t, err)
	}
}
