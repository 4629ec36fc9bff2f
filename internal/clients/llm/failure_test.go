package llm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/model"
)

// cut closes the connection in the middle of a body.
func cut(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(body))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// silent sends a part of a body and then nothing until the client gives up.
func silent(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if body != "" {
			_, _ = w.Write([]byte(body))
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

func impatient(c *Config) { c.Timeout = 100 * time.Millisecond }

// Proves: F20, V15.2.2, V15.3.2, V16.5.4, LLM03
func TestFailures(t *testing.T) {
	t.Parallel()
	withKey := fmt.Sprintf(`{"error":{"message":"Incorrect API key provided: %s"}}`, secret)
	for name, tt := range map[string]struct {
		answer  http.HandlerFunc
		config  func(*Config)
		outcome model.Outcome
		final   bool // not to be retried
		after   time.Duration
		hint    string // a part of the message
	}{
		"no body":                              {answer: sending(200, ""), outcome: model.Malformed},
		"garbage":                              {answer: sending(200, "\x00\xff<html>"), outcome: model.Malformed},
		"a page":                               {answer: sending(200, "<html>Welcome to nginx</html>"), outcome: model.Malformed},
		"JSON of another form":                 {answer: sending(200, `[1,2,3]`), outcome: model.Malformed},
		"an object without an answer":          {answer: sending(200, `{}`), outcome: model.Malformed},
		"a reply that trips the library":       {answer: sending(200, `{"choices":[null],"message":null,"done":true}`), outcome: model.Malformed},
		"an error that calls itself a success": {answer: sending(200, `{"error":"model runner has stopped"}`), outcome: model.Malformed},
		"ten megabytes":                        {answer: sending(200, strings.Repeat("a", 10<<20)), outcome: model.Overlong},
		"an answer that does not end":          {answer: replying(strings.Repeat("x", maxBody)), outcome: model.Overlong},
		"deep nesting":                         {answer: sending(200, strings.Repeat("[", 60_000)), outcome: model.Malformed},
		"a deeply nested answer":               {answer: replying(strings.Repeat("[", 30_000)), outcome: model.Malformed},
		"it stops in the middle":               {answer: cut(`{"choices":[{"message":{"content":"{\"disc`), outcome: model.Failed},
		"the connection is cut at once":        {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, outcome: model.Failed},
		"it hangs":                             {answer: silent(""), config: impatient, outcome: model.TimedOut},
		"it hangs in the middle":               {answer: silent(`{"choices":[`), config: impatient, outcome: model.TimedOut},
		"400":                                  {answer: sending(400, withKey), outcome: model.Failed, final: true, hint: "rejected the request (status 400)"},
		"401":                                  {answer: sending(401, withKey), outcome: model.Forbidden, final: true, hint: "rejected our credentials"},
		"402":                                  {answer: sending(402, withKey), outcome: model.OutOfQuota, final: true, hint: "no credit left"},
		"403":                                  {answer: sending(403, withKey), outcome: model.Forbidden, final: true, hint: "rejected our credentials"},
		"404":                                  {answer: sending(404, withKey), outcome: model.Failed, final: true, hint: "has no model"},
		"408":                                  {answer: sending(408, ""), outcome: model.Failed},
		"429":                                  {answer: sending(429, ""), outcome: model.OutOfQuota, hint: "rate limit"},
		"429 with Retry-After":                 {answer: sending(429, withKey, "Retry-After", "7"), outcome: model.OutOfQuota, after: 7 * time.Second},
		"500":                                  {answer: sending(500, withKey), outcome: model.Failed, hint: "failed (status 500)"},
		"500 and ten megabytes":                {answer: sending(500, strings.Repeat("a", 10<<20)), outcome: model.Failed},
		"503 with Retry-After":                 {answer: sending(503, "", "Retry-After", "30"), outcome: model.Failed, after: 30 * time.Second},
		"a redirect is not followed":           {answer: sending(307, "", "Location", "/elsewhere"), outcome: model.Failed, final: true, hint: "has moved"},
		"a header without end":                 {answer: sending(200, "", "X-Long", strings.Repeat("a", 1<<20)), outcome: model.Failed},
	} {
		for _, vendor := range []string{openAIName, ollamaName} {
			t.Run(name+"/"+vendor, func(t *testing.T) {
				t.Parallel()
				server := newStub(t, tt.answer)
				answer, call, err := server.models(t, tt.config).Ask(t.Context(), priceQuestion(t), vendor)
				failure := failureOf(t, answer, call, err)
				require.Equal(t, tt.outcome, failure.Outcome, failure.Message)
				require.Contains(t, failure.Message, tt.hint)
				require.Equal(t, !tt.final, failure.Retry)
				require.Equal(t, tt.after, failure.RetryAfter)
				require.Contains(t, failure.Message, vendor)
				require.NotContains(t, failure.Message, server.url)
				for _, request := range server.requests() {
					require.NotEqual(t, "/elsewhere", request.path)
				}
			})
		}
	}
}

// TestEndsOfACall covers a closed port, a canceled call, and a caller's deadline that is earlier than ours.
// Proves: F20
func TestEndsOfACall(t *testing.T) {
	t.Parallel()
	for _, vendor := range []string{openAIName, ollamaName} {
		closed := &stub{url: "http://127.0.0.1:1"} // port 1 is never assigned
		answer, call, err := closed.models(t).Ask(t.Context(), priceQuestion(t), vendor)
		failure := failureOf(t, answer, call, err)
		require.Equal(t, model.Failed, failure.Outcome)
		require.True(t, failure.Retry)
		require.Contains(t, failure.Message, "cannot be reached")
		require.NotContains(t, failure.Message, "127.0.0.1")
	}
	for _, vendor := range []string{openAIName, ollamaName} {
		ctx, cancel := context.WithCancel(t.Context())
		server := newStub(t, func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done()
		})
		answer, call, err := server.models(t).Ask(ctx, priceQuestion(t), vendor)
		failure := failureOf(t, answer, call, err)
		require.Equal(t, model.Failed, failure.Outcome)
		require.Contains(t, failure.Message, "was canceled")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	ours := func(c *Config) { c.Timeout = 24 * time.Hour } // never reached
	answer, call, err := newStub(t, silent("")).models(t, ours).Ask(ctx, priceQuestion(t), openAIName)
	require.Equal(t, model.TimedOut, failureOf(t, answer, call, err).Outcome)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for value, wait := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "12": 12 * time.Second, "9999999999": time.Hour,
		noon.Add(time.Minute).Format(http.TimeFormat):    time.Minute,
		noon.Add(-time.Minute).Format(http.TimeFormat):   0,
		noon.Add(48 * time.Hour).Format(http.TimeFormat): time.Hour,
	} {
		require.Equal(t, wait, retryAfter(http.Header{"Retry-After": {value}}, noon), value)
	}
}

// Proves: F20, V15.2.2, LLM06
func TestNoMoreIsReadThanWeKeep(t *testing.T) {
	t.Parallel()
	body := io.MultiReader(strings.NewReader(strings.Repeat("a", 4*maxBody)), iotest.ErrReader(io.ErrUnexpectedEOF))
	_, err := readBody(io.NopCloser(body))
	require.ErrorIs(t, err, errOverlong)
	whole, err := readBody(io.NopCloser(strings.NewReader(strings.Repeat("a", maxBody))))
	require.NoError(t, err)
	require.Len(t, whole, maxBody)
}
