package x

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/dghubble/oauth1"

	"customerzero/internal/clients/outage"
	"customerzero/internal/domain/diagnostic"
)

// maxShown limits the shown part of a response, in characters.
const maxShown = 2000

// ProbeSignature signs the first call of a login without sending it.
func (a *App) ProbeSignature(callback string) diagnostic.Signature {
	var seen diagnostic.Signature
	signing := a.oauth()
	signing.Signer = observedSigner{&oauth1.HMACSigner{ConsumerSecret: a.config.ConsumerSecret}, &seen}
	if _, err := signRequestToken(signing, callback); err != nil {
		return diagnostic.Signature{}
	}
	return seen
}

// observedSigner records the lengths and the hash of what it signs.
type observedSigner struct {
	oauth1.Signer
	seen *diagnostic.Signature
}

func (s observedSigner) Sign(tokenSecret, base string) (string, error) {
	signature, err := s.Signer.Sign(tokenSecret, base)
	hash := sha256.Sum256([]byte(base))
	*s.seen = diagnostic.Signature{BaseLength: len(base), BaseHash: hex.EncodeToString(hash[:]), Length: len(signature)}
	return signature, err
}

// ProbeRequestToken starts a login that is not continued, and returns X's response.
func (a *App) ProbeRequestToken(ctx context.Context, callback string) diagnostic.Answer {
	got := a.sendRequestToken(ctx, callback)
	answer := a.observe(got)
	if form, err := url.ParseQuery(strings.TrimSpace(string(got.body))); err == nil {
		answer.HasToken = form.Get("oauth_token") != "" && form.Get("oauth_token_secret") != ""
		answer.Confirmed = form.Get("oauth_callback_confirmed") == "true"
	}
	return answer
}

// ProbeAccount reads the account of an access token, and returns X's response. X bills each call.
func (a *App) ProbeAccount(ctx context.Context, accessToken, accessSecret string) diagnostic.Answer {
	client := New(Config{
		BaseURL: a.config.BaseURL, ConsumerKey: a.config.ConsumerKey, ConsumerSecret: a.config.ConsumerSecret,
		AccessToken: accessToken, AccessSecret: accessSecret,
	})
	req, err := client.request(ctx, http.MethodGet, "/2/users/me", nil, nil)
	got := a.send(ctx, client.http, req, err)
	answer := a.observe(got, accessToken, accessSecret)
	var me struct{ Data User }
	if json.Unmarshal(got.body, &me) == nil && isID(me.Data.ID) && isHandle(me.Data.Username) {
		answer.UserID, answer.Username = me.Data.ID, me.Data.Username
	}
	return answer
}

// secrets redacts the app's keys and more secrets.
func (a *App) secrets(more ...string) *strings.Replacer {
	return knownSecrets(append(more, a.config.ConsumerKey, a.config.ConsumerSecret)...)
}

// observe extracts the facts of a response. secrets are the call's own, to be redacted.
func (a *App) observe(got reply, secrets ...string) diagnostic.Answer {
	hide := a.secrets(secrets...)
	line := func(s string) string { return outage.Line(redact(s, hide)) }
	c := readComplaint(got.body)
	first := objection{}
	if len(c.Errors) > 0 {
		first = c.Errors[0]
	}
	answer := diagnostic.Answer{
		Status: got.status, Code: first.Code, Title: line(c.Title), Reason: line(c.Reason),
		Kind: line(kindOf(cmp.Or(c.Type, first.Type))), Detail: line(cmp.Or(c.words(), first.Detail)),
		AccessLevel: line(got.header.Get("x-access-level")), Skew: skew(got.header, a.config.Now()),
		HTML: strings.HasPrefix(http.DetectContentType(got.body), "text/html"),
	}
	if got.err != nil {
		answer.Unreachable = outage.KindOf(got.err)
	} else { // an incomplete body may end inside a secret
		answer.Body = shown(redact(string(got.body), hide))
	}
	return answer
}

// kindOf returns the last element of a problem's type.
func kindOf(problemType string) string {
	if problemType == "" {
		return ""
	}
	return path.Base(problemType)
}

// skew returns how far X's clock is ahead of this machine's.
func skew(header http.Header, now time.Time) time.Duration {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return date.Sub(now)
}

// shown returns the beginning of a body in printable characters.
func shown(body string) string {
	text := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			return r
		}
		return ' '
	}, body))
	return string(text[:min(len(text), maxShown)])
}
