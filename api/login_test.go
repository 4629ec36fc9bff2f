package api_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"

	"customerzero/api/auth"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// DEV_LOGIN logs in by name alone, from this machine only.
// Proves: S-dev-login
func TestANameAloneLogsInOnALaptopOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		allowed, local bool
		host, username string
		role, says     string
		from           string // with its forwarded address
	}{
		"a member":                     {true, true, "localhost:8080", "ada", "member", "", ""},
		"a founder without an account": {true, true, "127.0.0.1:8080", "@Barbara", "founder", "", ""},
		"an unknown name":              {true, true, "localhost:8080", "nobody", "visitor", "", ""},
		"under another host name":      {true, true, "evil.example:8080", "ada", "visitor", "code_sent", ""},
		"on a public site":             {true, false, "localhost:8080", "ada", "visitor", "code_sent", ""},
		"without DEV_LOGIN":            {false, true, "localhost:8080", "ada", "visitor", "code_sent", ""},
		"from another machine":         {true, true, "localhost:8080", "@Barbara", "visitor", "code_sent", "203.0.113.9"},
		"through a proxy":              {true, true, "localhost:8080", "@Barbara", "visitor", "code_sent", "10.0.0.2 203.0.113.9"},
		"through an unknown proxy":     {true, true, "localhost:8080", "@Barbara", "visitor", "code_sent", "127.0.0.1 127.0.0.1"},
		"from the host of containers":  {true, true, "localhost:8080", "ada", "member", "", "10.0.0.2 10.0.0.1"},
	} {
		w := newWorld(t)
		w.join(t, "ada")
		w.server.DevLogin, w.server.Site.Local = tt.allowed, tt.local
		w.server.TrustedProxies = []string{"10.0.0.0/24"}
		b := w.browser()
		b.host = tt.host
		b.from, b.forwarded, _ = strings.Cut(tt.from, " ")
		got := read[auth.ManualLoginReply](t, b.post(t, "/api/auth/manual-login", asJSON(t, map[string]string{"username": tt.username})), ok)
		status, in := b.who(t), tt.role != "visitor"
		require.Equal(t, []any{in, tt.says, in, tt.role}, []any{got.Success, got.Code, status.IsAuthenticated, status.Role}, name)
		require.Equal(t, map[bool]string{true: "dev"}[in], status.Provider, name)
	}
}

// A code is valid only for the account and the login method it was requested for.
func TestACodeIsValidForOneAccountAndOneLoginMethod(t *testing.T) {
	w := newWorld(t)
	w.join(t, "ada")
	w.join(t, "eve")
	b := w.browser()
	for _, way := range []string{"by e-mail", "by name"} {
		for _, s := range []person{{"ada", "ada@example.com"}, {"eve", "eve@example.com"}} {
			path, body := asking(way, s)
			require.Equal(t, ok, b.post(t, path, body).Code)
		}
		code := w.mailed(t, "ada@example.com", "Code")
		for _, wrong := range []struct {
			way string
			who person
		}{{way, person{"eve", "eve@example.com"}}, {map[string]string{"by name": "by e-mail", "by e-mail": "by name"}[way], person{"ada", "ada@example.com"}}} {
			path, body := guessing(wrong.way, wrong.who, code)
			refused(t, b.post(t, path, body), problem.CodeWrong)
			require.NotContains(t, b.cookies, "session")
		}
		path, body := guessing(way, person{"ada", "ada@example.com"}, code[:3]+" - "+code[3:])
		require.Equal(t, ok, b.post(t, path, body).Code)
		require.Equal(t, "ada", b.who(t).User.Username)
		b = w.browser()
	}
}

type person struct{ name, address string }

// asking and guessing return the two requests of a login with a code.
func asking(way string, s person) (path, body string) {
	if way == "by name" {
		return "/api/auth/manual-login", `{"username":"` + s.name + `"}`
	}
	return "/api/auth/email", `{"email":"` + s.address + `"}`
}

func guessing(way string, s person, code string) (path, body string) {
	if way == "by name" {
		return "/api/auth/manual-login", `{"username":"` + s.name + `","code":"` + code + `"}`
	}
	return "/api/auth/email/verify", `{"email":"` + s.address + `","code":"` + code + `"}`
}

// wholeReply returns a reply without its request and trace ID.
func wholeReply(rec *httptest.ResponseRecorder) string {
	header := rec.Header().Clone()
	id := header.Get("X-Request-Id")
	header.Del("X-Request-Id")
	header.Del("X-Trace-Id")
	return fmt.Sprintln(rec.Code, header, strings.ReplaceAll(rec.Body.String(), id, "…"))
}

// conversation returns all replies to code requests and guesses until both limits are exhausted.
func (w *world) conversation(t *testing.T, way string, s person, from string) []string {
	b := w.browser()
	b.from = from
	var all []string
	say := func(path, body string, status int) {
		rec := b.post(t, path, body)
		require.Equal(t, status, rec.Code, rec.Body.String())
		all = append(all, strings.ReplaceAll(wholeReply(rec), b.cookies["device"]+";", "…"))
	}
	guesses := 0
	guess := func(counted bool) {
		if counted {
			guesses++
		}
		path, body := guessing(way, s, "000000")
		say(path, body, http.StatusUnprocessableEntity)
	}
	ask := func(status int) {
		path, body := asking(way, s)
		say(path, body, status)
	}
	guess(true) // without a code
	ask(ok)
	for i := range account.CodeTries + 1 { // one more than allowed
		guess(i == account.CodeTries)
	}
	for range account.CodesForSubject.PerNetwork.Most - 1 {
		ask(ok)
		guess(false)
	}
	ask(http.StatusTooManyRequests)
	for range account.CodeTries - 1 {
		guess(false)
	}
	for guesses < account.GuessesPerNetwork.Most {
		guess(true)
	}
	path, body := guessing(way, s, "000000")
	say(path, body, http.StatusTooManyRequests)
	return all
}

// Proves: V2.4.1-logins, S-dev-login
func TestUnknownPeopleAreAnsweredLikeKnownOnes(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"by name", "by e-mail"} {
		t.Run(way, func(t *testing.T) {
			w := newWorld(t)
			w.join(t, "ada")
			_, frozen := w.join(t, "ice")
			w.setStatus(t, frozen, member.StatusFrozen)
			must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
			require.NoError(t, w.db.Members.AddMember(t.Context(), member.Member{
				ID: "m", Username: "bob", UsernameKey: "bob", Status: member.StatusActive, PaymentCents: 900, JoinedAt: now,
			}, nil))

			nobody := w.conversation(t, way, person{"nobody", "nobody@example.com"}, "198.51.100.1")
			for i, s := range []person{
				{"ada", "ada@example.com"}, {"ice", "ice@example.com"}, // members
				{"grace", "grace@example.com"}, // a founder without an email address
				{"bob", "bob@example.com"},     // a member who cannot log in
			} {
				require.Equal(t, nobody, w.conversation(t, way, s, fmt.Sprintf("198.51.100.%d", i+2)), s.name)
			}
		})
	}
}

// A known and an unknown account cause the same queries and allocations, so response times reveal nothing. Not parallel,
// because it measures memory.
func TestUnknownAccountsCostAsMuchAsKnownOnes(t *testing.T) {
	const rounds, factor = 50, 1.1
	for _, way := range []string{"by name", "by e-mail"} {
		w := newWorldOn(t, "sqlite")
		w.join(t, "ada")
		people := []person{{"ada", "ada@example.com"}, {"eve", "eve@example.com"}}
		var asked, guessed [2]costs
		for round := range rounds {
			w.now = w.now.Add(24 * time.Hour) // resets the limits
			for i := range people {
				who := (i + round) % 2 // each goes first as often as the other
				path, body := asking(way, people[who])
				asked[who].add(w.costOf(t, path, body))
				path, body = guessing(way, people[who], "000000")
				guessed[who].add(w.costOf(t, path, body))
			}
		}
		for step, of := range map[string][2]costs{"asking": asked, "guessing": guessed} {
			require.NotEmpty(t, of[0].steps[0], "%s %s", step, way)
			require.Equal(t, of[0].steps, of[1].steps, "%s %s", step, way)
			known, unknown := median(of[0].bytes), median(of[1].bytes)
			t.Logf("%s %s: %d bytes for a known account, %d for an unknown one", step, way, known, unknown)
			require.Less(t, float64(known), factor*float64(unknown), "%s %s", step, way)
			require.Less(t, float64(unknown), factor*float64(known), "%s %s", step, way)
		}
	}
}

type costs struct {
	steps []string // spans of each request
	bytes []uint64 // allocations of each request
}

func (c *costs) add(steps string, bytes uint64) {
	c.steps, c.bytes = append(c.steps, steps), append(c.bytes, bytes)
}

func (w *world) costOf(t *testing.T, path, body string) (steps string, bytes uint64) {
	req := w.browser().request(t, http.MethodPost, path, body)
	var id trace.TraceID
	must(rand.Read(id[:]))(t)
	traces.Follow(id)
	req.Header.Set("Traceparent", "00-"+id.String()+"-00f067aa0ba902b7-01")
	rec := httptest.NewRecorder()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w.handler.ServeHTTP(rec, req)
	runtime.ReadMemStats(&after)
	require.Less(t, rec.Code, http.StatusTooManyRequests, rec.Body.String())
	for _, span := range traces.Of(id) {
		steps += span.Name + "\n"
	}
	return steps, after.TotalAlloc - before.TotalAlloc
}

func median(all []uint64) uint64 {
	slices.Sort(all)
	return all[len(all)/2]
}
