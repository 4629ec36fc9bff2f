package x

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dghubble/oauth1"

	"customerzero/internal/clients/outage"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/member"
	"customerzero/internal/platform/telemetry"
)

// AppConfig describes which app people log in through.
type AppConfig struct {
	BaseURL                     string // https://api.x.com
	AuthorizeURL                string // of the consent page, in full; left out, BaseURL has it
	ConsumerKey, ConsumerSecret string
	Timeout                     time.Duration
	Now                         func() time.Time // what X's clock is compared with
}

// App is the product's app with X: what people log in through. It is safe for concurrent use.
type App struct {
	config AppConfig
	http   *http.Client
}

// NewApp returns an app. It connects when it is first used.
func NewApp(config AppConfig) *App {
	config.BaseURL = strings.TrimRight(config.BaseURL, "/")
	config.AuthorizeURL = cmp.Or(config.AuthorizeURL, config.BaseURL+"/oauth/authorize")
	config.Timeout = cmp.Or(config.Timeout, usualTimeout)
	if config.Now == nil {
		config.Now = time.Now
	}
	return &App{config: config, http: &http.Client{Transport: telemetry.Transport(onceTransport()), CheckRedirect: stay}}
}

// ConsentURL is where a person lets the app know who they are.
func (a *App) ConsentURL(token string) string {
	separator := "?"
	if strings.Contains(a.config.AuthorizeURL, separator) {
		separator = "&"
	}
	return a.config.AuthorizeURL + separator + "oauth_token=" + url.QueryEscape(token)
}

// oauth is the app as the library knows it.
func (a *App) oauth() oauth1.Config {
	return oauth1.Config{
		ConsumerKey: a.config.ConsumerKey, ConsumerSecret: a.config.ConsumerSecret,
		Noncer: oauth1.HexNoncer{}, // of one length, so that the base string is too
		Endpoint: oauth1.Endpoint{
			RequestTokenURL: a.config.BaseURL + "/oauth/request_token",
			AccessTokenURL:  a.config.BaseURL + "/oauth/access_token",
		},
	}
}

// send makes a call, once, if it could be signed. The timeout covers all of it.
func (a *App) send(ctx context.Context, client *http.Client, req *http.Request, err error) reply {
	if err != nil {
		return reply{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, a.config.Timeout)
	defer cancel()
	return exchange(client, req.WithContext(ctx))
}

// signRequestToken signs the call that a login begins with.
func signRequestToken(signing oauth1.Config, callback string) (*http.Request, error) {
	signing.CallbackURL = callback
	return signed(signing, func(c *oauth1.Config) error {
		_, _, err := c.RequestToken()
		return err
	})
}

// signed lets the library make and sign a call, and takes it away before it is sent: the
// library's calls know no deadline, and throw away what X says.
func signed(signing oauth1.Config, call func(*oauth1.Config) error) (*http.Request, error) {
	var taken unsent
	signing.HTTPClient = &http.Client{Transport: &taken}
	err := call(&signing)
	if taken.request == nil {
		return nil, err
	}
	taken.request.Header.Set("User-Agent", "customerzero")
	taken.request.Header.Set("Accept", "application/json")
	return taken.request, nil
}

var errUnsent = errors.New("signed, and not sent")

// unsent keeps a request instead of sending it.
type unsent struct{ request *http.Request }

func (u *unsent) RoundTrip(r *http.Request) (*http.Response, error) {
	u.request = r
	return nil, errUnsent
}

// RequestToken begins a login: X will send the person back to the callback. Errors are a
// *account.XError.
func (a *App) RequestToken(ctx context.Context, callback string) (account.RequestToken, error) {
	form, err := a.form(a.askRequestToken(ctx, callback))
	if err != nil {
		return account.RequestToken{}, err
	}
	t := account.RequestToken{Token: form.Get("oauth_token"), Secret: form.Get("oauth_token_secret")}
	if t.Token == "" || t.Secret == "" {
		return account.RequestToken{}, nonsense("it gave no request token")
	}
	if form.Get("oauth_callback_confirmed") != "true" {
		return account.RequestToken{}, nonsense("it did not confirm the callback URL")
	}
	return t, nil
}

// Who ends a login with the verifier that the person brought back, and describes who they are.
// What else X grants with it is let go: nobody acts for a person here. Errors are an
// *account.XError.
func (a *App) Who(ctx context.Context, t account.RequestToken, verifier string) (account.XUser, error) {
	form, err := a.form(a.askAccessToken(ctx, t, verifier), t.Token, t.Secret, verifier)
	if err != nil {
		return account.XUser{}, err
	}
	if form.Get("oauth_token") == "" || form.Get("oauth_token_secret") == "" {
		return account.XUser{}, nonsense("it gave no access token")
	}
	who := account.XUser{ID: form.Get("user_id"), Handle: form.Get("screen_name")}
	if !isID(who.ID) || !isHandle(who.Handle) {
		return account.XUser{}, nonsense("it did not say whose access token it gave")
	}
	return who, nil
}

func (a *App) askRequestToken(ctx context.Context, callback string) reply {
	req, err := signRequestToken(a.oauth(), callback)
	return a.send(ctx, a.http, req, err)
}

func (a *App) askAccessToken(ctx context.Context, t account.RequestToken, verifier string) reply {
	req, err := signed(a.oauth(), func(c *oauth1.Config) error {
		_, _, err := c.AccessToken(t.Token, t.Secret, verifier)
		return err
	})
	return a.send(ctx, a.http, req, err)
}

// isHandle reports whether it is a handle as X itself writes it, without @.
func isHandle(s string) bool {
	name, err := member.ParseUsername(s)
	return err == nil && name == s
}

// form reads the answer of a login's call. The secrets are those of the call, should X
// repeat them.
func (a *App) form(got reply, secrets ...string) (url.Values, error) {
	switch {
	case got.status >= http.StatusInternalServerError:
		return nil, answered(account.TroubleDown, got.status)
	case got.status >= http.StatusBadRequest:
		return nil, a.loginRefused(got, secrets)
	case got.err != nil:
		return nil, &account.XError{Trouble: account.TroubleDown, Status: got.status, Message: lostMessages[outage.KindOf(got.err)]}
	case got.status/100 != 2:
		return nil, answered(account.TroubleNonsense, got.status)
	}
	form, err := url.ParseQuery(strings.TrimSpace(string(got.body)))
	if err != nil {
		return nil, nonsense("its answer is no form")
	}
	return form, nil
}

func answered(trouble account.XTrouble, status int) *account.XError {
	return &account.XError{Trouble: trouble, Status: status, Message: "it answered " + strconv.Itoa(status)}
}

func nonsense(message string) *account.XError {
	return &account.XError{Trouble: account.TroubleNonsense, Status: http.StatusOK, Message: message}
}

// loginRefused returns a refusal in X's own words, where it has some.
func (a *App) loginRefused(got reply, secrets []string) *account.XError {
	refused := answered(account.TroubleRefused, got.status)
	words := redact(readComplaint(got.body).words(), a.secrets(secrets...))
	if line := outage.Line(words); line != "" {
		refused.Message = line
	}
	return refused
}

// readComplaint reads JSON, and the XML in which X refuses some callbacks.
func readComplaint(body []byte) complaint {
	var said complaint
	if json.Unmarshal(body, &said) != nil {
		_ = xml.Unmarshal(body, &said) // what is neither says nothing
	}
	return said
}

// lostMessages say why there was no whole answer.
var lostMessages = map[string]string{
	diagnostic.UnreachableDNS:     "its name is not found",
	diagnostic.UnreachableRefused: "the connection was refused",
	diagnostic.UnreachableTimeout: "it did not answer in time",
	diagnostic.UnreachableTLS:     "the connection is not secure",
	diagnostic.UnreachableOther:   "there was no connection, or it broke off",
}
