package x_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	xsandbox "customerzero/internal/sandbox/x"
)

// stage is a sandbox of X and an app that does not know that it is one.
type stage struct {
	x   *xsandbox.Server
	url string
	app *x.App
}

func newStage(t *testing.T) *stage {
	t.Helper()
	config := xsandbox.Config{
		ConsumerKey: secrets[0], ConsumerSecret: secrets[1], AccessToken: secrets[2], AccessSecret: secrets[3],
		UserID: "4242", Username: "customerzero", Accounts: []xsandbox.Account{{ID: "7", Username: "ada", Name: "Ada"}},
		Callbacks: []string{backURL}, Log: slog.New(slog.DiscardHandler),
	}
	sandbox, err := xsandbox.New(config)
	require.NoError(t, err)
	server := httptest.NewServer(sandbox.Handler())
	t.Cleanup(func() {
		require.NoError(t, sandbox.Close())
		server.Close()
	})
	return &stage{x: sandbox, url: server.URL, app: newApp(server.URL, onTime)}
}

func onTime(c *x.AppConfig) { c.Now = time.Now }

// begin begins a login.
func (s *stage) begin(t *testing.T) account.RequestToken {
	t.Helper()
	token, err := s.app.RequestToken(t.Context(), backURL)
	require.NoError(t, err)
	return token
}

// decide is a person on the consent page. It gives what X sends them back with.
func (s *stage) decide(t *testing.T, token, account, decision string) url.Values {
	t.Helper()
	form := url.Values{"oauth_token": {token}, "account": {account}, "decision": {decision}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.app.ConsentURL(token), strings.NewReader(form.Encode()))
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

// allow gives the verifier that the person comes back with.
func (s *stage) allow(t *testing.T, token, account string) string {
	t.Helper()
	back := s.decide(t, token, account, "allow")
	require.Equal(t, token, back.Get("oauth_token"))
	return back.Get("oauth_verifier")
}

// Proves: V10.2.1
func TestLoggingInOnTheSandbox(t *testing.T) {
	t.Parallel()
	for id, username := range map[string]string{"4242": "customerzero", "7": "ada"} {
		t.Run(username, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			token := s.begin(t)
			page, err := http.Get(s.app.ConsentURL(token.Token))
			require.NoError(t, err)
			require.NoError(t, page.Body.Close())
			require.Equal(t, http.StatusOK, page.StatusCode)

			who, err := s.app.Who(t.Context(), token, s.allow(t, token.Token, id))
			require.NoError(t, err)
			require.Equal(t, account.XUser{ID: id, Handle: username}, who)
		})
	}
}

// TestLoginsThatTheSandboxRefuses: each gets nobody in.
// Proves: V10.2.1
func TestLoginsThatTheSandboxRefuses(t *testing.T) {
	t.Parallel()
	for name, attempt := range map[string]func(*testing.T, *stage) (account.RequestToken, string){
		"the person says no": func(t *testing.T, s *stage) (account.RequestToken, string) {
			token := s.begin(t)
			back := s.decide(t, token.Token, "7", "cancel")
			require.Equal(t, token.Token, back.Get("denied"))
			require.Empty(t, back.Get("oauth_verifier"))
			return token, ""
		},
		"the person has not said anything": func(t *testing.T, s *stage) (account.RequestToken, string) {
			return s.begin(t), "made-up"
		},
		"the verifier is wrong": func(t *testing.T, s *stage) (account.RequestToken, string) {
			token := s.begin(t)
			return token, s.allow(t, token.Token, "7") + "0"
		},
		"the token was used before": func(t *testing.T, s *stage) (account.RequestToken, string) {
			token := s.begin(t)
			verifier := s.allow(t, token.Token, "7")
			_, err := s.app.Who(t.Context(), token, verifier)
			require.NoError(t, err)
			return token, verifier
		},
		"the verifier is another login's": func(t *testing.T, s *stage) (account.RequestToken, string) {
			mine, other := s.begin(t), s.begin(t)
			s.allow(t, mine.Token, "7")
			return mine, s.allow(t, other.Token, "4242")
		},
		"the token is one login's, its secret another's": func(t *testing.T, s *stage) (account.RequestToken, string) {
			mine, other := s.begin(t), s.begin(t)
			return account.RequestToken{Token: other.Token, Secret: mine.Secret}, s.allow(t, other.Token, "4242")
		},
		"the token is made up": func(_ *testing.T, _ *stage) (account.RequestToken, string) {
			return underWay, verifier
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			token, verifier := attempt(t, s)
			who, err := s.app.Who(t.Context(), token, verifier)
			said := failed(t, err)
			require.Equal(t, account.TroubleRefused, said.Trouble)
			require.Equal(t, http.StatusUnauthorized, said.Status)
			require.Empty(t, who)
		})
	}
}

// TestSettingsThatTheSandboxRefuses: wrong keys, tokens and callbacks, as X sees them.
// Proves: V10.2.1
func TestSettingsThatTheSandboxRefuses(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, tt := range map[string]struct {
		change   func(*x.AppConfig)
		callback string
		code     string
	}{
		"nothing is wrong":           {func(*x.AppConfig) {}, backURL, "ok"},
		"the key is wrong":           {func(c *x.AppConfig) { c.ConsumerKey += "x" }, backURL, "keys_refused"},
		"the secret is wrong":        {func(c *x.AppConfig) { c.ConsumerSecret += "x" }, backURL, "keys_refused"},
		"the callback is not listed": {func(*x.AppConfig) {}, backURL + "/other", "callback_refused"},
		"the address is not X's API": {func(c *x.AppConfig) { c.BaseURL += "/elsewhere" }, backURL, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := newApp(s.url, onTime, tt.change)
			require.Equal(t, tt.code, diagnostic.CheckRequestToken(app.ProbeRequestToken(t.Context(), tt.callback)).Code)
			if _, err := app.RequestToken(t.Context(), tt.callback); tt.code != "ok" {
				require.Equal(t, account.TroubleRefused, failed(t, err).Trouble)
			}
		})
	}
	for name, secret := range map[string]string{"ok": secrets[3], "token_refused": "another"} {
		require.Equal(t, name, diagnostic.CheckAccount(s.app.ProbeAccount(t.Context(), secrets[2], secret)).Code)
	}
}
