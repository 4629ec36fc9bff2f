package api_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

// sandboxRecorder replaces the sandboxes and records requests.
type sandboxRecorder struct {
	mu   sync.Mutex
	seen []string
}

func (s *sandboxRecorder) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	text, _ := httputil.DumpRequest(r, true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, string(text))
	rw.WriteHeader(http.StatusTeapot)
}

// withSandboxRecorder serves the pages of all sandboxes from one recorder.
func (w *world) withSandboxRecorder(t *testing.T, local bool) *sandboxRecorder {
	s := &sandboxRecorder{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	w.server.Site.Sandbox, w.server.Site.XBaseURL, w.server.Site.MailURL, w.server.Site.Local = true, server.URL, server.URL, local
	w.server.Site.StripeURL = server.URL
	w.handler = handlerOf(w.server)
	return s
}

// Emails contain login codes, and the sandbox's consent page accepts any user. Both are served only under a loopback
// name; any other name may be DNS rebinding.
// Proves: S-sandboxes
func TestWhatLetsAnybodyInIsForPeopleAtThisMachine(t *testing.T) {
	t.Parallel()
	const stranger, laptop = "evil.example:8080", "localhost:8080"
	for name, tt := range map[string]struct {
		method, path string
		public       bool
	}{
		"the emails":              {http.MethodGet, "/sandbox/mail", false},
		"the payments":            {http.MethodGet, "/sandbox/stripe", false},
		"a payment":               {http.MethodPost, "/sandbox/stripe/pay/cs_1", false},
		"the consent form":        {http.MethodPost, "/sandbox/x/oauth/authorize", false},
		"a token change":          {http.MethodPost, "/sandbox/x/keys", false},
		"the tokens":              {http.MethodGet, "/sandbox/x/keys", false},
		"the tokens with a dot":   {http.MethodGet, "/sandbox/x/./keys", false},
		"the tokens with a slash": {http.MethodGet, "/sandbox/x/keys/", false},
		"the tokens escaped":      {http.MethodGet, "/sandbox/x/%6beys", false},
		"the timeline":            {http.MethodGet, "/sandbox/x", true},
		"a tweet":                 {http.MethodGet, "/sandbox/x/status/7", true},
	} {
		t.Run(name, func(t *testing.T) {
			for who, at := range map[string]struct {
				host  string
				local bool
				home  bool
				from  string
			}{
				"at this machine":      {laptop, true, true, ""},
				"at its address":       {"127.0.0.1", true, true, ""},
				"under another name":   {stranger, true, false, ""},
				"under a subdomain":    {"localhost.evil.example", true, false, ""},
				"without a host":       {"", true, false, ""},
				"on a public site":     {laptop, false, false, ""},
				"from another machine": {laptop, true, false, "203.0.113.9"},
			} {
				w := newWorld(t)
				s := w.withSandboxRecorder(t, at.local)
				b := w.browser()
				b.host, b.from = at.host, at.from
				req := b.request(t, tt.method, tt.path, "")
				req.Host = at.host
				rec := w.answer(t, req)
				if at.home || tt.public {
					require.Equal(t, http.StatusTeapot, rec.Code, who)
					continue
				}
				require.Equal(t, http.StatusNotFound, rec.Code, who)
				require.Empty(t, s.seen, who)
			}
		})
	}
}

// The path of the public timeline does not lead to other pages of the sandbox.
// Proves: S-sandboxes
func TestTheTimelinesPathLeadsNowhereElse(t *testing.T) {
	w := newWorld(t)
	s := w.withSandboxRecorder(t, false)
	address := w.patientFor(t, testwait.Limit)
	for _, path := range []string{
		"/sandbox/x/../mail.json", "/sandbox/x/../mail", "/sandbox/x/../mail/1", "/sandbox/x/%2e%2e/mail.json", "/sandbox/x/..%2fmail.json",
		"/sandbox/x/..", "/sandbox/x/faults", "/sandbox/x/../x/faults", "/sandbox/x/FAULTS/../faults",
	} {
		status, _ := converse(t, address, "GET "+path+" HTTP/1.1\r\nHost: example.com\r\n\r\n", 0)
		require.Equal(t, http.StatusNotFound, status, path)
	}
	require.Empty(t, s.seen)
	status, _ := converse(t, address, "GET /sandbox/x/../x/status/7 HTTP/1.1\r\nHost: example.com\r\n\r\n", 0)
	require.Equal(t, http.StatusTeapot, status)
}

// Proves: S-sandboxes
func TestWhoWeAreStaysWithUs(t *testing.T) {
	w := newWorld(t)
	s := w.withSandboxRecorder(t, true)
	p, _ := w.loginAll(t)
	for name, all := range map[string][]header{
		"a session":        {{"Cookie", "session=" + p.founder + "; login=" + p.other}},
		"a bearer token":   {{"Authorization", "Bearer " + p.token}},
		"the founders key": {{"X-Admin-Key", key}},
	} {
		for _, c := range []call{
			{method: http.MethodGet, path: "/sandbox/x"}, {method: http.MethodPost, path: "/sandbox/x/oauth/authorize"}, {method: http.MethodGet, path: "/sandbox/mail"},
		} {
			c.host = "localhost"
			require.Equal(t, http.StatusTeapot, w.sendHeaders(t, c, all).Code, name)
		}
	}
	require.Len(t, s.seen, 9)
	for _, secret := range []string{p.founder, p.other, p.token, key, "Cookie", "Authorization", "X-Admin-Key"} {
		require.NotContains(t, strings.Join(s.seen, "\n"), secret)
	}
}

func TestWithoutSandboxesTheirPagesAreNotFound(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/sandbox/x", "/sandbox/x/keys", "/sandbox/mail", "/sandbox/mail.json", "/sandbox/mail/1"} {
		b := w.browser()
		b.host = "localhost"
		require.Equal(t, http.StatusNotFound, b.get(t, path).Code, path)
	}
}
