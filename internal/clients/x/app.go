package x

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dghubble/oauth1"

	"customerzero/internal/platform/telemetry"
)

// AppConfig says which app people log in through.
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

// NewApp gives an app. It connects when it is first used.
func NewApp(config AppConfig) *App {
	config.BaseURL = strings.TrimRight(config.BaseURL, "/")
	if config.AuthorizeURL == "" {
		config.AuthorizeURL = config.BaseURL + "/oauth/authorize"
	}
	if config.Timeout <= 0 {
		config.Timeout = usualTimeout
	}
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

// send makes a call that was signed, once. The timeout covers all of it.
func (a *App) send(ctx context.Context, client *http.Client, req *http.Request) reply {
	ctx, cancel := context.WithTimeout(ctx, a.config.Timeout)
	defer cancel()
	return exchange(client, req.WithContext(ctx))
}
