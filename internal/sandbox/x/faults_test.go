package x

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

const helloBody = `{"text":"hello"}`

func (w *world) fault(rules ...Rule) {
	w.t.Helper()
	require.NoError(w.t, w.sandbox.SetFaults(Faults{Seed: 1, Rules: rules}))
}

// start posts a tweet whose call may get no answer, and waits until the fault hit it and so many tweets were accepted.
func (w *world) start(ctx context.Context, accepted int) <-chan error {
	w.t.Helper()
	ended := make(chan error, 1)
	go func() {
		response, err := w.client.Do(w.request(http.MethodPost, "/2/tweets", helloBody).WithContext(ctx))
		if err == nil {
			_ = response.Body.Close()
		}
		ended <- err
	}()
	require.Eventually(w.t, func() bool {
		_, rules := w.sandbox.faults.List()
		return rules[0].Fired == 1 && len(w.sandbox.Tweets()) == accepted
	}, testwait.Limit, time.Millisecond)
	return ended
}

// v2Calls are the calls of API v2, about a tweet.
func v2Calls(id string) map[string]string {
	return map[string]string{
		"/2/tweets": http.MethodPost, "/2/users/me": http.MethodGet, "/2/tweets?ids=" + id: http.MethodGet, "/2/tweets/" + id: http.MethodDelete,
	}
}

// TestFaultsThatAnswer: what each fault makes of the calls of API v2, in X's words.
func TestFaultsThatAnswer(t *testing.T) {
	t.Parallel()
	plain := func(status int) string {
		return fmt.Sprintf(`{"title":%[1]q,"type":"about:blank","status":%[2]d,"detail":%[1]q}`, http.StatusText(status), status)
	}
	const noCredits = `{"title":"CreditsDepleted","type":"https://api.twitter.com/2/problems/credits","status":402,` +
		`"detail":"Your enrolled account [4242] does not have any credits to fulfill this request."}`
	const suspended = `{"title":"Client Forbidden","type":"https://api.twitter.com/2/problems/client-forbidden","status":403,` +
		`"detail":"Invalid / suspended application."}`
	const enroll = `{"client_id":"10000001","title":"Client Forbidden","reason":"client-not-enrolled",` +
		`"type":"https://api.twitter.com/2/problems/client-forbidden","required_enrollment":"Appropriate Level of API Access",` +
		`"registration_url":"https://developer.twitter.com/en/docs/projects/overview","detail":"When authenticating requests to the ` +
		`Twitter API v2 endpoints, you must use keys and tokens from a Twitter developer App that is attached to a Project. ` +
		`You can create a project via the developer portal."}`
	const mayRead = `{"title":"Forbidden","type":"https://api.x.com/2/problems/oauth1-permissions","status":403,` +
		`"detail":"Your client app is not configured with the appropriate oauth1 app permissions for this endpoint."}`
	for fault, tt := range map[Fault]struct {
		status int
		body   string // JSON, or a part of a web page
		access string // read-write when left out
		reads  bool   // are served
		done   bool   // X did what was asked for
	}{
		RateLimit: {status: 429, body: plain(429)}, Unauthorized: {status: 401, body: plain(401)}, NoCredits: {status: 402, body: noCredits},
		BadApp: {status: 401, body: plain(401)}, Clock: {status: 401, body: plain(401)},
		SuspendedApp: {status: 403, body: suspended}, NotEnrolled: {status: 403, body: enroll},
		Forbidden: {status: 403, body: mayRead, access: "read"}, ReadOnly: {status: 403, body: mayRead, access: "read", reads: true},
		Unavailable:      {status: 503, body: "<h1>Over capacity</h1>"},
		UnavailableAfter: {status: 503, body: "<h1>Over capacity</h1>", done: true},
		Garbage:          {status: 200, body: "<h1>Welcome&hellip;</h1>"},
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.tweet("before")
			w.fault(Rule{On: OnAny, Fault: fault})
			for path, method := range v2Calls(id) {
				answer := w.call(method, path, helloBody)
				require.Equal(t, cmp.Or(tt.access, "read-write"), answer.header.Get("x-access-level"), path)
				switch {
				case tt.reads && method == http.MethodGet:
					require.Equal(t, http.StatusOK, answer.status, path)
					require.Contains(t, answer.json(t), "data", path)
					continue
				case tt.body[0] == '{':
					require.JSONEq(t, tt.body, answer.body, path)
				default:
					require.Contains(t, answer.header.Get("Content-Type"), "text/html", path)
					require.Contains(t, answer.body, tt.body, path)
				}
				require.Equal(t, tt.status, answer.status, path)
			}
			require.Equal(t, tt.done, slices.Contains(w.texts(), "hello"))
			require.Equal(t, tt.done, !w.sandbox.Tweets()[0].DeletedAt.IsZero())
			w.fault()
			w.tweet("healed")
		})
	}
}

func TestASlowAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnPost, Fault: Slow, Delay: 20 * time.Millisecond})
	began := time.Now()
	w.tweet("hello")
	require.GreaterOrEqual(t, time.Since(began), 20*time.Millisecond)
}

// Proves: F7
func TestARateLimitNamesItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnAny, Fault: RateLimit, Delay: 90 * time.Second})
	answer := w.me()
	require.Equal(t, http.StatusTooManyRequests, answer.status)
	require.Equal(t, "0", answer.header.Get("x-rate-limit-remaining"))
	require.Equal(t, strconv.FormatInt(unixCeil(w.clock.Now().Add(90*time.Second)), 10), answer.header.Get("x-rate-limit-reset"))
}

// Proves: F10
func TestALateTweetIsSeenLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnPost, Fault: Late, Delay: time.Minute, Times: 1})
	ctx, cancel := context.WithCancel(t.Context())
	ended := w.start(ctx, 1)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	id := w.sandbox.Tweets()[0].ID
	lookup := func() string { return w.call(http.MethodGet, "/2/tweets?ids="+id, "").body }
	w.clock.advance(time.Minute - time.Nanosecond)
	ids, _ := w.timeline(nil)
	require.Empty(t, ids)
	require.Contains(t, lookup(), "Could not find tweet")
	require.Equal(t, http.StatusForbidden, w.call(http.MethodPost, "/2/tweets", helloBody).status, "X has the text already")
	w.clock.advance(time.Nanosecond)
	ids, _ = w.timeline(nil)
	require.Equal(t, []string{id}, ids)
	require.Contains(t, lookup(), "hello")
}

func TestAHangEndsWhenTheSandboxCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnAny, Fault: HangBefore})
	ended := w.start(t.Context(), 0)
	require.NoError(t, w.sandbox.Close())
	require.Error(t, <-ended)
}

const faultsPath = "/sandbox/x/faults"

// TestFaultsOverHTTP: a fault that would hit nothing cannot be set.
func TestFaultsOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	put := func(rule string) reply { return w.send(http.MethodPut, faultsPath, `{"rules":[{`+rule+`}]}`) }
	everywhere := []Target{OnPost, OnRead, OnLogin, OnRequestToken, OnAccessToken, OnAny}
	fits := map[Fault][]Target{
		CallbackRefused: {OnLogin, OnRequestToken, OnAny}, Unconfirmed: {OnLogin, OnRequestToken, OnAny},
		NotEnrolled: {OnPost, OnRead, OnAny}, ReadOnly: {OnPost, OnRead, OnAny},
	}
	for _, fault := range AllFaults {
		for _, on := range everywhere {
			want := fits[fault] == nil || slices.Contains(fits[fault], on)
			answer := put(fmt.Sprintf(`"on":%q,"fault":%q`, on, fault))
			require.Equal(t, want, answer.status == http.StatusOK, "%s on %s: %s", fault, on, answer.body)
			if !want {
				require.Contains(t, answer.at(t, "error"), "use it on one of")
			}
		}
	}
	require.Equal(t, "-10m0s", put(`"on":"login","fault":"clock","delay":"-10m"`).at(t, "rules.0.delay"))
	for name, rule := range map[string]string{
		"an unknown fault":  `"on":"post","fault":"explode"`,
		"an unknown target": `"on":"write","fault":"slow"`,
		"no target":         `"fault":"slow"`,
		"deletions alone":   `"on":"delete","fault":"slow"`,
		"a negative delay":  `"on":"post","fault":"slow","delay":"-5s"`,
		"copies":            `"on":"post","fault":"slow","copies":1`,
	} {
		answer := put(rule)
		require.Equal(t, http.StatusBadRequest, answer.status, name)
		require.NotEmpty(t, answer.at(t, "error"), name)
		_, rules := w.sandbox.faults.List()
		require.Equal(t, Clock, rules[0].Fault, "the old ones stay")
	}
}

// at sends the call at a time of the client's own, and checks the time in X's answer.
func (h handSigned) at(at, xTime time.Time) reply {
	h.w.t.Helper()
	h.oauth["oauth_timestamp"] = strconv.FormatInt(at.Unix(), 10)
	h.oauth["oauth_nonce"] += "1"
	answer := h.send()
	date, err := http.ParseTime(answer.header.Get("Date"))
	require.NoError(h.w.t, err)
	require.WithinDuration(h.w.t, xTime, date, time.Second)
	return answer
}

func TestAClockThatIsOff(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		delay, off time.Duration
		refused    bool // for a client whose clock is right
	}{
		"X is ahead":                      {6 * time.Minute, 6 * time.Minute, true},
		"X is behind":                     {-6 * time.Minute, -6 * time.Minute, true},
		"X is a day behind":               {-24 * time.Hour, -24 * time.Hour, true},
		"no delay is ten minutes":         {0, 10 * time.Minute, true},
		"X is off by less than it checks": {-2 * time.Minute, -2 * time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(Rule{On: OnAny, Fault: Clock, Delay: tt.delay})
			ours := w.clock.Now()
			for _, h := range []handSigned{w.handSigned(), w.handSignedLogin()} {
				answer := h.at(ours, ours.Add(tt.off))
				require.Equal(t, tt.refused, answer.status == http.StatusUnauthorized, answer.body)
				if tt.refused && h.method == http.MethodPost {
					require.InDelta(t, 135, answer.at(t, "errors.0.code"), 0)
				}
				fine := h.at(ours.Add(tt.off), ours.Add(tt.off))
				require.Equal(t, http.StatusOK, fine.status, "a client that is off as much: %s", fine.body)
			}
		})
	}
}

func TestTheClockComesBeforeOtherFaults(t *testing.T) {
	t.Parallel()
	down, off := Rule{On: OnRead, Fault: Unavailable}, Rule{On: OnAny, Fault: Clock, Delay: time.Hour}
	for name, rules := range map[string][]Rule{"it stands first": {off, down}, "it stands last": {down, off}} {
		w := newWorld(t)
		w.fault(rules...)
		h, xTime := w.handSigned(), w.clock.Now().Add(time.Hour)
		require.Equal(t, http.StatusUnauthorized, h.at(w.clock.Now(), xTime).status, name)
		require.Equal(t, http.StatusServiceUnavailable, h.at(xTime, xTime).status, name)
		_, counted := w.sandbox.faults.List()
		for _, rule := range counted {
			want := map[Fault]int{Unavailable: 1, Clock: 2}[rule.Fault]
			require.Equal(t, want, rule.Seen, "a call that is not let in counts for the clock alone")
		}
	}
}

func TestABadAppIsRefusedWhateverItSends(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*handSigned){
		"nothing is wrong":         func(*handSigned) {},
		"the token is unknown":     func(h *handSigned) { h.oauth["oauth_token"] = "x" },
		"the timestamp is too old": func(h *handSigned) { h.oauth["oauth_timestamp"] = "1318622958" },
		"the callback is unknown":  func(h *handSigned) { h.oauth["oauth_callback"] = "https://elsewhere.example" },
	} {
		w := newWorld(t)
		w.fault(Rule{On: OnLogin, Fault: BadApp})
		h := w.handSignedLogin()
		spoil(&h)
		for _, refused := range []reply{h.send(), w.send(h.method, h.path, "")} {
			require.Equal(t, http.StatusUnauthorized, refused.status, name)
			require.InDelta(t, 32, refused.at(t, "errors.0.code"), 0, name)
		}
		require.Equal(t, http.StatusOK, w.me().status, "the rule is about logins")
	}
}

// loginCalls are the two calls of a login, made by an independent client.
func (w *world) loginCalls() map[Target]func() error {
	w.t.Helper()
	app := w.signIn(callback)
	token, secret := w.sandbox.requests.open(callback)
	approved, ok := w.sandbox.requests.approve(token, Account{ID: "7", Username: "ada"})
	require.True(w.t, ok)
	return map[Target]func() error{
		OnRequestToken: func() error {
			_, _, err := app.RequestToken()
			return err
		},
		OnAccessToken: func() error {
			_, _, err := app.AccessToken(token, secret, approved.verifier)
			return err
		},
	}
}

// TestRefusalsOfLogins: in the words of X's older endpoints.
func TestRefusalsOfLogins(t *testing.T) {
	t.Parallel()
	for fault, want := range map[Fault]string{
		RateLimit:       `invalid status 429: {"errors":[{"code":88,"message":"Rate limit exceeded."}]}`,
		Unauthorized:    `invalid status 401: {"errors":[{"code":32,"message":"Could not authenticate you."}]}`,
		BadApp:          `invalid status 401: {"errors":[{"code":32,"message":"Could not authenticate you."}]}`,
		Clock:           `invalid status 401: {"errors":[{"code":135,"message":"Timestamp out of bounds."}]}`,
		SuspendedApp:    `invalid status 401: {"errors":[{"code":416,"message":"Invalid / suspended application."}]}`,
		NoCredits:       `invalid status 402: {"detail":"Your enrolled account [4242]`,
		Forbidden:       `invalid status 403: {"errors":[{"code":261,"message":"Application cannot perform write actions."}]}`,
		CallbackRefused: `invalid status 403: {"errors":[{"code":415,"message":"Callback URL not approved for this client application. Approved`,
		Truncate:        `missing oauth_token or oauth_token_secret`,
		Garbage:         `invalid semicolon separator in query`,
		Unconfirmed:     `oauth_callback_confirmed was not true`,
	} {
		w := newWorld(t)
		rule := Rule{On: OnLogin, Fault: fault}
		if fault == Truncate { // half of an access token's answer may be one
			rule.On = OnRequestToken
		}
		w.fault(rule)
		for call, login := range w.loginCalls() {
			if err := login(); hits(rule, call) {
				require.ErrorContains(t, err, want, "%s of %s", fault, call)
			} else {
				require.NoError(t, err, "%s of %s", fault, call)
			}
		}
	}
}

func TestALoginThatBreaksAfterItWasDoneIsOver(t *testing.T) {
	t.Parallel()
	for fault, over := range map[Fault]bool{Unavailable: false, DropBefore: false, Garbage: false, UnavailableAfter: true, DropAfter: true} {
		w := newWorld(t)
		w.fault(Rule{On: OnAccessToken, Fault: fault, Times: 1})
		login := w.loginCalls()[OnAccessToken]
		require.Error(t, login(), fault)
		if over {
			require.ErrorContains(t, login(), `{"code":89,"message":"Invalid or expired token."}`, fault)
		} else {
			require.NoError(t, login(), fault)
		}
	}
}

// TestTargets: each target covers these calls, and no others.
func TestTargets(t *testing.T) {
	t.Parallel()
	for target, want := range map[Target][]Target{
		OnPost:         {OnPost},
		OnRead:         {OnRead},
		OnRequestToken: {OnRequestToken},
		OnAccessToken:  {OnAccessToken},
		OnLogin:        {OnRequestToken, OnAccessToken},
		OnAny:          {OnPost, OnRead, OnRequestToken, OnAccessToken, onDelete},
	} {
		w := newWorld(t)
		w.fault(Rule{On: target, Fault: Unavailable})
		down := func(method, path, body string) bool {
			return w.call(method, path, body).status == http.StatusServiceUnavailable
		}
		login := w.loginCalls()
		var got []Target
		for call, hit := range map[Target]bool{
			OnPost:         down(http.MethodPost, "/2/tweets", helloBody),
			OnRead:         down(http.MethodGet, "/2/users/me", ""),
			onDelete:       down(http.MethodDelete, "/2/tweets/1", ""),
			OnRequestToken: login[OnRequestToken]() != nil,
			OnAccessToken:  login[OnAccessToken]() != nil,
		} {
			if hit {
				got = append(got, call)
			}
		}
		require.ElementsMatch(t, want, got, target)
		for _, read := range []string{"/2/tweets?ids=1", "/2/users/4242/tweets"} {
			require.Equal(t, slices.Contains(want, OnRead), down(http.MethodGet, read, ""), "%s %s", target, read)
		}
		require.Equal(t, http.StatusOK, w.get("/sandbox/x").status, "our own pages are never hit")
	}
}
