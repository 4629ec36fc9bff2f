package llm

import (
	"encoding/json"
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

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range knownAnswers(t) {
		for _, name := range []string{openAIName, ollamaName} {
			t.Run(tt.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				answer, call, err := newStub(t, replying(tt.Says)).models(t).Ask(t.Context(), priceQuestion(t), name)
				require.Equal(t, bounded(tt.Says), call.Answer)
				require.Equal(t, [2]int{200, 30}, [2]int{call.TokensIn, call.TokensOut})
				if tt.Read == "" {
					failure := failureOf(t, answer, call, err)
					require.Equal(t, model.Malformed, failure.Outcome)
					require.True(t, failure.Retry)
					return
				}
				require.NoError(t, err)
				require.Equal(t, tt.Read, string(answer))
				require.Equal(t, model.Answered, call.Outcome)
				require.Empty(t, call.Detail)
			})
		}
	}
}

// FuzzAnswer checks that the pricing rules only ever receive a whole number and a reason of at most 300
// characters, and that reading an answer twice changes nothing.
// Proves: F20, LLM03
func FuzzAnswer(f *testing.F) {
	for _, answer := range knownAnswers(f) {
		f.Add(answer.Says)
	}
	f.Add(strings.Repeat("[", 20_000))
	f.Add(strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000))
	f.Add(`{"discount_percent":1,"reason":"` + strings.Repeat("é", 300) + `"}`)
	f.Add(`{"discount_percent":1,"reason":"` + strings.Repeat("é", 301) + `"}`)
	schema, err := compile(priceQuestion(f))
	require.NoError(f, err)
	_, err = read(schema, `{"discount_percent":1,"reason":"`+strings.Repeat("é", 300)+`"}`)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, says string) {
		answer, err := read(schema, says)
		if err != nil {
			require.Nil(t, answer)
			return
		}
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(answer, &fields))
		require.Len(t, fields, 2)
		var got struct {
			DiscountPercent *int64  `json:"discount_percent"`
			Reason          *string `json:"reason"`
		}
		require.NoError(t, json.Unmarshal(answer, &got))
		require.NotNil(t, got.DiscountPercent)
		require.NotEmpty(t, *got.Reason)
		require.LessOrEqual(t, utf8.RuneCountInString(*got.Reason), 300)
		require.NotContains(t, *got.Reason, "\x00")
		require.True(t, utf8.Valid(answer))
		again, err := read(schema, string(answer))
		require.NoError(t, err)
		require.Equal(t, string(answer), string(again))
	})
}

func TestBounded(t *testing.T) {
	t.Parallel()
	require.Equal(t, "aéb", bounded("aé\x00b"))
	require.Equal(t, "a\uFFFD", bounded("a\xff"))
	require.Equal(t, strings.Repeat("a", maxKept), bounded(strings.Repeat("a", maxKept+1)))
	cut := bounded("a" + strings.Repeat("é", maxKept))
	require.Len(t, cut, maxKept-1, "no half character is kept")
	require.True(t, utf8.ValidString(cut))
}

// sayer is a transport that always returns the same response.
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

// FuzzReply checks that every response becomes either a storable text without the key, or an error for users.
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
			return // transports never return these
		}
		models := (&stub{url: "http://127.0.0.1:1"}).models(t)
		models.transport = sayer{status, "text/event-stream", body}
		for _, name := range []string{openAIName, ollamaName} {
			var partial string
			text, call, err := models.Write(t.Context(), model.Prompt{Task: "tweet", Text: "q"}, name, func(soFar string) { partial = soFar })
			for _, shown := range []string{text, call.Answer, call.Detail, partial} {
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

// FuzzRetryAfter checks that the wait is between zero and one hour.
func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"", "1", "-1", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "Fri, 20 Nov 2026 12:00:30 GMT", "1.5", "soon"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		wait := retryAfter(http.Header{"Retry-After": {value}}, noon)
		require.True(t, wait >= 0 && wait <= time.Hour, wait)
	})
}

// FuzzUnspoken checks that a partial text never contains the secret and is a prefix of the later one.
func FuzzUnspoken(f *testing.F) {
	f.Add("hello sk-x there", 3)
	f.Add("sk-sk-xx", 2)
	f.Add("sk\x00-x", 2)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		if cut < 0 || cut > len(text) {
			return
		}
		early, late := redactPartial(text[:cut], "sk-x"), redactPartial(text, "sk-x")
		require.NotContains(t, late, "sk-x")
		require.NotContains(t, strings.ReplaceAll(late, "\x00", ""), "sk-x", "zero bytes are removed before it is stored")
		require.True(t, strings.Contains(strings.ReplaceAll(text, "\x00", ""), "sk-x") || strings.HasPrefix(late, early))
	})
}
