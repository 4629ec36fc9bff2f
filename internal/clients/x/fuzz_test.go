package x

import (
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
)

const fuzzSecret = "s3cr3t/of+the&app=<%22>" // is escaped in almost every encoding

var (
	fuzzNow    = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	fuzzClient = New(Config{ConsumerSecret: fuzzSecret, ConsumerKey: "consumer-key", Now: func() time.Time { return fuzzNow }})
	fuzzApp    = NewApp(AppConfig{ConsumerSecret: fuzzSecret, ConsumerKey: "consumer-key", Now: func() time.Time { return fuzzNow }})
)

// FuzzRefusal checks that every refusal has a message of one short line without secrets, and a plausible time
// to retry.
func FuzzRefusal(f *testing.F) {
	for _, body := range []string{
		"", `{"title":"CreditsDepleted","type":"https://api.twitter.com/2/problems/credits"}`, `{"errors":[{"code":187,"message":"Status is a duplicate."}]}`,
		`{"errors":[{"message":"` + fuzzSecret + `"}]}`, `{"detail":"a\nb\u0000c ` + strings.Repeat("é", 300) + `"}`, `{"errors":[null]}`, `{"errors":{}}`, `{"type":"/"}`,
		`<errors><error code="89">no</error></errors>`, `<html>`, strings.Repeat("[", 10_001),
	} {
		f.Add(400, body, "0", "1763640000")
	}
	for _, reset := range []string{"1763640000000", "9223372036854775807", "-1", "", "soon", "1.5"} {
		f.Add(429, "{}", "0", reset)
	}
	f.Fuzz(func(t *testing.T, status int, body, remaining, reset string) {
		if status/100 == 2 {
			return
		}
		header := http.Header{"X-Rate-Limit-Remaining": {remaining}, "X-Rate-Limit-Reset": {reset}}
		refused, ok := errors.AsType[*post.XError](fuzzClient.refusal(reply{status: status, header: header, body: []byte(body), connected: true}))
		require.True(t, ok)
		require.NotEmpty(t, refused.Code)
		require.NotContains(t, refused.Message, fuzzSecret)
		isLine(t, refused.Message, 300)
		if refused.Class != post.RateLimited {
			return
		}
		require.True(t, refused.RetryAt.After(fuzzNow))
		require.Less(t, refused.RetryAt.Sub(fuzzNow), 32*24*time.Hour, "no limit is longer than a month")
		_, err := json.Marshal(refused.RetryAt)
		require.NoError(t, err)
	})
}

// FuzzTokenAnswer checks that a login returns a form that survives encoding, or an error of one line.
func FuzzTokenAnswer(f *testing.F) {
	for _, body := range []string{
		"oauth_token=t&oauth_token_secret=s&oauth_callback_confirmed=true", "oauth_token=t&oauth_token_secret=s&user_id=7&screen_name=ada",
		" \n", "oauth_token=%zz", "a;b", "oauth_token=&oauth_token_secret=", "<html>", "{}", "oauth_token=t&oauth_token=u", "\xff=\x00",
	} {
		f.Add(200, body)
		f.Add(401, body)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		form, err := fuzzApp.form(reply{status: status, body: []byte(body), connected: true})
		if err != nil {
			failure, ok := errors.AsType[*account.XError](err)
			require.True(t, ok)
			isLine(t, failure.Message, 201)
			return
		}
		require.Equal(t, 2, status/100)
		again, err := url.ParseQuery(form.Encode())
		require.NoError(t, err)
		require.Equal(t, form, again)
	})
}

// FuzzAsWritten checks that X's shortened links and HTML escapes are undone exactly.
func FuzzAsWritten(f *testing.F) {
	f.Add("Tom & Jerry <3 https://t.co/abc", "https://t.co/abc", "https://example.com/?a=b&c")
	f.Add("&amp;amp;", "", "x")
	f.Add("https://t.co/a https://t.co/ab", "https://t.co/a", "")
	f.Fuzz(func(t *testing.T, text, short, long string) {
		read := tweet{Text: html.EscapeString(text)}
		require.Equal(t, text, read.asWritten())
		read.Entities.URLs = []shortened{{short, long}, {"", "x"}, {short + "x", ""}}
		want := text
		if short != "" && long != "" {
			want = strings.ReplaceAll(text, short, long)
		}
		require.Equal(t, want, read.asWritten())
	})
}

// isLine checks that a text is one printable line of at most most characters.
func isLine(t *testing.T, text string, most int) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	require.LessOrEqual(t, utf8.RuneCountInString(text), most)
	require.False(t, strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) }), "%q", text)
}
