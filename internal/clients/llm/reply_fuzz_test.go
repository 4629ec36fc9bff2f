package llm

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/model"
)

// sayer answers every request with the same bytes.
type sayer struct {
	status int
	kind   string
	body   string
}

func (s sayer) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: s.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {s.kind}, "Retry-After": {s.body}}, Body: io.NopCloser(strings.NewReader(s.body)),
	}, nil
}

// Whatever a server says, a text comes of it that a database takes and that holds no key, or an
// error that people can be shown.
func FuzzReply(f *testing.F) {
	stream := `data: {"choices":[{"delta":{"content":"hel"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"lo"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	for _, body := range []string{
		"", stream, stream[:len(stream)/2], strings.ReplaceAll(stream, "hel", secret), strings.ReplaceAll(stream, "hel", secret[:5]+secret+secret[5:]), strings.ReplaceAll(stream, "hel", secret[:5]+`\u0000`+secret[5:]),
		strings.ReplaceAll(stream, "\n\n", "\n"), "data: \n\ndata: {\n\n", "data: null\n\n",
		`data: {"choices":[]}` + "\n\n", `{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":-1}}`,
		`{"message":{"role":"assistant","content":"hi"},"done":true}` + "\n", `{"message":{"content":"h"}}` + "\n" + `{"done":true,"eval_count":1e30}` + "\n",
		`{"error":"` + secret + `"}`, `{"choices":[{"message":null}]}`, "null", strings.Repeat("[", 20_000), "\xff\xfe\x00",
	} {
		f.Add(200, body)
	}
	f.Add(429, "3600")
	f.Add(503, "-9223372036854775808")
	f.Add(400, "{}")
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return // no transport lets them through
		}
		models := fuzzModels(t, sayer{status, "text/event-stream", body})
		for _, name := range []string{openAIName, ollamaName} {
			var heard string
			text, call, err := models.Write(t.Context(), model.Prompt{Task: "tweet", Text: "q"}, name, func(soFar string) { heard = soFar })
			for _, shown := range []string{text, call.Answer, call.Detail, heard} {
				require.NotContains(t, shown, secret)
				require.LessOrEqual(t, len(shown), maxKept)
			}
			if err != nil {
				failure, ok := errors.AsType[*model.Error](err)
				require.True(t, ok, "%T", err)
				require.NotEmpty(t, failure.Message)
				require.Empty(t, text)
				continue
			}
			require.NotEmpty(t, strings.TrimSpace(text))
			require.True(t, utf8.ValidString(text))
			require.NotContains(t, text, "\x00")
		}
	})
}

func fuzzModels(t *testing.T, transport http.RoundTripper) *Models {
	t.Helper()
	m, err := New(Config{
		Models: []string{openAIName, ollamaName}, OpenAIBaseURL: "http://127.0.0.1:1/v1", OpenAIKey: secret, OllamaHost: "http://127.0.0.1:1",
		Timeout: patience,
	})
	require.NoError(t, err)
	m.transport = transport
	return m
}

// How long a server wants to be left alone is never less than nothing, nor more than an hour.
func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"", "1", "-1", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "Fri, 20 Nov 2026 12:00:30 GMT", "1.5", "soon"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		wait := retryAfter(http.Header{"Retry-After": {value}}, noon)
		require.True(t, wait >= 0 && wait <= time.Hour, wait)
	})
}

// What is heard of a text while it grows never holds the secret, and grows to what is said in the end.
func FuzzUnspoken(f *testing.F) {
	f.Add("hello sk-x there", 3)
	f.Add("sk-sk-xx", 2)
	f.Add("sk\x00-x", 2)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if cut < 0 || cut > len(text) {
			return
		}
		early, late := unspoken(text[:cut], "sk-x"), unspoken(text, "sk-x")
		require.NotContains(t, late, "sk-x")
		require.NotContains(t, strings.ReplaceAll(late, "\x00", ""), "sk-x", "it is kept without zero bytes")
		require.True(t, strings.Contains(strings.ReplaceAll(text, "\x00", ""), "sk-x") || strings.HasPrefix(late, early))
	})
}
