package x

import (
	"cmp"
	"context"
	"encoding/base64"
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

// AppConfig identifies the app that members log in through.
type AppConfig struct {
	BaseURL                     string // https://api.x.com
	AuthorizeURL                string // full URL of the consent page; empty: derived from BaseURL
	PictureHost                 string // origin of profile pictures; empty: X's own
	ConsumerKey, ConsumerSecret string
	Timeout                     time.Duration
	Now                         func() time.Time
}

// App is the product's app at X, for logins and diagnoses. It is safe for concurrent use.
type App struct {
	config AppConfig
	http   *http.Client
}

// NewApp returns an app that connects on first use.
func NewApp(config AppConfig) *App {
	config.BaseURL = strings.TrimRight(config.BaseURL, "/")
	config.AuthorizeURL = cmp.Or(config.AuthorizeURL, config.BaseURL+"/oauth/authorize")
	config.Timeout = cmp.Or(config.Timeout, usualTimeout)
	if config.Now == nil {
		config.Now = time.Now
	}
	return &App{config: config, http: &http.Client{Transport: telemetry.Transport(onceTransport()), CheckRedirect: noRedirect}}
}

// ConsentURL returns the page on which a person approves a request token.
func (a *App) ConsentURL(token string) string {
	separator := "?"
	if strings.Contains(a.config.AuthorizeURL, separator) {
		separator = "&"
	}
	return a.config.AuthorizeURL + separator + "oauth_token=" + url.QueryEscape(token)
}

// oauth returns the library's configuration of the app.
func (a *App) oauth() oauth1.Config {
	return oauth1.Config{
		ConsumerKey: a.config.ConsumerKey, ConsumerSecret: a.config.ConsumerSecret,
		Noncer: oauth1.HexNoncer{}, // of constant length, so that the base string's length is constant too
		Endpoint: oauth1.Endpoint{
			RequestTokenURL: a.config.BaseURL + "/oauth/request_token",
			AccessTokenURL:  a.config.BaseURL + "/oauth/access_token",
		},
	}
}

// send makes a call once, unless it could not be signed. The timeout covers all of it.
func (a *App) send(ctx context.Context, client *http.Client, req *http.Request, err error) reply {
	if err != nil {
		return reply{err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, a.config.Timeout)
	defer cancel()
	return exchange(client, req.WithContext(ctx))
}

// signRequestToken signs the first call of a login.
func signRequestToken(signing oauth1.Config, callback string) (*http.Request, error) {
	signing.CallbackURL = callback
	return signed(signing, func(c *oauth1.Config) error {
		_, _, err := c.RequestToken()
		return err
	})
}

// signed lets the library create and sign a request and intercepts it: the library's own calls have no
// deadline and discard X's response.
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

var errUnsent = errors.New("intercepted")

// unsent is a transport that stores the request instead of sending it.
type unsent struct{ request *http.Request }

func (u *unsent) RoundTrip(r *http.Request) (*http.Response, error) {
	u.request = r
	return nil, errUnsent
}

// RequestToken starts a login; X will redirect the person to the callback. Errors are a *account.XError.
func (a *App) RequestToken(ctx context.Context, callback string) (account.RequestToken, error) {
	form, err := a.form(a.sendRequestToken(ctx, callback))
	if err != nil {
		return account.RequestToken{}, err
	}
	t := account.RequestToken{Token: form.Get("oauth_token"), Secret: form.Get("oauth_token_secret")}
	if t.Token == "" || t.Secret == "" {
		return account.RequestToken{}, invalidReply("it returned no request token")
	}
	if form.Get("oauth_callback_confirmed") != "true" {
		return account.RequestToken{}, invalidReply("it did not confirm the callback URL")
	}
	return t, nil
}

// Identify completes a login with the verifier from the callback and returns the person's account. It discards the
// access token, because the product never acts for a person. Errors are a *account.XError.
func (a *App) Identify(ctx context.Context, t account.RequestToken, verifier string) (account.XUser, error) {
	req, err := signed(a.oauth(), func(c *oauth1.Config) error {
		_, _, err := c.AccessToken(t.Token, t.Secret, verifier)
		return err
	})
	form, err := a.form(a.send(ctx, a.http, req, err), t.Token, t.Secret, verifier)
	if err != nil {
		return account.XUser{}, err
	}
	if form.Get("oauth_token") == "" || form.Get("oauth_token_secret") == "" {
		return account.XUser{}, invalidReply("it returned no access token")
	}
	who := account.XUser{ID: form.Get("user_id"), Handle: form.Get("screen_name")}
	if !isID(who.ID) || !isHandle(who.Handle) {
		return account.XUser{}, invalidReply("it did not return whose access token it is")
	}
	who.Avatar = a.avatar(ctx, form.Get("oauth_token"), form.Get("oauth_token_secret"))
	return who, nil
}

const (
	pictureHost = "https://pbs.twimg.com" // where X serves profile pictures
	pictureWait = 3 * time.Second         // a login does not depend on the picture
	mostPicture = 32 << 10
)

// avatar returns a person's profile picture as a data URL, so that our pages load nothing from X, or "" if there is none.
func (a *App) avatar(ctx context.Context, accessToken, accessSecret string) string {
	ctx, cancel := context.WithTimeout(ctx, pictureWait)
	defer cancel()
	client := New(Config{
		BaseURL: a.config.BaseURL, ConsumerKey: a.config.ConsumerKey, ConsumerSecret: a.config.ConsumerSecret,
		AccessToken: accessToken, AccessSecret: accessSecret,
	})
	req, err := client.request(ctx, http.MethodGet, "/2/users/me", url.Values{"user.fields": {"profile_image_url"}}, nil)
	got := a.send(ctx, client.http, req, err)
	var me struct {
		Data struct {
			Picture string `json:"profile_image_url"`
		}
	}
	if json.Unmarshal(got.body, &me) != nil || !strings.HasPrefix(me.Data.Picture, cmp.Or(a.config.PictureHost, pictureHost)+"/") {
		return ""
	}
	req, err = http.NewRequestWithContext(ctx, http.MethodGet, me.Data.Picture, http.NoBody)
	picture := a.send(ctx, a.http, req, err)
	kind := http.DetectContentType(picture.body)
	if picture.err != nil || picture.status != http.StatusOK || len(picture.body) > mostPicture || !strings.HasPrefix(kind, "image/") {
		return ""
	}
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(picture.body)
}

func (a *App) sendRequestToken(ctx context.Context, callback string) reply {
	req, err := signRequestToken(a.oauth(), callback)
	return a.send(ctx, a.http, req, err)
}

// isHandle reports whether s is a handle in X's own spelling, without @.
func isHandle(s string) bool {
	name, err := member.ParseUsername(s)
	return err == nil && name == s
}

// form parses the response of a login's call. secrets are the call's own, to be redacted.
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
		return nil, invalidReply("its response is not a form")
	}
	return form, nil
}

func answered(trouble account.XTrouble, status int) *account.XError {
	return &account.XError{Trouble: trouble, Status: status, Message: "it returned status " + strconv.Itoa(status)}
}

func invalidReply(message string) *account.XError {
	return &account.XError{Trouble: account.TroubleNonsense, Status: http.StatusOK, Message: message}
}

// loginRefused returns a refusal with X's own message, if it has one.
func (a *App) loginRefused(got reply, secrets []string) *account.XError {
	refused := answered(account.TroubleRefused, got.status)
	words := redact(readComplaint(got.body).words(), a.secrets(secrets...))
	if line := outage.Line(words); line != "" {
		refused.Message = line
	}
	return refused
}

// readComplaint parses a JSON or XML error; X refuses some callbacks in XML.
func readComplaint(body []byte) complaint {
	var c complaint
	if json.Unmarshal(body, &c) != nil {
		_ = xml.Unmarshal(body, &c) // anything else stays empty
	}
	return c
}

// lostMessages are the reasons for a missing response.
var lostMessages = map[string]string{
	diagnostic.UnreachableDNS:     "its name is not found",
	diagnostic.UnreachableRefused: "the connection was refused",
	diagnostic.UnreachableTimeout: "it did not answer in time",
	diagnostic.UnreachableTLS:     "the connection is not secure",
	diagnostic.UnreachableOther:   "there was no connection, or it was lost",
}
