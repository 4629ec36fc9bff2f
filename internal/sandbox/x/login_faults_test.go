package x

import (
	"net/http"
	"testing"
	"time"

	"github.com/dghubble/oauth1"
	"github.com/stretchr/testify/require"
)

// loginCalls are the two calls of a login, as a client makes them that knows nothing of us.
func (w *world) loginCalls(app *oauth1.Config) map[Target]func() error {
	w.t.Helper()
	token, secret := w.sandbox.requests.open(callback)
	agreed, ok := w.sandbox.requests.agree(token, Account{ID: "7", Username: "ada"})
	require.True(w.t, ok)
	return map[Target]func() error{
		OnRequestToken: func() error {
			_, _, err := app.RequestToken()
			return err
		},
		OnAccessToken: func() error {
			_, _, err := app.AccessToken(token, secret, agreed.verifier)
			return err
		},
	}
}

func TestFaultsOnLogin(t *testing.T) {
	t.Parallel()
	for fault, want := range map[Fault]string{
		RateLimit:        `invalid status 429: {"errors":[{"code":88,"message":"Rate limit exceeded."}]}`,
		Unauthorized:     `invalid status 401: {"errors":[{"code":32,"message":"Could not authenticate you."}]}`,
		BadApp:           `invalid status 401: {"errors":[{"code":32,"message":"Could not authenticate you."}]}`,
		Clock:            `invalid status 401: {"errors":[{"code":135,"message":"Timestamp out of bounds."}]}`,
		SuspendedApp:     `invalid status 401: {"errors":[{"code":416,"message":"Invalid / suspended application."}]}`,
		NoCredits:        `invalid status 402: {"detail":"Your enrolled account [4242]`,
		Forbidden:        `invalid status 403: {"errors":[{"code":261,"message":"Application cannot perform write actions."}]}`,
		CallbackRefused:  `invalid status 403: {"errors":[{"code":415,"message":"Callback URL not approved for this client application. Approved`,
		Unavailable:      `invalid status 503: <!DOCTYPE html>`,
		UnavailableAfter: `invalid status 503: <!DOCTYPE html>`,
		DropBefore:       `EOF`,
		DropAfter:        `EOF`,
		HangBefore:       `Client.Timeout exceeded`,
		HangAfter:        `Client.Timeout exceeded`,
		Late:             `Client.Timeout exceeded`,
		Garbage:          `invalid semicolon separator in query`,
		Unconfirmed:      `oauth_callback_confirmed was not true`,
		Slow:             ``,
	} {
		for _, on := range []Target{OnLogin, OnRequestToken, OnAccessToken} {
			if hits(Rule{On: on, Fault: fault}, on) || on == OnLogin {
				t.Run(string(fault)+" on "+string(on), func(t *testing.T) {
					t.Parallel()
					testLoginFault(t, on, fault, want)
				})
			}
		}
	}
}

func testLoginFault(t *testing.T, on Target, fault Fault, want string) {
	t.Helper()
	w := newWorld(t)
	rule := Rule{On: on, Fault: fault}
	if fault == Slow {
		rule.Delay = 10 * time.Millisecond
	}
	w.fault(rule)
	app := w.signIn(callback)
	if want == `Client.Timeout exceeded` {
		app.HTTPClient.Timeout = 200 * time.Millisecond
	}
	for call, login := range w.loginCalls(app) {
		if err := login(); hits(rule, call) && want != "" {
			require.ErrorContains(t, err, want, call)
		} else {
			require.NoError(t, err, call)
		}
	}
}

func TestATruncatedRequestToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnRequestToken, Fault: Truncate})
	require.ErrorContains(t, w.loginCalls(w.signIn(callback))[OnRequestToken](), "missing oauth_token or oauth_token_secret")
}

func TestALoginThatBreaksAfterItWasDoneIsOver(t *testing.T) {
	t.Parallel()
	for fault, over := range map[Fault]bool{Unavailable: false, DropBefore: false, Garbage: false, UnavailableAfter: true, DropAfter: true} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(Rule{On: OnAccessToken, Fault: fault, Times: 1})
			login := w.loginCalls(w.signIn(callback))[OnAccessToken]
			require.Error(t, login())
			if over {
				require.ErrorContains(t, login(), `{"code":89,"message":"Invalid or expired token."}`)
			} else {
				require.NoError(t, login())
			}
		})
	}
}

// TestTargets: each target stands for these calls, and no others.
func TestTargets(t *testing.T) {
	t.Parallel()
	for target, want := range map[Target][]Target{
		OnPost:         {OnPost},
		OnRead:         {OnRead},
		OnRequestToken: {OnRequestToken},
		OnAccessToken:  {OnAccessToken},
		OnLogin:        {OnRequestToken, OnAccessToken},
		OnAny:          {OnPost, OnRead, OnRequestToken, OnAccessToken, onDelete, onRevoke},
	} {
		t.Run(string(target), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(Rule{On: target, Fault: Unavailable})
			status := func(method, path, body string) int { return w.call(method, path, body).status }
			login := w.loginCalls(w.signIn(callback))
			for call, hit := range map[Target]bool{
				OnPost:         status(http.MethodPost, "/2/tweets", helloBody) == http.StatusServiceUnavailable,
				OnRead:         status(http.MethodGet, "/2/users/me", "") == http.StatusServiceUnavailable,
				onDelete:       status(http.MethodDelete, "/2/tweets/1", "") == http.StatusServiceUnavailable,
				OnRequestToken: login[OnRequestToken]() != nil,
				OnAccessToken:  login[OnAccessToken]() != nil,
				onRevoke:       status(http.MethodPost, "/1.1/oauth/invalidate_token", "") == http.StatusServiceUnavailable,
			} {
				if hit {
					require.Contains(t, want, call)
				} else {
					require.NotContains(t, want, call)
				}
			}
		})
	}
}

func TestAnUnregisteredCallback(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Callbacks = []string{"https://app.example/auth/x/callback"} })
	_, _, err := w.signIn("https://app.example/auth/x/callback").RequestToken()
	require.NoError(t, err)
	_, _, err = w.signIn("https://app.example/elsewhere").RequestToken()
	require.ErrorContains(t, err, `invalid status 403: {"errors":[{"code":415,"message":"Callback URL not approved`)
}
