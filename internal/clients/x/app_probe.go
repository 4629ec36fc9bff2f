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

// maxShown is how many characters of an answer are shown to people.
const maxShown = 2000

// ProbeSignature signs the call that a login begins with, and sends nothing.
func (a *App) ProbeSignature(callback string) diagnostic.Signature {
	var seen diagnostic.Signature
	signing := a.oauth()
	signing.Signer = observedSigner{&oauth1.HMACSigner{ConsumerSecret: a.config.ConsumerSecret}, &seen}
	if _, err := signRequestToken(signing, callback); err != nil {
		return diagnostic.Signature{}
	}
	return seen
}

// observedSigner measures what it signs.
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

// ProbeRequestToken begins a login that nobody will end, to see what X answers.
func (a *App) ProbeRequestToken(ctx context.Context, callback string) diagnostic.Answer {
	got := a.askRequestToken(ctx, callback)
	answer := a.observe(got)
	if form, err := url.ParseQuery(strings.TrimSpace(string(got.body))); err == nil {
		answer.HasToken = form.Get("oauth_token") != "" && form.Get("oauth_token_secret") != ""
		answer.Confirmed = form.Get("oauth_callback_confirmed") == "true"
	}
	return answer
}

// ProbeAccount asks X whose the tokens are, to see what it answers. X bills each call.
func (a *App) ProbeAccount(ctx context.Context, accessToken, accessSecret string) diagnostic.Answer {
	got := a.askAccount(ctx, accessToken, accessSecret)
	answer := a.observe(got, accessToken, accessSecret)
	var me struct{ Data User }
	if json.Unmarshal(got.body, &me) == nil && isID(me.Data.ID) && isHandle(me.Data.Username) {
		answer.UserID, answer.Username = me.Data.ID, me.Data.Username
	}
	return answer
}

func (a *App) askAccount(ctx context.Context, accessToken, accessSecret string) reply {
	account := New(Config{
		BaseURL: a.config.BaseURL, ConsumerKey: a.config.ConsumerKey, ConsumerSecret: a.config.ConsumerSecret,
		AccessToken: accessToken, AccessSecret: accessSecret,
	})
	req, err := account.request(ctx, http.MethodGet, "/2/users/me", nil, nil)
	return a.send(ctx, account.http, req, err)
}

// secrets hides the app's own and some more.
func (a *App) secrets(more ...string) *strings.Replacer {
	return knownSecrets(append(more, a.config.ConsumerKey, a.config.ConsumerSecret)...)
}

// observe notes what an answer shows. The secrets are those of the call, should X repeat them.
func (a *App) observe(got reply, secrets ...string) diagnostic.Answer {
	hide := a.secrets(secrets...)
	line := func(s string) string { return outage.Line(redact(s, hide)) }
	said := readComplaint(got.body)
	first := objection{}
	if len(said.Errors) > 0 {
		first = said.Errors[0]
	}
	answer := diagnostic.Answer{
		Status: got.status, Code: first.Code, Title: line(said.Title), Reason: line(said.Reason),
		Kind: line(kindOf(cmp.Or(said.Type, first.Type))), Detail: line(cmp.Or(said.words(), first.Detail)),
		AccessLevel: line(got.header.Get("x-access-level")), Skew: skew(got.header, a.config.Now()),
		HTML: strings.HasPrefix(http.DetectContentType(got.body), "text/html"),
	}
	if got.err != nil {
		answer.Unreachable = outage.KindOf(got.err)
	} else { // one that broke off may end in the midst of a secret
		answer.Body = shown(redact(string(got.body), hide))
	}
	return answer
}

// kindOf is the last element of a problem's type.
func kindOf(problemType string) string {
	if problemType == "" {
		return ""
	}
	return path.Base(problemType)
}

// skew is how far X's clock is ahead of ours.
func skew(header http.Header, now time.Time) time.Duration {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return date.Sub(now)
}

// shown is the beginning of a body, without what cannot be printed.
func shown(body string) string {
	text := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			return r
		}
		return ' '
	}, body))
	return string(text[:min(len(text), maxShown)])
}
