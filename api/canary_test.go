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

// journal is everything that is logged while the tests run, for each world to search when
// it ends.
var journal notebook

// traces is what a collector of traces is told meanwhile.
var traces = telemetrytest.New()

func TestMain(m *testing.M) {
	noTimes := func(_ []string, a slog.Attr) slog.Attr { // their digits could look like a code
		if kind := a.Value.Kind(); kind == slog.KindTime || kind == slog.KindDuration {
			return slog.Attr{}
		}
		return a
	}
	handler := slog.NewTextHandler(&journal, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: noTimes})
	slog.SetDefault(slog.New(telemetry.Knowing(handler)))
	if _, err := telemetry.Start(context.Background(), telemetry.Options{Exporter: traces, Share: 1, Service: "api"}); err != nil {
		panic(err)
	}
	debug.SetGCPercent(400) // worlds are many and small: collecting them took a fifth of the time
	os.Exit(m.Run())
}

type notebook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notebook) Write(line []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(line)
}

func (n *notebook) String() string { return n.since(0) }

// since is what was written after the first so many bytes.
func (n *notebook) since(length int) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()[length:]
}

func (n *notebook) length() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Len()
}

// tape is every answer of a world but for its cookies, which are there to hold secrets.
type tape struct {
	mu   sync.Mutex
	said []string
}

func (a *tape) keep(req *http.Request, rec *httptest.ResponseRecorder) {
	header := rec.Header().Clone()
	header.Del("Set-Cookie")
	a.mu.Lock()
	defer a.mu.Unlock()
	a.said = append(a.said, fmt.Sprintln(req.Method, req.URL.Path, rec.Code, header, rec.Body.String()))
}

// cage keeps the secrets of a test. They may stand in no log line and in no answer.
type cage struct {
	mu        sync.Mutex
	secrets   []string
	shownOnce []string // but for the one answer that made them
	addresses []string // but for answers to their owners and to founders
}

func (c *cage) add(secrets ...string)      { c.into(&c.secrets, secrets...) }
func (c *cage) addShownOnce(secret string) { c.into(&c.shownOnce, secret) }
func (c *cage) addAddress(address string)  { c.into(&c.addresses, address) }

func (c *cage) into(list *[]string, more ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*list = append(*list, more...)
}

func (c *cage) knownAddresses() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.addresses...)
}

// keepsItsSecrets searches, when the test ends, all that was answered, told to Temporal and logged
// since the world began.
func (w *world) keepsItsSecrets(t *testing.T) {
	w.canaries.add(key, requestSecret, verifier, hookSecret, "test-secret") // the last is the bot's
	begun := journal.length()
	t.Cleanup(func() {
		elsewhere := journal.since(begun) + strings.Join(w.runs.told(), "\n")
		for _, secret := range append(append(w.canaries.secrets, w.canaries.shownOnce...), w.canaries.addresses...) {
			if holds(elsewhere, secret) {
				t.Errorf("the log or an order to Temporal holds the secret %q", secret)
			}
			if !digits.MatchString(secret) && traces.Holds(secret) {
				t.Errorf("a trace holds the secret %q", secret)
			}
		}
		for _, secret := range w.canaries.secrets {
			w.saidAtMost(t, 0, secret)
		}
		for _, secret := range w.canaries.shownOnce {
			w.saidAtMost(t, 1, secret)
		}
	})
}

func (w *world) saidAtMost(t *testing.T, times int, secret string) {
	for _, said := range w.answers.said {
		if !holds(said, secret) {
			continue
		}
		if times--; times < 0 {
			t.Errorf("an answer holds the secret %q:\n%s", secret, said)
		}
	}
}

// keepsAddresses holds one answer against who asked.
func (w *world) keepsAddresses(t *testing.T, req *http.Request, rec *httptest.ResponseRecorder) {
	said := fmt.Sprintln(rec.Header(), rec.Body.String())
	for _, address := range w.canaries.knownAddresses() {
		if strings.Contains(said, address) && !w.maySee(t, req, address) {
			t.Errorf("%s %s shows somebody the address %s of another", req.Method, req.URL.Path, address)
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

// holds looks for a secret. A code stands for itself: six digits of the id of a request or of a
// trace are none.
func holds(text, secret string) bool {
	if !digits.MatchString(secret) {
		return strings.Contains(text, secret)
	}
	return regexp.MustCompile(`\b` + secret + `\b`).MatchString(text)
}
