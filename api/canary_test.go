package api_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"customerzero/internal/domain/account"
	"customerzero/internal/platform/telemetry"
	"customerzero/internal/platform/telemetry/telemetrytest"
)

// logs is the log of all tests, which each world searches for secrets when it ends.
var logs logBuffer

// traces is a collector of traces.
var traces = telemetrytest.New()

func TestMain(m *testing.M) {
	noTimes := func(_ []string, a slog.Attr) slog.Attr { // digits of a time could match a code
		if kind := a.Value.Kind(); kind == slog.KindTime || kind == slog.KindDuration {
			return slog.Attr{}
		}
		return a
	}
	handler := slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTimes})
	slog.SetDefault(slog.New(telemetry.Knowing(handler)))
	if _, err := telemetry.Start(context.Background(), telemetry.Options{Exporter: traces, Share: 1, Service: "api"}); err != nil {
		panic(err)
	}
	debug.SetGCPercent(400) // garbage collection took a fifth of the time
	os.Exit(m.Run())
}

type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *logBuffer) Write(line []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(line)
}

func (n *logBuffer) String() string { return n.since(0) }

// since returns the log after the first length bytes.
func (n *logBuffer) since(length int) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()[length:]
}

func (n *logBuffer) length() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Len()
}

// recording holds every reply of a world without its cookies, which may contain secrets.
type recording struct {
	mu      sync.Mutex
	replies []string
}

func (a *recording) keep(req *http.Request, rec *httptest.ResponseRecorder) {
	header := rec.Header().Clone()
	header.Del("Set-Cookie")
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replies = append(a.replies, fmt.Sprintln(req.Method, req.URL.Path, rec.Code, header, rec.Body.String()))
}

// canarySet holds the secrets of a test, which must not appear in the log or in a reply.
type canarySet struct {
	mu        sync.Mutex
	secrets   []string
	shownOnce []string // may appear in one reply
	addresses []string // may appear in replies to their owners and to founders
}

func (c *canarySet) add(secrets ...string)      { c.into(&c.secrets, secrets...) }
func (c *canarySet) addShownOnce(secret string) { c.into(&c.shownOnce, secret) }
func (c *canarySet) addAddress(address string)  { c.into(&c.addresses, address) }

func (c *canarySet) into(list *[]string, more ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*list = append(*list, more...)
}

func (c *canarySet) knownAddresses() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.addresses...)
}

// checksSecrets searches the replies, the log, the traces and the commands to Temporal at the end of the test.
func (w *world) checksSecrets(t *testing.T) {
	w.canaries.add(key, requestSecret, verifier, hookSecret, "test-secret") // the last one is the bot's
	begun := logs.length()
	t.Cleanup(func() {
		elsewhere := logs.since(begun) + strings.Join(w.runs.sent(), "\n")
		for _, secret := range append(append(w.canaries.secrets, w.canaries.shownOnce...), w.canaries.addresses...) {
			if holds(elsewhere, secret) {
				t.Errorf("the log or a command to Temporal contains the secret %q", secret)
			}
			if !digits.MatchString(secret) && traces.Holds(secret) {
				t.Errorf("a trace contains the secret %q", secret)
			}
		}
		for _, secret := range w.canaries.secrets {
			w.requireAtMost(t, 0, secret)
		}
		for _, secret := range w.canaries.shownOnce {
			w.requireAtMost(t, 1, secret)
		}
	})
}

func (w *world) requireAtMost(t *testing.T, times int, secret string) {
	for _, reply := range w.answers.replies {
		if !holds(reply, secret) {
			continue
		}
		if times--; times < 0 {
			t.Errorf("a reply contains the secret %q:\n%s", secret, reply)
		}
	}
}

// checkAddresses checks that a reply contains no email address that its caller may not see.
func (w *world) checkAddresses(t *testing.T, req *http.Request, rec *httptest.ResponseRecorder) {
	reply := fmt.Sprintln(rec.Header(), rec.Body.String())
	for _, address := range w.canaries.knownAddresses() {
		isContract := strings.HasPrefix(req.URL.Path, "/openapi") // its examples use the same addresses
		if strings.Contains(reply, address) && !isContract && !w.maySee(t, req, address) {
			t.Errorf("%s %s shows the address %s to another caller", req.Method, req.URL.Path, address)
		}
	}
}

func (w *world) maySee(t *testing.T, req *http.Request, address string) bool {
	token := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	for _, name := range []string{"session", "__Host-session"} {
		if cookie, err := req.Cookie(name); err == nil && token == "" {
			token = cookie.Value
		}
	}
	login, err := w.db.Accounts.Login(t.Context(), token, w.now)
	if err != nil || login == nil || login.Session.Scope != "" {
		return false
	}
	own := login.Account.Email != nil && *login.Account.Email == address
	return own || w.server.Founders.RoleOf(login.Account, login.MemberActive) == account.Founder
}

var digits = regexp.MustCompile(`^\d+$`)

// holds reports whether a text contains a secret. A 6-digit code must be a whole word, because request and trace
// IDs contain digits.
func holds(text, secret string) bool {
	if !digits.MatchString(secret) {
		return strings.Contains(text, secret)
	}
	return regexp.MustCompile(`\b` + secret + `\b`).MatchString(text)
}
