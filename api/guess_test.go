package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

var ada = somebody{"ada", "ada@example.com"}

// ask has a code mailed, and looks into the e-mail.
func (b *browser) ask(t *testing.T, way string, s somebody) (code string) {
	t.Helper()
	path, body := asking(way, s)
	require.Equal(t, http.StatusOK, b.post(t, path, body).Code)
	return b.w.mailedCode(t, s.address)
}

func (b *browser) guess(t *testing.T, way string, s somebody, code string) *httptest.ResponseRecorder {
	t.Helper()
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
	t.Parallel()
	for _, way := range []string{"by name", "by e-mail"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.join(t, "ada")
			b := w.browser()
			code := b.ask(t, way, ada)
			recs := make([]*httptest.ResponseRecorder, 50)
			var all sync.WaitGroup
			for i := range recs {
				path, body := guessing(way, ada, other(code, i))
				from := fmt.Sprintf("198.51.100.%d", i) // so that no other limit helps
				req := w.request(t, call{method: http.MethodPost, path: path, body: body, key: "none", from: from})
				all.Go(func() { recs[i] = w.answer(t, req) })
			}
			all.Wait()
			for _, rec := range recs {
				require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
				require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code)
				require.Empty(t, rec.Header()["Set-Cookie"])
			}
			require.Equal(t, account.CodeTries, w.count(t, "SELECT tries FROM login_codes"))

			right := b.guess(t, way, ada, code)
			require.Equal(t, problem.CodeWrong, problemOf(t, right).Code, "the right one comes too late")
			require.NotContains(t, b.cookies, "session")
			require.Zero(t, w.count(t, "SELECT count(*) FROM sessions"))

			require.Less(t, b.guess(t, way, ada, b.ask(t, way, ada)).Code, 300, "a new one helps")
		})
	}
}

func TestTheFifthGuessMayBeRight(t *testing.T) {
	t.Parallel()
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
		"a line break before it": {func(c string) string { return "\n" + c }, false},
	} {
		for _, way := range []string{"by name", "by e-mail"} {
			t.Run(name+" "+way, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.join(t, "ada")
				b := w.browser()
				code := b.ask(t, way, ada)
				path, _ := guessing(way, ada, "")
				rec := b.post(t, path, body(t, map[string]string{map[string]string{"by name": "username", "by e-mail": "email"}[way]: map[string]string{"by name": "ada", "by e-mail": ada.address}[way], "code": tt.typed(code)}))
				if !tt.in {
					require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code)
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
			require.Equal(t, http.StatusOK, w.browser().guess(t, "by e-mail", ada, code).Code)
		}, ada, false},
		"after a newer one was mailed": {"by e-mail", func(t *testing.T, w *world, b *browser, _ string) { b.ask(t, "by e-mail", ada) }, ada, false},
		"just in time":                 {"by e-mail", func(_ *testing.T, w *world, _ *browser, _ string) { w.now = now.Add(account.CodeLife - time.Second) }, ada, true},
		"ten minutes later":            {"by e-mail", func(_ *testing.T, w *world, _ *browser, _ string) { w.now = now.Add(account.CodeLife) }, ada, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.join(t, "ada")
			w.join(t, "eve")
			b := w.browser()
			code := b.ask(t, tt.way, ada)
			if tt.before != nil {
				tt.before(t, w, b, code)
			}
			rec := b.guess(t, tt.way, tt.guess, code)
			require.Equal(t, tt.in, rec.Code == http.StatusOK, rec.Body.String())
			require.Equal(t, tt.in, b.who(t).IsAuthenticated)
		})
	}
}

// A code proves an address for the way it was asked for, and no other.
func TestACodeForOneWayIsNoneForAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, _ := w.join(t, "ada")
	b, mine := w.browser(), w.browserWith(w.login(t, id, ""))
	code := b.ask(t, "by e-mail", ada)
	require.Equal(t, http.StatusUnprocessableEntity, b.guess(t, "by name", ada, code).Code)
	require.Equal(t, http.StatusUnprocessableEntity, mine.post(t, "/api/account/email/verify", `{"code":"`+code+`"}`).Code)
	require.Equal(t, http.StatusOK, b.guess(t, "by e-mail", ada, code).Code)
}

// Whoever guesses may name himself as he likes; only the network says who he is.
// Proves: F31, V2.4.1-all
func TestTheLimitsOfANetworkAreNotEvadedByAHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range account.CodesPerVisitor.Most + 1 {
		rec := w.do(t, call{
			method: http.MethodPost, path: "/api/auth/email", body: fmt.Sprintf(`{"email":"a%d@example.com"}`, i), key: "none",
			header: map[string]string{"X-Forwarded-For": fmt.Sprintf("203.0.113.%d", i), "X-Real-IP": fmt.Sprintf("203.0.113.%d", i)},
		})
		if i < account.CodesPerVisitor.Most {
			require.Equal(t, http.StatusOK, rec.Code)
			continue
		}
		require.Equal(t, problem.TooMany, problemOf(t, rec).Code)
		require.Equal(t, now.Add(time.Hour).Format(http.TimeFormat), rec.Header().Get("Retry-After"))
	}
	b := w.browser()
	b.from = "198.51.100.7"
	require.Equal(t, httpapi.Done{Success: true, Message: "If the address is somebody's here, a 6-digit code is on its way to it."},
		read[httpapi.Done](t, b.post(t, "/api/auth/email", `{"email":"b@example.com"}`), http.StatusOK))
}
