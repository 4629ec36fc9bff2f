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

// Proves: S-dev-login
func TestNamesAsPeopleTypeThem(t *testing.T) {
	for _, typed := range []string{"ada", "@ada", "ADA", "@Ada", "  ada ", "  @ada", "ada\n", "\u00a0ada\u3000"} {
		w := newWorld(t)
		w.join(t, "ada")
		b := w.browser()
		login := func(fields map[string]string) auth.ManualLoginReply {
			return read[auth.ManualLoginReply](t, b.post(t, "/api/auth/manual-login", asJSON(t, fields)), ok)
		}
		asked := login(map[string]string{"username": typed})
		require.Equal(t, auth.ManualLoginReply{Error: "Check your e-mail for a 6-digit code.", Code: "code_sent"}, asked, "%q", typed)
		require.False(t, b.who(t).IsAuthenticated, "a name alone lets nobody in")
		require.Equal(t, auth.ManualLoginReply{Success: true}, login(map[string]string{"username": typed, "code": w.mailedCode(t, "ada@example.com")}))
		require.Equal(t, "ada", b.who(t).User.Username)
	}
}

// On a laptop a name may do, but only for people who sit at it.
// Proves: S-dev-login
func TestANameAloneLogsInOnALaptopOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		allowed, local bool
		host, username string
		role, says     string
	}{
		"a member":                        {true, true, "localhost:8080", "ada", "member", ""},
		"a founder who never was here":    {true, true, "127.0.0.1:8080", "@Barbara", "founder", ""},
		"nobody":                          {true, true, "localhost:8080", "nobody", "visitor", ""},
		"under a stranger's name":         {true, true, "evil.example:8080", "ada", "visitor", "code_sent"},
		"where others reach us":           {true, false, "localhost:8080", "ada", "visitor", "code_sent"},
		"where it is not allowed":         {false, true, "localhost:8080", "ada", "visitor", "code_sent"},
		"a founder, where it is not":      {false, true, "localhost:8080", "barbara", "visitor", "code_sent"},
		"a founder, under another's name": {true, true, "evil.example", "barbara", "visitor", "code_sent"},
	} {
		w := newWorld(t)
		w.join(t, "ada")
		w.server.DevLogin, w.server.Site.Local = tt.allowed, tt.local
		b := w.browser()
		b.host = tt.host
		got := read[auth.ManualLoginReply](t, b.post(t, "/api/auth/manual-login", asJSON(t, map[string]string{"username": tt.username})), ok)
		status, in := b.who(t), tt.role != "visitor"
		require.Equal(t, []any{in, tt.says, in, tt.role}, []any{got.Success, got.Code, status.IsAuthenticated, status.Role}, name)
		require.Equal(t, map[bool]string{true: "dev"}[in], status.Provider, name)
	}
}

var ada = somebody{"ada", "ada@example.com"}

// ask has a code mailed, and looks into the e-mail.
func (b *browser) ask(t *testing.T, way string, s somebody) (code string) {
	path, body := asking(way, s)
	rec := b.post(t, path, body)
	require.Equal(t, ok, rec.Code)
	if way == "by e-mail" {
		require.Contains(t, rec.Body.String(), "If the address is somebody's here, a 6-digit code is on its way to it.")
	}
	return b.w.mailedCode(t, s.address)
}

func (b *browser) guess(t *testing.T, way string, s somebody, code string) *httptest.ResponseRecorder {
	path, body := guessing(way, s, code)
	return b.post(t, path, body)
}

// other is a code that is not this one.
func other(code string, i int) string { return fmt.Sprintf("%06d", (atoi(code)+1+i)%1_000_000) }

func atoi(code string) (n int) {
	_, _ = fmt.Sscanf(code, "%d", &n)
	return n
}

// Proves: V15.4.2
func TestFiftyGuessesAtOnceAreFiveAndThenItIsOver(t *testing.T) {
	for _, way := range []string{"by name", "by e-mail"} {
		w := newWorld(t)
		w.join(t, "ada")
		b := w.browser()
		code := b.ask(t, way, ada)
		recs := w.atOnce(t, 50, func(i int) *http.Request {
			path, body := guessing(way, ada, other(code, i))
			return w.request(t, call{method: http.MethodPost, path: path, body: body, key: "none", from: fmt.Sprintf("198.51.100.%d", i)}) // so that no other limit helps
		})
		for _, rec := range recs {
			refused(t, rec, problem.CodeWrong)
			require.Empty(t, rec.Header()["Set-Cookie"])
		}
		require.Equal(t, account.CodeTries, w.count(t, "SELECT tries FROM login_codes"))
		refused(t, b.guess(t, way, ada, code), problem.CodeWrong, "the right one comes too late")
		require.NotContains(t, b.cookies, "session")
		require.Zero(t, w.count(t, "SELECT count(*) FROM sessions"))
		require.Less(t, b.guess(t, way, ada, b.ask(t, way, ada)).Code, 300, "a new one helps")
	}
}

func TestTheFifthGuessMayBeRight(t *testing.T) {
	for wrong, in := range map[int]bool{account.CodeTries - 1: true, account.CodeTries: false} {
		w := newWorld(t)
		w.join(t, "ada")
		b := w.browser()
		code := b.ask(t, "by e-mail", ada)
		for i := range wrong {
			require.Equal(t, http.StatusUnprocessableEntity, b.guess(t, "by e-mail", ada, other(code, i)).Code)
		}
		b.guess(t, "by e-mail", ada, code)
		require.Equal(t, in, b.who(t).IsAuthenticated)
	}
}

func TestCodesAsPeopleTypeThem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typed func(code string) string
		in    bool
	}{
		"as it is":               {func(c string) string { return c }, true},
		"with a blank":           {func(c string) string { return c[:3] + " " + c[3:] }, true},
		"with a dash":            {func(c string) string { return c[:3] + "-" + c[3:] }, true},
		"with blanks around it":  {func(c string) string { return "  " + c + " " }, true},
		"blanks all over":        {func(c string) string { return c[:1] + " " + c[1:2] + " " + c[2:4] + " - " + c[4:] }, true},
		"one digit too many":     {func(c string) string { return c + "0" }, false},
		"one before it":          {func(c string) string { return "0" + c }, false},
		"a full stop":            {func(c string) string { return c + "." }, false},
		"wide digits":            {func(c string) string { return string('０'+rune(c[0]-'0')) + c[1:] }, false},
		"the digits turned":      {func(c string) string { return c[5:] + c[1:5] + string(rune('0'+(c[0]-'0'+1)%10)) }, false},
		"only blanks":            {func(string) string { return "       " }, false},
		"something else":         {func(string) string { return "abcdef" }, false},
		"a line break before it": {func(c string) string { return `\n` + c }, false},
	} {
		for _, way := range []string{"by name", "by e-mail"} {
			t.Run(name+" "+way, func(t *testing.T) {
				w := newWorld(t)
				w.join(t, "ada")
				b := w.browser()
				if rec := b.guess(t, way, ada, tt.typed(b.ask(t, way, ada))); !tt.in {
					refused(t, rec, problem.CodeWrong)
				}
				require.Equal(t, tt.in, b.who(t).IsAuthenticated)
			})
		}
	}
}

func TestACodeIsGoodForOnePersonOnceAndNotForLong(t *testing.T) {
	t.Parallel()
	eve := somebody{"eve", "eve@example.com"}
	for name, tt := range map[string]struct {
		way    string
		before func(t *testing.T, w *world, b *browser, code string)
		guess  somebody
		in     bool
	}{
		"for whom it was mailed":       {"by e-mail", nil, ada, true},
		"for somebody else":            {"by e-mail", func(t *testing.T, w *world, b *browser, _ string) { b.ask(t, "by e-mail", eve) }, eve, false},
		"for somebody else by name":    {"by name", func(t *testing.T, w *world, b *browser, _ string) { b.ask(t, "by name", eve) }, eve, false},
		"for somebody who never asked": {"by e-mail", nil, eve, false},
		"for nobody":                   {"by e-mail", nil, somebody{"nobody", "nobody@example.com"}, false},
		"a second time": {"by e-mail", func(t *testing.T, w *world, b *browser, code string) {
			require.Equal(t, ok, w.browser().guess(t, "by e-mail", ada, code).Code)
		}, ada, false},
		"after a newer one was mailed": {"by e-mail", func(t *testing.T, w *world, b *browser, _ string) { b.ask(t, "by e-mail", ada) }, ada, false},
		"just in time":                 {"by e-mail", func(_ *testing.T, w *world, _ *browser, _ string) { w.now = now.Add(account.CodeLife - time.Second) }, ada, true},
		"ten minutes later":            {"by e-mail", func(_ *testing.T, w *world, _ *browser, _ string) { w.now = now.Add(account.CodeLife) }, ada, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.join(t, "ada")
			w.join(t, "eve")
			b := w.browser()
			code := b.ask(t, tt.way, ada)
			if tt.before != nil {
				tt.before(t, w, b, code)
			}
			rec := b.guess(t, tt.way, tt.guess, code)
			require.Equal(t, tt.in, rec.Code == ok, rec.Body.String())
			require.Equal(t, tt.in, b.who(t).IsAuthenticated)
		})
	}
}

// A code proves an address for the way it was asked for, and no other.
func TestACodeForOneWayIsNoneForAnother(t *testing.T) {
	w := newWorld(t)
	id, _ := w.join(t, "ada")
	b, mine := w.browser(), w.browserWith(w.login(t, id, ""))
	code := b.ask(t, "by e-mail", ada)
	require.Equal(t, http.StatusUnprocessableEntity, b.guess(t, "by name", ada, code).Code)
	require.Equal(t, http.StatusUnprocessableEntity, mine.post(t, "/api/account/email/verify", `{"code":"`+code+`"}`).Code)
	require.Equal(t, ok, b.guess(t, "by e-mail", ada, code).Code)
}

// somebody is who is asked about, by either way to have a code mailed.
type somebody struct{ name, address string }

// asking and guessing are the two steps of a login with a code.
func asking(way string, s somebody) (path, body string) {
	if way == "by name" {
		return "/api/auth/manual-login", `{"username":"` + s.name + `"}`
	}
	return "/api/auth/email", `{"email":"` + s.address + `"}`
}

func guessing(way string, s somebody, code string) (path, body string) {
	if way == "by name" {
		return "/api/auth/manual-login", `{"username":"` + s.name + `","code":"` + code + `"}`
	}
	return "/api/auth/email/verify", `{"email":"` + s.address + `","code":"` + code + `"}`
}

// heard is an answer to the last byte, but for the names of the request and its trace.
func heard(rec *httptest.ResponseRecorder) string {
	header := rec.Header().Clone()
	id := header.Get("X-Request-Id")
	header.Del("X-Request-Id")
	header.Del("X-Trace-Id")
	return fmt.Sprintln(rec.Code, header, strings.ReplaceAll(rec.Body.String(), id, "…"))
}

// conversation is all that somebody hears who asks for codes and guesses until neither is
// allowed any more.
func (w *world) conversation(t *testing.T, way string, s somebody, from string) []string {
	b := w.browser()
	b.from = from
	var all []string
	say := func(path, body string, status int) {
		rec := b.post(t, path, body)
		require.Equal(t, status, rec.Code, rec.Body.String())
		all = append(all, heard(rec))
	}
	guesses := 0
	guess := func() {
		guesses++
		path, body := guessing(way, s, "000000")
		say(path, body, http.StatusUnprocessableEntity)
	}
	ask := func(status int) {
		path, body := asking(way, s)
		say(path, body, status)
	}
	guess() // before there is a code
	ask(ok)
	for range account.CodeTries + 1 { // the sixth is one too many
		guess()
	}
	for range account.CodesPerSubject.Most - 1 {
		ask(ok)
		guess()
	}
	ask(http.StatusTooManyRequests)
	guess()
	for guesses < account.GuessesPerVisitor.Most {
		guess()
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

			nobody := w.conversation(t, way, somebody{"nobody", "nobody@example.com"}, "198.51.100.1")
			for i, s := range []somebody{
				{"ada", "ada@example.com"}, {"ice", "ice@example.com"}, // members
				{"grace", "grace@example.com"}, // a founder who has no address here
				{"bob", "bob@example.com"},     // a member who cannot log in
			} {
				require.Equal(t, nobody, w.conversation(t, way, s, fmt.Sprintf("198.51.100.%d", i+2)), s.name)
			}
		})
	}
}

// Not parallel: it counts memory. What takes time is what is asked of the database, and what is made
// for an answer: of both there is as much for somebody who is known as for somebody who is not.
func TestUnknownPeopleCostAsMuchAsKnownOnes(t *testing.T) {
	const rounds, factor = 50, 1.1
	for _, way := range []string{"by name", "by e-mail"} {
		w := newWorldOn(t, "sqlite")
		w.join(t, "ada")
		people := []somebody{{"ada", "ada@example.com"}, {"eve", "eve@example.com"}}
		var asked, guessed [2]costs
		for round := range rounds {
			w.now = w.now.Add(time.Hour) // every limit begins anew
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
			t.Logf("%s %s: %d bytes for somebody, %d for nobody", step, way, known, unknown)
			require.Less(t, float64(known), factor*float64(unknown), "%s %s", step, way)
			require.Less(t, float64(unknown), factor*float64(known), "%s %s", step, way)
		}
	}
}

// costs are those of calls, one after the other.
type costs struct {
	steps []string // what each call did, as its trace has it
	bytes []uint64 // what each call allocated
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
