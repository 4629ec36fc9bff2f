package verification

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

var ours = []string{"http://127.0.0.1:8080", "https://example.com", "http://[::1]:9000", "https://bücher.example", "http://shop.example:80"}

// forbidden lists spellings of URLs that must be refused.
var forbidden = map[string][]string{
	"other hosts": {
		"http://evil.example/", "https://example.com.evil.example/", "https://evilexample.com/", "https://www.example.com/",
		"https://example.co/", "http://x.localhost:8080/", "http://127.0.0.1.nip.io:8080/",
		"http://10.0.0.1/", "http://192.168.0.1:8080/", "http://172.16.0.1/", "http://169.254.169.254/latest/meta-data/",
		"http://metadata.google.internal/", "http://100.100.100.200/", "http://printer/", "http://224.0.0.1/", "http://255.255.255.255/",
	},
	"other ports and schemes of ours": {
		"http://127.0.0.1/", "http://127.0.0.1:80/", "http://127.0.0.1:8081/", "http://127.0.0.1:0/", "http://127.0.0.1:99999/",
		"http://127.0.0.1:08080/", "http://127.0.0.1:+8080/", "http://127.0.0.1:/", "http://127.0.0.1:8080:80/", "http://127.0.0.1:80:8080/",
		"https://127.0.0.1:8080/", "http://example.com/", "http://example.com:443/", "https://example.com:80/", "https://example.com:8443/",
		"https://example.com:443:443/", "https://example.com:", "https://shop.example/", "https://shop.example:80/",
		"http://127.0.0.1\uff1a8080/", "http://127.0.0.1:-8080/",
	},
	"other schemes": {
		"file:///etc/passwd", "file://127.0.0.1:8080/etc/passwd", "data:text/html,<h1>hi</h1>", "javascript:alert(1)", "JaVaScRiPt:alert(1)",
		"javascript://127.0.0.1:8080/%0aalert(1)", "view-source:http://127.0.0.1:8080/", "chrome://version", "chrome://127.0.0.1:8080/",
		"about:blank", "about:srcdoc", "blob:http://127.0.0.1:8080/1-2-3", "ws://127.0.0.1:8080/", "wss://example.com/", "ftp://127.0.0.1:8080/",
		"gopher://127.0.0.1:8080/", "filesystem:http://127.0.0.1:8080/t/", "devtools://devtools/", "jar:http://127.0.0.1:8080!/", "mailto:a@example.com",
		"http+unix://127.0.0.1:8080/", "httpx://127.0.0.1:8080/", "://127.0.0.1:8080/", "1http://127.0.0.1:8080/", "blob:https://example.com/",
	},
	"user information": {
		"http://user@127.0.0.1:8080/", "http://user:word@127.0.0.1:8080/", "http://@127.0.0.1:8080/", "http://:@127.0.0.1:8080/",
		"http://127.0.0.1:8080@evil.example/", "http://127.0.0.1:8080%40evil.example/", "https://example.com@evil.example/",
		"https://example.com:443@evil.example/", "https://evil.example@example.com/", "https://example.com%2f@evil.example/",
		"https://evil.example#@example.com/", "https://evil.example?@example.com/",
	},
	"other ways to write an address": {
		"http://2130706433:8080/", "http://0x7f000001:8080/", "http://0x7f.0x0.0x0.0x1:8080/", "http://017700000001:8080/",
		"http://0177.0.0.1:8080/", "http://127.1:8080/", "http://127.0.1:8080/", "http://127.000.000.001:8080/", "http://127.0.0.1.:8080/",
		"http://0:8080/", "http://0.0.0.0:8080/", "http://127.0.0.2:8080/", "http://[::1]:8080/", "http://[::1]/", "http://[::]:8080/",
		"http://[::ffff:127.0.0.1]:8080/", "http://[::ffff:7f00:1]:8080/", "http://[::127.0.0.1]:8080/", "http://[64:ff9b::7f00:1]:8080/",
		"http://[0:0:0:0:0:0:0:1]:9000/", "http://[::0001]:9000/", "http://::1:9000/", "http://[::1%25lo]:9000/", "http://[::1%lo]:9000/",
		"http://[fe80::1%25eth0]:8080/", "http://[fe80::1]:8080/", "http://[::1]:9000]/", "http://[::1/", "http://[127.0.0.1]:8080/", "http://[]:8080/",
		"http://[v1.::1]:9000/", "http://127\u30020\u30020\u30021:8080/", "http://\uff11\uff12\uff17.0.0.1:8080/", "http://\u246027.0.0.1:8080/", "http://127\uff0e0\uff0e0\uff0e1:8080/",
		"http://127%2e0%2e0%2e1:8080/", "http://%31%32%37.0.0.1:8080/", "http://127.0.0.1%3a8080/", "http://127.0.0.1:8080%00/", "http://127.0.0.1%20:8080/",
	},
	"names that look like ours": {
		"https://example.com./", "https://example.com../", "https://.example.com/", "https://example..com/", "https://example\u3002com/", "https://example\uff0ecom/",
		"https://\uff45xample.com/", "https://ex\u0430mple.com/", "https://example.\u217dom/", "https://ex%61mple.com/", "https://%65xample.com/", "https://exam\u00adple.com/",
		"https://exam\u200bple.com/", "https://example.com\u202e/", "https://BÜCHER.example/", "https://bu\u0308cher.example/", "https://bücher.example./",
		"https://xn--bcher-kva.example.evil.example/", "https://bucher.example/", "http://bücher.example/", "https://bücher.example:8443/",
	},
	"pieces": {
		"http:", "http:/", "http://", "http:///", "https:///example.com/", "http:/127.0.0.1:8080/", "http:127.0.0.1:8080/", "http:pricing", "http:////127.0.0.1:8080/",
		"//127.0.0.1:8080/", "//evil.example", "//evil.example/", "///evil.example/", "////", "//", "//@127.0.0.1:8080/", "pricing", "./pricing", "../", "..", ".",
		"127.0.0.1:8080", "127.0.0.1:8080/pricing", "example.com", "?x=1", "#top", "http://?x=1", "http://#top", "http://:8080/", "*", "http://*/", "@", ":",
	},
	"backslashes": {
		`\`, `\\evil.example\`, `/\evil.example/`, `\/evil.example/`, `/\/evil.example/`, `http:\\127.0.0.1:8080\`, `http://127.0.0.1:8080\@evil.example/`,
		`http://evil.example\@127.0.0.1:8080/`, `/pricing\..\x`, `/%5cevil.example`, `/%5Cevil.example`, `https:\example.com`, `/?x=\`,
	},
	"invisible characters": {
		"/pri\tcing", "/pri\ncing", "/pri\rcing", "/pri cing", "\t/pricing", "/pricing\n", "http://127.0.0.1:8080/\r\nX: y", "ht\ntp://127.0.0.1:8080/",
		"http://127.0.0.1:8080 /", "http:// 127.0.0.1:8080/", "java\tscript:alert(1)", "/\x00", "/%00", "/%0a", "/%0D%0Aa", "/%7f", "/\x7f", "/\u0085", "/\u00a0", "/\u2028",
		"/\u200b", "/%E2%80%AE", "/\ufeff", "\u00a0/pricing", "/\xff", "/%ff", "/?\xc3", "/?x=\n", "/?x=a b", "/#\n", "http://\x00127.0.0.1:8080/", "/%C2%85",
	},
	"no pages, and pages of one user": {
		"/sandbox", "/sandbox/mail", "/sandbox/mail/1", "/Sandbox/mail", "/x/../sandbox/mail", "/%73andbox/mail", "/sandbox%2fmail", "/./sandbox",
		"http://127.0.0.1:8080/sandbox/mail?x=1", "http://localhost:8080/sandbox/mail", "/auth/x/login", "/auth/claim#x", "/api/posts", "/metrics", "/readyz",
		"/webhooks/stripe", "/feeds/posts.xml", "/account", "/credentials", "/receipts/x", "/unsubscribe?account=x", "/openapi.json", "/assets/x.js",
	},
	"no path": {
		"/%", "/%zz", "/%2", "/" + strings.Repeat("a", 2048), "/?" + strings.Repeat("a", 2048), "https://example.com/" + strings.Repeat("a/", 1024) + "b",
		"/" + strings.Repeat("ü", 400), strings.Repeat("http://", 1000),
	},
}

// Proves: F23, V1.3.6
func TestParseTargetRefuses(t *testing.T) {
	t.Parallel()
	const says = "Only pages of http://127.0.0.1:8080, https://example.com, http://[::1]:9000, https://bücher.example and http://shop.example:80 can be checked."
	tried := 0
	for why, forms := range forbidden {
		for _, raw := range forms {
			tried++
			target, err := ParseTarget(raw, ours)
			require.Error(t, err, "%s: %q became %v", why, raw, target)
			require.Equal(t, problem.URLRefused, problem.CodeOf(err), "%q", raw)
			require.Equal(t, says, err.Error(), "the input is not repeated: %q", raw)
			require.Empty(t, target)
		}
	}
	require.Greater(t, tried, 150)
}

// Proves: V1.3.6
func TestParseTargetWithoutOrigins(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "/", "http://127.0.0.1:8080/", "://"} {
		_, err := ParseTarget(raw, nil)
		require.Equal(t, problem.URLRefused, problem.CodeOf(err))
		require.EqualError(t, err, "No pages can be checked.")
	}
	_, err := ParseTarget("://", []string{"nonsense", "ftp://example.com", "://"})
	require.Equal(t, problem.URLRefused, problem.CodeOf(err), "invalid origins match nothing")
	for _, raw := range []string{"http://user@shop.example", "http://[fe80::1%25eth0]:80"} {
		_, err := ParseTarget(raw+"/", []string{"https://example.com", raw})
		require.Equal(t, problem.URLRefused, problem.CodeOf(err), "not even if configured by mistake")
	}
}

// Proves: V1.3.6
func TestParseTargetAllows(t *testing.T) {
	t.Parallel()
	const home = "http://127.0.0.1:8080"
	for raw, want := range map[string]Target{
		"":                                 {home + "/", "/"},
		"  ":                               {home + "/", "/"},
		"/":                                {home + "/", "/"},
		" /pricing ":                       {home + "/pricing", "/pricing"},
		"/pricing?x=1":                     {home + "/pricing?x=1", "/pricing"},
		"/?":                               {home + "/", "/"},
		"/pricing/":                        {home + "/pricing", "/pricing"},
		"/a//b///c":                        {home + "/a/b/c", "/a/b/c"},
		"/a/../../../b/./c":                {home + "/b/c", "/b/c"},
		"/a/%2e%2E/b":                      {home + "/b", "/b"},
		"/..//evil.example":                {home + "/evil.example", "/evil.example"},
		"/%2f/evil.example":                {home + "/evil.example", "/evil.example"},
		"/%252e%252e/b":                    {home + "/%252e%252e/b", "/%252e%252e/b"},
		"/pricing#top":                     {home + "/pricing", "/pricing"},
		"/?next=//evil.example/@":          {home + "/?next=//evil.example/@", "/"},
		"/wall/ü":                          {home + "/wall/%C3%BC", "/wall/%C3%BC"},
		"/wall/%c3%bc":                     {home + "/wall/%C3%BC", "/wall/%C3%BC"},
		"/a%20b":                           {home + "/a%20b", "/a%20b"},
		"/a:b@c":                           {home + "/a:b@c", "/a:b@c"},
		"/*":                               {home + "/%2A", "/%2A"},
		"/javascript:alert(1)":             {home + "/javascript:alert%281%29", "/javascript:alert%281%29"},
		"http://127.0.0.1:8080":            {home + "/", "/"},
		"HTTP://127.0.0.1:8080/Pricing":    {home + "/Pricing", "/Pricing"},
		"http://127.0.0.1:8080?x=1#y":      {home + "/?x=1", "/"},
		"http://localhost:8080/pricing":    {home + "/pricing", "/pricing"},
		"/sandboxes":                       {home + "/sandboxes", "/sandboxes"},
		"/runs/api":                        {home + "/runs/api", "/runs/api"},
		"https://example.com/api/posts":    {"https://example.com/api/posts", "https://example.com/api/posts"},
		"http://127.0.0.1:8080//evil/x":    {home + "/evil/x", "/evil/x"},
		"https://example.com":              {"https://example.com/", "https://example.com/"},
		"HTTPS://EXAMPLE.com:443/":         {"https://example.com/", "https://example.com/"},
		"https://example.com/a/?b#c":       {"https://example.com/a?b", "https://example.com/a"},
		"http://[::1]:9000/pricing":        {"http://[::1]:9000/pricing", "http://[::1]:9000/pricing"},
		"https://bücher.example/":          {"https://bücher.example/", "https://bücher.example/"},
		"https://bücher.example:443/":      {"https://bücher.example/", "https://bücher.example/"},
		"https://XN--bcher-kva.example/":   {"https://bücher.example/", "https://bücher.example/"},
		"http://shop.example/":             {"http://shop.example:80/", "http://shop.example:80/"},
		"http://shop.example:80/x":         {"http://shop.example:80/x", "http://shop.example:80/x"},
		"/" + strings.Repeat("a", 2047):    {home + "/" + strings.Repeat("a", 2047), "/" + strings.Repeat("a", 2047)},
		"/x?" + strings.Repeat("a", 2045):  {home + "/x?" + strings.Repeat("a", 2045), "/x"},
		"/https://evil.example/":           {home + "/https:/evil.example", "/https:/evil.example"},
		"/redirect?to=http://evil.example": {home + "/redirect?to=http://evil.example", "/redirect"},
	} {
		t.Run(cut(raw, 40), func(t *testing.T) {
			got, err := ParseTarget(raw, ours)
			require.NoError(t, err)
			require.Equal(t, want, got)
			again, err := ParseTarget(got.URL, ours)
			require.NoError(t, err)
			require.Equal(t, got, again)
		})
	}
	slashed, err := ParseTarget("/x", []string{"https://example.com/"})
	require.NoError(t, err)
	require.Equal(t, Target{"https://example.com/x", "/x"}, slashed, "an origin may end with a slash")
}

// FuzzParseTarget checks that accepted URLs are pages of an origin for net/url, too, and parse to themselves.
// Proves: F23, V1.3.6
func FuzzParseTarget(f *testing.F) {
	for _, forms := range forbidden {
		for _, raw := range forms {
			f.Add(raw)
		}
	}
	for _, raw := range []string{"", "/a?b#c", "https://example.com:443/a/..", "HTTP://[::1]:9000", "https://xn--bcher-kva.example", "/%2e%2e/%2f?%"} {
		f.Add(raw)
	}
	known := map[string]bool{}
	for _, origin := range ours {
		known[origin] = true
	}
	f.Fuzz(func(t *testing.T, raw string) {
		target, err := ParseTarget(raw, ours)
		if err != nil {
			require.Equal(t, problem.URLRefused, problem.CodeOf(err))
			return
		}
		u, err := url.Parse(target.URL)
		require.NoError(t, err)
		require.True(t, known[u.Scheme+"://"+u.Host], target.URL)
		require.Nil(t, u.User)
		require.Empty(t, u.Fragment)
		route := strings.TrimPrefix(target.Path, u.Scheme+"://"+u.Host)
		require.Equal(t, u.Scheme+"://"+u.Host == ours[0], route == target.Path, "a page of another site is named with it")
		require.Equal(t, route, u.EscapedPath())
		require.True(t, route == "/" || !strings.HasSuffix(route, "/"))
		require.NotContains(t, route, "//")
		again, err := ParseTarget(target.URL, ours)
		require.NoError(t, err, target.URL)
		require.Equal(t, target, again)
		alone, err := ParseTarget(target.Path, ours)
		require.NoError(t, err)
		require.Equal(t, target.Path, alone.Path)
	})
}
