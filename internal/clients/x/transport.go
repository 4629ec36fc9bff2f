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

const maxAnswer = 4 << 20 // bytes; a full page of a timeline has a tenth

// signingClient signs every request as the bot's account and opens a connection for each.
func signingClient(config Config) *http.Client {
	base := &http.Client{Transport: telemetry.Transport(onceTransport())}
	signing := oauth1.NewConfig(config.ConsumerKey, config.ConsumerSecret)
	signing.Noncer = oauth1.HexNoncer{}
	client := oauth1.NewClient(context.WithValue(context.Background(), oauth1.HTTPClient, base),
		signing, oauth1.NewToken(config.AccessToken, config.AccessSecret))
	client.CheckRedirect = noRedirect
	return client
}

// noRedirect follows no redirect, because a signature is for one URL.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// onceTransport never resends a request. net/http resends requests that failed on a reused connection, and
// HTTP/2 those that the server refused; a new HTTP/1.1 connection for each request rules out both. It also
// means that nothing was sent before a connection existed.
func onceTransport() *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, Protocols: protocols}
}

// reply is the result of an HTTP request.
type reply struct {
	status    int // 0: no response
	header    http.Header
	body      []byte
	connected bool  // without a connection, nothing was sent
	err       error // why there is no complete response
}

// exchange makes exactly one HTTP request.
func exchange(client *http.Client, req *http.Request) reply {
	var connected atomic.Bool
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	resp, err := client.Do(req.WithContext(ctx))
	if err != nil {
		return reply{connected: connected.Load(), err: err}
	}
	defer resp.Body.Close() //nolint:errcheck // the body was read, or is of no use
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return reply{status: resp.StatusCode, header: resp.Header, body: body, connected: true, err: err}
}

const hidden = "…"

// knownSecrets returns a replacer that redacts secrets in every encoding in which X may repeat them.
func knownSecrets(secrets ...string) *strings.Replacer {
	var forms []string
	for _, secret := range secrets {
		forms = append(forms, formsOf(secret)...)
		forms = append(forms, formsOf(strings.TrimSpace(secret))...)
	}
	// Longest first: a secret may be a prefix of another.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, form := range forms {
		if form != "" {
			pairs = append(pairs, form, hidden)
		}
	}
	return strings.NewReplacer(pairs...)
}

// formsOf returns a value in its encodings: plain, URL, OAuth signature, HTML and JSON.
func formsOf(s string) []string {
	signed := oauth1.PercentEncode(s)
	quoted, _ := json.Marshal(s) // a string always can be
	return []string{
		s, url.QueryEscape(s), url.PathEscape(s), signed, oauth1.PercentEncode(signed),
		html.EscapeString(s), string(quoted[1 : len(quoted)-1]),
	}
}

// unknownSecret matches the value of a name that suggests a secret: in a form, a header, JSON (also inside
// JSON or HTML) or XML.
var unknownSecret = regexp.MustCompile(`(?i)([\w.-]*(?:token|secret|verifier|signature|nonce|password|credential|key)[\w.-]*` +
	`(?:\\*["']|&quot;|&#34;|%22)?\s*(?:=|:|>|%3D|%3A)\s*(?:&quot;|&#34;)?)` +
	`(?:\\+"[^"]*"?|"(?:[^"\\]|\\.)*"?|'[^']*'?|\[[^\]]*\]?|\{[^}]*\}?|[^\s&;,"'<>{}\]]+)`)

// scheme matches the credentials of an Authorization header.
var scheme = regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)[^\s",;<>]+`)

// redact removes known secrets and the values of names that suggest one.
func redact(text string, secrets *strings.Replacer) string {
	text = unknownSecret.ReplaceAllString(secrets.Replace(text), "${1}"+hidden)
	return scheme.ReplaceAllString(text, "${1}"+hidden)
}
