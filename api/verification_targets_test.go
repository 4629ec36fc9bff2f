package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

// forbidden are ways to ask for something that is no page of ours.
var forbidden = []string{
	"http://evil.test/", // other hosts
	"https://evil.test/?next=http://example.com/",
	"http://example.com.evil.test/", // our name as the beginning of theirs
	"http://evil-example.com/",      // as the end of theirs
	"http://www.example.com/",       // a name under ours
	"http://com/",                   // the name above
	"https://example.com/",          // another scheme than that of the list
	"http://docs.example.com/",
	"http://example.com:8080/", // another port
	"http://example.com:22/",
	"http://example.com:443/",
	"http://example.com:080/x",
	"http://127.0.0.1/", // this machine
	"http://127.0.0.1:8080/api/stats",
	"http://localhost/",
	"http://LOCALHOST:6379/",
	"http://0.0.0.0/",
	"http://127.1/", // written in short
	"http://0/",
	"http://2130706433/", // in one number
	"http://0x7f000001/", // hexadecimal
	"http://0x7f.0x0.0x0.0x1/",
	"http://0177.0.0.1/", // octal
	"http://017700000001/",
	"http://127.0.0.1.nip.io/", // a name that leads here
	"http://①②⑦.⓪.⓪.①/",        // digits that browsers read as digits
	"http://127。0。0。1/",        // dots that they read as dots
	"http://10.0.0.1/",         // private networks
	"http://172.16.0.1/",
	"http://192.168.1.1/",
	"http://100.64.0.1/",
	"http://169.254.169.254/latest/meta-data/", // the cloud's own
	"http://metadata.google.internal/computeMetadata/v1/",
	"http://2852039166/latest/meta-data/",
	"http://0xA9FEA9FE/",
	"http://[::1]/", // IPv6
	"http://[::]/",
	"http://[0:0:0:0:0:0:0:1]:8080/",
	"http://[::ffff:127.0.0.1]/", // IPv4 within
	"http://[::ffff:7f00:1]/",
	"http://[::ffff:169.254.169.254]/",
	"http://[fe80::1%25eth0]/", // link-local
	"http://[fd00:ec2::254]/latest/meta-data/",
	"http://[64:ff9b::7f00:1]/", // translated
	"http://[2002:7f00:1::]/",
	"file:///etc/passwd", // other schemes
	"file://example.com/etc/passwd",
	"FILE:///C:/Windows/win.ini",
	"data:text/html,<script>alert(1)</script>",
	"javascript:alert(document.cookie)",
	"JaVaScRiPt://example.com/%0aalert(1)",
	"java\tscript:alert(1)",
	"vbscript:msgbox(1)",
	"blob:http://example.com/2b4f",
	"view-source:http://example.com/",
	"about:blank",
	"chrome://version/",
	"devtools://devtools/bundled/inspector.html",
	"ftp://example.com/",
	"gopher://example.com:70/_GET",
	"ws://example.com/",
	"dict://example.com:11211/stats",
	"http://example.com@evil.test/", // who, not where
	"http://example.com:80@evil.test/",
	"http://evil.test@example.com/",
	"http://user:secret@example.com/",
	"http://@example.com/",
	"http://example.com%40evil.test/",
	"http://evil.test#@example.com/",
	"http://evil.test\\@example.com/", // programs do not agree on this one
	"http:\\\\evil.test\\",
	"http://example.com\\.evil.test/",
	"//evil.test/", // in the scheme of the page
	"//example.com/",
	"/\\evil.test/", // which browsers read alike
	"\\\\evil.test\\share",
	"///evil.test/",
	"/\t/evil.test/", // what they leave out
	"http://example.com\n.evil.test/",
	"http://exam\u00adple.com/", // what nobody sees
	"http://example.com\u200b/",
	"http://ex\u0430mple.com/", // an e-mail of another script
	"http://EXAMPLE.com\u3002evil.test/",
	"http://example.com./", // another way to write the name
	"http://%65xample.com/",
	"http://example%2ecom/",
	"http:example.com", // not whole
	"http:/example.com/",
	"http://",
	"http:///etc/passwd",
	"example.com",
	"evil.test/page",
	"..//evil.test/",
	"?url=http://evil.test/",
	"#//evil.test/",
	"http://example.com/ http://169.254.169.254/", // two at once
	"http://example.com/%00/etc",
	"/%zz-broken", // no address at all
	"http://example.com:99999/x",
	"http://example.com:-1/x",
	"url:http://example.com/",
	"jar:http://evil.test/x.jar!/",
	"http://example.com;evil.test/",
	"http://example.com,evil.test/",
	"http://[::ffff:0:127.0.0.1]/",
	"http://[0000:0000:0000:0000:0000:ffff:c0a8:0101]/abc",
}

// Proves: F23, V1.3.6
func TestForbiddenTargetsAreRefusedAndNothingBegins(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(forbidden), 40)
	w := newWorld(t)
	before := w.rows(t)
	for _, url := range forbidden {
		rec := w.verifyFrom(t, "198.51.100.1", askingFor(t, url))
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, "%q: %s", url, rec.Body)
		p := problemOf(t, rec)
		require.Equal(t, problem.URLRefused, p.Code, "%q", url)
		require.Equal(t, "Only pages of http://example.com and https://docs.example.com may be looked at.", p.Message, "what was asked for is not echoed")
		require.Empty(t, p.Details)
	}
	require.Equal(t, before, w.rows(t), "no row, and no limit, has changed")
	require.Empty(t, w.runs.told())
}

// Proves: V1.3.6
func TestNothingMayBeLookedAtWhereNoSiteIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Sites = nil
	for _, url := range []string{"", "/", frontPage} {
		rec := w.verifyFrom(t, "198.51.100.1", askingFor(t, url))
		require.Equal(t, problem.URLRefused, problemOf(t, rec).Code)
	}
	require.Empty(t, w.runs.told())
}
