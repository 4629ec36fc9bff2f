package x

import (
	"cmp"
	"context"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dghubble/oauth1"

	"customerzero/internal/platform/telemetry"
)

const maxAnswer = 4 << 20 // bytes; a full page of a timeline is a tenth of it

// signingClient signs every request as the bot's account, on a connection of its own.
func signingClient(config Config) *http.Client {
	base := &http.Client{Transport: telemetry.Transport(onceTransport())}
	signing := oauth1.NewConfig(config.ConsumerKey, config.ConsumerSecret)
	signing.Noncer = oauth1.HexNoncer{}
	client := oauth1.NewClient(context.WithValue(context.Background(), oauth1.HTTPClient, base),
		signing, oauth1.NewToken(config.AccessToken, config.AccessSecret))
	client.CheckRedirect = stay
	return client
}

// stay follows no redirect: a signature is for one address.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// onceTransport never sends a request twice. net/http sends again what failed on a reused
// connection, and HTTP/2 what a server turned away; a fresh HTTP/1.1 connection for each
// request leaves it no reason to. It also makes "got a connection" the line between what
// cannot have left and what may have.
func onceTransport() *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, Protocols: protocols}
}

// reply is what came of an HTTP request.
type reply struct {
	status    int // 0: no answer
	header    http.Header
	body      []byte
	connected bool  // without a connection, nothing can have left
	err       error // why there is no answer, or not all of it
}

// exchange makes one HTTP request, and one only.
func exchange(client *http.Client, req *http.Request) reply {
	var connected atomic.Bool
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	resp, err := client.Do(req.WithContext(ctx))
	if err != nil {
		return reply{connected: connected.Load(), err: err}
	}
	defer resp.Body.Close() //nolint:errcheck // read, or given up
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return reply{status: resp.StatusCode, header: resp.Header, body: body, connected: true, err: err}
}

const hidden = "…"

// knownSecrets hides secrets by their values, should X ever repeat them, in whatever way
// it may write them.
func knownSecrets(secrets ...string) *strings.Replacer {
	var forms []string
	for _, secret := range secrets {
		forms = append(forms, formsOf(secret)...)
		forms = append(forms, formsOf(strings.TrimSpace(secret))...)
	}
	// The longest first: a secret may begin with another.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, form := range forms {
		if form != "" {
			pairs = append(pairs, form, hidden)
		}
	}
	return strings.NewReplacer(pairs...)
}

// formsOf returns the ways to write a value: as it is, in a URL, a signature, a page, JSON.
func formsOf(s string) []string {
	signed := oauth1.PercentEncode(s)
	quoted, _ := json.Marshal(s) // a string always can be
	return []string{
		s, url.QueryEscape(s), url.PathEscape(s), signed, oauth1.PercentEncode(signed),
		html.EscapeString(s), string(quoted[1 : len(quoted)-1]),
	}
}

// unknownSecret finds the value behind a name that sounds like a secret's: in a form, a
// header, JSON (also within JSON, or a web page) or XML.
var unknownSecret = regexp.MustCompile(`(?i)([\w.-]*(?:token|secret|verifier|signature|nonce|password|credential|key)[\w.-]*` +
	`(?:\\*["']|&quot;|&#34;|%22)?\s*(?:=|:|>|%3D|%3A)\s*(?:&quot;|&#34;)?)` +
	`(?:\\+"[^"]*"?|"(?:[^"\\]|\\.)*"?|'[^']*'?|\[[^\]]*\]?|\{[^}]*\}?|[^\s&;,"'<>{}\]]+)`)

// scheme finds the value of an Authorization header.
var scheme = regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)[^\s",;<>]+`)

// redact hides what is secret in an answer: the values we know, and what is named like one.
func redact(text string, secrets *strings.Replacer) string {
	text = unknownSecret.ReplaceAllString(secrets.Replace(text), "${1}"+hidden)
	return scheme.ReplaceAllString(text, "${1}"+hidden)
}
