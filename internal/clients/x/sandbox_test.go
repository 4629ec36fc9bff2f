package x_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/testwait"
	xsandbox "customerzero/internal/sandbox/x"
)

// world is a sandbox of X with a client and an app.
type world struct {
	x      *xsandbox.Server
	url    string
	client *x.Client
	app    *x.App
}

func newWorld(t *testing.T, changes ...func(*xsandbox.Config)) *world {
	t.Helper()
	config := xsandbox.Config{
		ConsumerKey: secrets[0], ConsumerSecret: secrets[1], AccessToken: secrets[2], AccessSecret: secrets[3],
		UserID: "4242", Username: "customerzero", Name: "Customer Zero", Accounts: []xsandbox.Account{{ID: "7", Username: "ada", Name: "Ada"}},
		Callbacks: []string{backURL}, Log: slog.New(slog.DiscardHandler),
	}
	for _, change := range changes {
		change(&config)
	}
	sandbox, err := xsandbox.New(config)
	require.NoError(t, err)
	server := httptest.NewServer(sandbox.Handler())
	t.Cleanup(func() {
		require.NoError(t, sandbox.Close())
		server.Close()
	})
	client := newClient(server.URL, func(c *x.Config) { c.UserID, c.Now = "", time.Now })
	return &world{x: sandbox, url: server.URL, client: client, app: newApp(server.URL, onTime)}
}

func (w *world) fault(t *testing.T, rule xsandbox.Rule) {
	t.Helper()
	require.NoError(t, w.x.SetFaults(xsandbox.Faults{Rules: []xsandbox.Rule{rule}}))
}

// publish publishes a text that X accepts.
func (w *world) publish(t *testing.T, draft post.Draft) post.Tweet {
	t.Helper()
	tweet, err := w.client.Publish(t.Context(), draft)
	require.NoError(t, err)
	return tweet
}

// TestSandbox publishes, waits for a slow call, counts, and deletes.
// Proves: V10.2.1
func TestSandbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	me, err := w.client.Me(t.Context())
	require.NoError(t, err)
	require.Equal(t, x.User{ID: "4242", Username: "customerzero", Name: "Customer Zero"}, me)

	kept := w.publish(t, post.Draft{Text: "stays", PaidPartnership: true})
	require.False(t, w.x.Tweets()[0].MadeWithAI)
	require.True(t, w.x.Tweets()[0].PaidPartnership)
	w.fault(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.Slow, Times: 1, Delay: 500 * time.Millisecond})
	began := time.Now()
	gone := w.publish(t, post.Draft{Text: "goes"})
	require.GreaterOrEqual(t, time.Since(began), 500*time.Millisecond)
	require.NoError(t, w.client.Delete(t.Context(), gone.ID))
	require.NoError(t, w.client.Delete(t.Context(), gone.ID), "it is already deleted")

	counts, err := w.client.Metrics(t.Context(), []string{kept.ID, gone.ID, "1"})
	require.NoError(t, err)
	require.Len(t, counts, 1)
	require.Contains(t, counts, kept.ID)
	counts, err = w.client.Metrics(t.Context(), []string{gone.ID})
	require.NoError(t, err)
	require.Empty(t, counts)

	tweets, err := w.client.Timeline(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Len(t, tweets, 1)
}

// TestSandboxGivesTextsBack checks that published texts are recognized on the timeline, which finding a lost
// post depends on.
// Proves: S-oauth-body
func TestSandboxGivesTextsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	texts := map[string]string{
		"a link":                     "Read https://example.com/a?b=1&c=2#d now",
		"a bare domain":              "We are at Example.com/Path/ again",
		"a domain at the end":        "See example.com.",
		"links side by side":         "a.co b.co/x,https://c.co",
		"the same link twice":        "https://example.com and https://example.com",
		"a link in brackets":         "(https://example.com/Film_(1999)) [b.org]",
		"a link behind foreign text": "見てexample.com/ü を",
		"a foreign host":             "https://bücher.example.com/ und https://例え.jp/x",
		"signs of HTML":              "a < b && c > d &amp; &lt; &copy; \"q\" 'r'",
		"signs in a link":            "https://example.com/?a=<b>&c=d",
		"emoji":                      "👩🏽‍💻 ships 🇯🇵 1️⃣ ❤️",
		"Chinese and Arabic":         "你好，世界。 مرحبا بالعالم",
		"marks apart":                "cafe\u0301 \u1100\u1161",
		"lines and blanks":           "  one\n\n  two\t three \n",
		"an address and a tag":       "me@example.com @zero #tag $CASH",
		"a forgotten blank":          "We turned it.off",
		"a quotation":                "\\ / %41 + ~ ` \u2028 \u00a0 .",
		"as long as can be":          strings.Repeat("好", 140),
		"a very long link":           "https://example.com/" + strings.Repeat("a", 1500),
	}
	keys := map[string]string{}
	since := time.Now()
	for name, text := range texts {
		require.NoError(t, post.CheckText(text), name)
		keys[w.publish(t, post.Draft{Text: text}).ID] = post.TextKey(text)
	}
	tweets, err := w.client.Timeline(t.Context(), since)
	require.NoError(t, err)
	require.Len(t, tweets, len(texts))
	for _, tweet := range tweets {
		require.Equal(t, keys[tweet.ID], post.TextKey(tweet.Text), "%q", tweet.Text)
		require.WithinDuration(t, time.Now(), tweet.CreatedAt, time.Minute)
	}
}

func TestSandboxTimelineInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *xsandbox.Config) { c.Limit = 1000 })
	const tweets = 205
	var last post.Tweet
	for i := range tweets {
		last = w.publish(t, post.Draft{Text: strings.Repeat("a", i+1)})
	}
	timeline, err := w.client.Timeline(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Len(t, timeline, tweets)
	require.Equal(t, last.ID, timeline[0].ID)

	timeline, err = w.client.Timeline(t.Context(), time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Empty(t, timeline)
}

// Proves: F11
func TestSandboxRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.publish(t, post.Draft{Text: "hello"})
	for text, class := range map[string]post.Class{"hello": post.Duplicate, strings.Repeat("a", 281): post.Refused, " ": post.Refused} {
		_, err := w.client.Publish(t.Context(), post.Draft{Text: text})
		require.Equal(t, class, failure(t, err).Class, text)
	}

	w = newWorld(t, func(c *xsandbox.Config) { c.AccessSecret = "another" })
	_, err := w.client.Publish(t.Context(), post.Draft{Text: "hello"})
	require.Equal(t, "x_bad_token", failure(t, err).Code)
	require.Empty(t, w.x.Tweets())

	w = newWorld(t, func(c *xsandbox.Config) { c.Limit = 1 })
	w.publish(t, post.Draft{Text: "one"})
	_, err = w.client.Publish(t.Context(), post.Draft{Text: "two"})
	failed := failure(t, err)
	require.Equal(t, post.RateLimited, failed.Class)
	require.WithinDuration(t, time.Now().Add(15*time.Minute), failed.RetryAt, time.Minute)
}

// TestSandboxFaults checks that no error claims that a post was not sent when it may have been.
// Proves: F8
func TestSandboxFaults(t *testing.T) {
	t.Parallel()
	for fault, tt := range map[xsandbox.Fault]struct {
		class    post.Class
		accepted bool
	}{
		xsandbox.RateLimit:        {post.RateLimited, false},
		xsandbox.Unauthorized:     {post.AccountRefused, false},
		xsandbox.NoCredits:        {post.AccountRefused, false},
		xsandbox.Forbidden:        {post.AccountRefused, false},
		xsandbox.Unavailable:      {post.Unclear, false},
		xsandbox.UnavailableAfter: {post.Unclear, true},
		xsandbox.DropBefore:       {post.Unclear, false},
		xsandbox.DropAfter:        {post.Unclear, true},
		xsandbox.HangBefore:       {post.Unclear, false},
		xsandbox.HangAfter:        {post.Unclear, true},
		xsandbox.Truncate:         {post.Unclear, true},
		xsandbox.Late:             {post.Unclear, true},
		xsandbox.Garbage:          {post.Unclear, false},
		xsandbox.BadApp:           {post.AccountRefused, false},
		xsandbox.Clock:            {post.AccountRefused, false},
		xsandbox.SuspendedApp:     {post.AccountRefused, false},
		xsandbox.NotEnrolled:      {post.AccountRefused, false},
		xsandbox.ReadOnly:         {post.AccountRefused, false},
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			delay := map[xsandbox.Fault]time.Duration{xsandbox.Late: 10 * time.Millisecond, xsandbox.RateLimit: time.Hour}[fault]
			w.fault(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: fault, Times: 1, Delay: delay})
			patience := testwait.Limit
			if slices.Contains([]xsandbox.Fault{xsandbox.HangBefore, xsandbox.HangAfter, xsandbox.Late}, fault) {
				patience = 2 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := w.client.Publish(ctx, post.Draft{Text: "hello"})
			require.Equal(t, tt.class, failure(t, err).Class)
			if fault == xsandbox.RateLimit {
				require.WithinDuration(t, time.Now().Add(time.Hour), failure(t, err).RetryAt, time.Minute)
			}
			want := 0
			if tt.accepted {
				want = 1
			}
			require.Eventually(t, func() bool {
				tweets, err := w.client.Timeline(t.Context(), time.Time{})
				return err == nil && len(tweets) == want
			}, testwait.Limit, 20*time.Millisecond)
		})
	}
}

func onTime(c *x.AppConfig) { c.Now = time.Now }

func (w *world) begin(t *testing.T) account.RequestToken {
	t.Helper()
	token, err := w.app.RequestToken(t.Context(), backURL)
	require.NoError(t, err)
	return token
}

// decide submits the consent page and returns the query of X's redirect.
func (w *world) decide(t *testing.T, token, account, decision string) url.Values {
	t.Helper()
	form := url.Values{"oauth_token": {token}, "account": {account}, "decision": {decision}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.app.ConsentURL(token), strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	browser := &http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusFound, resp.StatusCode)
	back, err := resp.Location()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(back.String(), backURL+"?"))
	return back.Query()
}

// allow approves the login and returns the verifier.
func (w *world) allow(t *testing.T, token, account string) string {
	t.Helper()
	back := w.decide(t, token, account, "allow")
	require.Equal(t, token, back.Get("oauth_token"))
	return back.Get("oauth_verifier")
}

// Proves: V10.2.1
func TestLoggingInOnTheSandbox(t *testing.T) {
	t.Parallel()
	for id, username := range map[string]string{"4242": "customerzero", "7": "ada"} {
		t.Run(username, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			token := w.begin(t)
			who, err := w.app.Identify(t.Context(), token, w.allow(t, token.Token, id))
			require.NoError(t, err)
			require.Equal(t, account.XUser{ID: id, Handle: username}, who)
		})
	}
}

// TestLoginsThatTheSandboxRefuses checks that none of these attempts logs in.
// Proves: V10.2.1
func TestLoginsThatTheSandboxRefuses(t *testing.T) {
	t.Parallel()
	for name, attempt := range map[string]func(*testing.T, *world) (account.RequestToken, string){
		"the person says no": func(t *testing.T, w *world) (account.RequestToken, string) {
			token := w.begin(t)
			back := w.decide(t, token.Token, "7", "cancel")
			require.Equal(t, token.Token, back.Get("denied"))
			require.Empty(t, back.Get("oauth_verifier"))
			return token, ""
		},
		"the person has not said anything": func(t *testing.T, w *world) (account.RequestToken, string) { return w.begin(t), "made-up" },
		"the verifier is wrong": func(t *testing.T, w *world) (account.RequestToken, string) {
			token := w.begin(t)
			return token, w.allow(t, token.Token, "7") + "0"
		},
		"the token was used before": func(t *testing.T, w *world) (account.RequestToken, string) {
			token := w.begin(t)
			verifier := w.allow(t, token.Token, "7")
			_, err := w.app.Identify(t.Context(), token, verifier)
			require.NoError(t, err)
			return token, verifier
		},
		"the verifier is another login's": func(t *testing.T, w *world) (account.RequestToken, string) {
			mine, other := w.begin(t), w.begin(t)
			w.allow(t, mine.Token, "7")
			return mine, w.allow(t, other.Token, "4242")
		},
		"the token is one login's, its secret another's": func(t *testing.T, w *world) (account.RequestToken, string) {
			mine, other := w.begin(t), w.begin(t)
			return account.RequestToken{Token: other.Token, Secret: mine.Secret}, w.allow(t, other.Token, "4242")
		},
		"the token is made up": func(_ *testing.T, _ *world) (account.RequestToken, string) { return underWay, verifier },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			token, verifier := attempt(t, w)
			who, err := w.app.Identify(t.Context(), token, verifier)
			failure := failed(t, err)
			require.Equal(t, account.TroubleRefused, failure.Trouble)
			require.Equal(t, http.StatusUnauthorized, failure.Status)
			require.Empty(t, who)
		})
	}
}

// TestSettingsThatTheSandboxRefuses checks the diagnosis of wrong keys, tokens and callbacks.
// Proves: V10.2.1
func TestSettingsThatTheSandboxRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		change   func(*x.AppConfig)
		callback string
		code     string
		number   int // X's error number
	}{
		"nothing is wrong":           {func(*x.AppConfig) {}, backURL, "ok", 0},
		"the key is wrong":           {func(c *x.AppConfig) { c.ConsumerKey += "x" }, backURL, "keys_refused", 32},
		"the secret is wrong":        {func(c *x.AppConfig) { c.ConsumerSecret += "x" }, backURL, "keys_refused", 32},
		"the callback is not listed": {func(*x.AppConfig) {}, backURL + "/other", "callback_refused", 415},
		"the address is not X's API": {func(c *x.AppConfig) { c.BaseURL += "/elsewhere" }, backURL, "refused", 0},
	} {
		app := newApp(w.url, onTime, tt.change)
		answer := app.ProbeRequestToken(t.Context(), tt.callback)
		require.Equal(t, tt.number, answer.Code, name)
		require.Equal(t, tt.code, diagnostic.CheckRequestToken(answer).Code, name)
		if _, err := app.RequestToken(t.Context(), tt.callback); tt.code != "ok" {
			require.Equal(t, account.TroubleRefused, failed(t, err).Trouble, name)
		}
	}
	for name, secret := range map[string]string{"ok": secrets[3], "token_refused": "another"} {
		require.Equal(t, name, diagnostic.CheckAccount(w.app.ProbeAccount(t.Context(), secrets[2], secret)).Code)
	}
}

// breakage is a fault of the sandbox and its diagnosis.
type breakage struct {
	fault                 xsandbox.Fault
	requestToken, account string           // codes of the findings
	trouble               account.XTrouble // of a login; empty: it succeeds
}

var breakages = map[string]breakage{
	"it takes no more calls":          {xsandbox.RateLimit, "rate_limited", "rate_limited", "refused"},
	"it knows neither keys nor token": {xsandbox.Unauthorized, "keys_refused", "token_refused", "refused"},
	"it does not know the keys":       {xsandbox.BadApp, "keys_refused", "token_refused", "refused"},
	"the clocks differ":               {xsandbox.Clock, "clock_skew", "clock_skew", "refused"},
	"the app is suspended":            {xsandbox.SuspendedApp, "app_suspended", "app_suspended", "refused"},
	"the app is not enrolled":         {xsandbox.NotEnrolled, "ok", "not_enrolled", ""},
	"the callback is not listed":      {xsandbox.CallbackRefused, "callback_refused", "ok", "refused"},
	"the callback is not confirmed":   {xsandbox.Unconfirmed, "unconfirmed", "ok", "nonsense"},
	"the credits are used up":         {xsandbox.NoCredits, "no_credits", "no_credits", "refused"},
	"the app may only read, it says":  {xsandbox.Forbidden, "read_only", "read_only", "refused"},
	"the token may only read":         {xsandbox.ReadOnly, "ok", "read_only", ""},
	"it is over capacity":             {xsandbox.Unavailable, "page_down", "page_down", "down"},
	"it is over capacity, and did it": {xsandbox.UnavailableAfter, "page_down", "page_down", "down"},
	"it hangs up":                     {xsandbox.DropBefore, "unreachable", "unreachable", "down"},
	"it hangs up, and did it":         {xsandbox.DropAfter, "unreachable", "unreachable", "down"},
	"it falls silent":                 {xsandbox.HangBefore, "unreachable_timeout", "unreachable_timeout", "down"},
	"it falls silent, and did it":     {xsandbox.HangAfter, "unreachable_timeout", "unreachable_timeout", "down"},
	"it falls silent for a while":     {xsandbox.Late, "unreachable_timeout", "unreachable_timeout", "down"},
	"its answers are cut":             {xsandbox.Truncate, "nonsense", "nonsense", "nonsense"},
	"another page answers":            {xsandbox.Garbage, "nonsense", "nonsense", "nonsense"},
	"it is slow, within our patience": {xsandbox.Slow, "ok", "ok", ""},
}

// TestABrokenX checks the diagnosis of every fault, and the error of a login.
// Proves: F12
func TestABrokenX(t *testing.T) {
	t.Parallel()
	var known []xsandbox.Fault
	for name, tt := range breakages {
		known = append(known, tt.fault)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			token := w.begin(t)
			verifier := w.allow(t, token.Token, "7")
			w.breakDown(t, tt.fault)
			require.Equal(t, tt.requestToken, diagnostic.CheckRequestToken(w.app.ProbeRequestToken(t.Context(), backURL)).Code)
			require.Equal(t, tt.account, diagnostic.CheckAccount(w.app.ProbeAccount(t.Context(), secrets[2], secrets[3])).Code)

			_, err := w.app.RequestToken(t.Context(), backURL)
			requireTrouble(t, tt.trouble, err)
			if slices.Contains([]xsandbox.Fault{xsandbox.CallbackRefused, xsandbox.Unconfirmed}, tt.fault) {
				tt.trouble = "" // the second call does not depend on the callback
			}
			_, err = w.app.Identify(t.Context(), token, verifier)
			requireTrouble(t, tt.trouble, err)
		})
	}
	require.ElementsMatch(t, xsandbox.AllFaults, known)
}

func requireTrouble(t *testing.T, want account.XTrouble, err error) {
	t.Helper()
	if want == "" {
		require.NoError(t, err)
		return
	}
	require.Equal(t, want, failed(t, err).Trouble)
}

// TestDiagnosisOfAWrongClock checks the amount and the direction of the difference.
// Proves: F25, S-clock
func TestDiagnosisOfAWrongClock(t *testing.T) {
	t.Parallel()
	for says, delay := range map[string]time.Duration{
		"clock is 6 minutes ahead of X's": -6 * time.Minute,
		"clock is 6 minutes behind X's":   6 * time.Minute,
		"clock is 3 hours behind X's":     3 * time.Hour,
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(t, xsandbox.Rule{On: xsandbox.OnAny, Fault: xsandbox.Clock, Delay: delay})
			answer := w.app.ProbeRequestToken(t.Context(), backURL)
			require.Equal(t, 135, answer.Code)
			// API v2 does not report the cause, but its Date header shows it.
			account := diagnostic.CheckAccount(w.app.ProbeAccount(t.Context(), secrets[2], secrets[3]))
			for _, finding := range []diagnostic.Finding{diagnostic.CheckRequestToken(answer), account} {
				require.Equal(t, "clock_skew", finding.Code)
				require.Contains(t, finding.Problem, says)
			}
		})
	}
}

// breakDown makes every call that the fault applies to misbehave. The timeout is short for faults without a
// response.
func (w *world) breakDown(t *testing.T, fault xsandbox.Fault) {
	t.Helper()
	rule := xsandbox.Rule{On: xsandbox.OnAny, Fault: fault}
	switch fault {
	case xsandbox.HangBefore, xsandbox.HangAfter, xsandbox.Late:
		w.app = newApp(w.url, onTime, func(c *x.AppConfig) { c.Timeout = 300 * time.Millisecond })
	case xsandbox.Slow:
		rule.Delay = 10 * time.Millisecond
	default:
	}
	w.fault(t, rule)
}
