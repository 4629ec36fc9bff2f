package social

import (
	"context"
	"net/http"
	"strings"

	"github.com/dghubble/oauth1"
)

// signingClient signs every request as the bot's account, on a connection of its own.
func signingClient(config Config) *http.Client {
	base := &http.Client{Transport: onceTransport()}
	signing := oauth1.NewConfig(config.ConsumerKey, config.ConsumerSecret)
	signing.Noncer = oauth1.HexNoncer{}
	client := oauth1.NewClient(context.WithValue(context.Background(), oauth1.HTTPClient, base),
		signing, oauth1.NewToken(config.AccessToken, config.AccessSecret))
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// onceTransport never sends a request twice. net/http sends again what failed on a reused
// connection, and HTTP/2 what a server turned away; a fresh HTTP/1.1 connection for each
// request leaves it no reason to. It also makes "got a connection" the line between what
// cannot have left and what may have.
func onceTransport() *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, Protocols: protocols}
}

// redactor hides the credentials in whatever X says, should it ever repeat them.
func redactor(config Config) *strings.Replacer {
	var pairs []string
	for _, secret := range []string{
		config.ConsumerSecret, config.AccessSecret, config.AccessToken, config.ConsumerKey,
	} {
		if secret != "" {
			pairs = append(pairs, secret, "…")
		}
	}
	return strings.NewReplacer(pairs...)
}
