package llm

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/model"
)

func tweetQuestion(t testing.TB, topic string) model.Prompt {
	t.Helper()
	q, err := model.NewPrompt("tweet", map[string]any{"topic": topic, "voice": "founder", "facts": []string{"Of 500 posts 12 are spent."}})
	require.NoError(t, err)
	return q
}

// piece is a vendor's format of a part of a text.
func piece(vendor, text string) string {
	words, _ := json.Marshal(text)
	if vendor == openAIName {
		return fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"content\":%s}}]}\n\n", words)
	}
	return fmt.Sprintf("{\"message\":{\"role\":\"assistant\",\"content\":%s},\"done\":false}\n", words)
}

// closing is a vendor's end of a text with a stop reason.
func closing(vendor, why string) string {
	if vendor == openAIName {
		return fmt.Sprintf("data: {\"choices\":[{\"delta\":{},\"finish_reason\":%q}]}\n\n", why) +
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":200,\"completion_tokens\":30}}\n\ndata: [DONE]\n\n"
	}
	return `{"message":{"role":"assistant","content":""},"done":true,"prompt_eval_count":200,"eval_count":30}` + "\n"
}

// vendorOf returns the model that a request is for.
func vendorOf(r *http.Request) string {
	if r.URL.Path == "/api/chat" {
		return ollamaName
	}
	return openAIName
}

// streaming sends a text in pieces and ends it.
func streaming(pieces ...string) http.HandlerFunc { return without(ending("stop"), pieces...) }

func ending(why string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, closing(vendorOf(r), why)) }
}

// without sends pieces and then calls then instead of ending the text.
func without(then http.HandlerFunc, pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, text := range pieces {
			_, _ = io.WriteString(w, piece(vendorOf(r), text))
			_ = http.NewResponseController(w).Flush()
		}
		then(w, r)
	}
}

func abort(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// endless repeats a piece until the client gives up.
func endless(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, piece(vendorOf(r), text)); err != nil {
				return
			}
		}
	}
}

// partials collects the partial texts.
type partials []string

func (h *partials) add(soFar string) { *h = append(*h, soFar) }

func TestWriteStreams(t *testing.T) {
	t.Parallel()
	for _, vendor := range []string{openAIName, ollamaName} {
		var so partials
		server := newStub(t, streaming("Hello ", "there", "."))
		text, call, err := server.models(t).Write(t.Context(), tweetQuestion(t, "us"), vendor, so.add)
		require.NoError(t, err)
		require.Equal(t, "Hello there.", text)
		require.Equal(t, []string{"Hello ", "Hello there", "Hello there."}, []string(so)[:3], vendor)
		require.Equal(t, model.Answered, call.Outcome)
		require.Equal(t, "tweet.v1", call.Prompt)
		require.Equal(t, text, call.Answer)
		require.Equal(t, [2]int{200, 30}, [2]int{call.TokensIn, call.TokensOut})
		require.True(t, call.Priced)
		body := server.requests()[0].body
		require.Equal(t, true, body["stream"])
		require.NotContains(t, body, "response_format", "the answer is no JSON")
		require.NotEqual(t, "json", body["format"])
	}
}

// TestPiecesAreHeardAsTheyCome checks that each piece arrives before the next one is sent, and that the text
// is not changed: the posting rules check it.
func TestPiecesAreHeardAsTheyCome(t *testing.T) {
	t.Parallel()
	kept := "**Bold** <b>words</b>\a" + strings.Repeat("x", 600)
	for _, vendor := range []string{openAIName, ollamaName} {
		arrived := make(chan struct{})
		server := newStub(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, piece(vendorOf(r), "Hello "))
			_ = http.NewResponseController(w).Flush()
			select {
			case <-arrived:
				streaming(kept)(w, r)
			case <-r.Context().Done():
			}
		})
		first := true
		text, _, err := server.models(t).Write(t.Context(), tweetQuestion(t, "us"), vendor, func(string) {
			if first {
				close(arrived)
			}
			first = false
		})
		require.NoError(t, err)
		require.Equal(t, "Hello "+kept, text)
	}
}

// Proves: F20, V15.3.2
func TestWriteFailures(t *testing.T) {
	t.Parallel()
	short := func(c *Config) { c.WriteTimeout = 150 * time.Millisecond }
	for name, tt := range map[string]struct {
		answer  http.HandlerFunc
		config  func(*Config)
		outcome model.Outcome
		says    string
		only    string // a vendor
	}{
		"it breaks in the middle":         {answer: without(abort, "Hello th"), outcome: model.Failed, says: "lost before its answer"},
		"it breaks at once":               {answer: abort, outcome: model.Failed, says: "cannot be reached"},
		"it hangs":                        {answer: silent(""), config: short, outcome: model.TimedOut},
		"it hangs in the middle":          {answer: without(silent(""), "Hello th"), config: short, outcome: model.TimedOut},
		"it never ends":                   {answer: endless(strings.Repeat("on and on ", 20)), outcome: model.Overlong, says: "too long"},
		"it sends nothing without an end": {answer: endless(""), outcome: model.Overlong},
		"one piece of a megabyte":         {answer: streaming(strings.Repeat("a", 1<<20)), outcome: model.Malformed},
		"20 kB":                           {answer: streaming(strings.Repeat("a", 10<<10), strings.Repeat("a", 10<<10)), outcome: model.Overlong},
		"no text":                         {answer: streaming(), outcome: model.Malformed, says: "an empty text"},
		"blanks":                          {answer: streaming(" ", "\n"), outcome: model.Malformed, says: "an empty text"},
		"no body":                         {answer: sending(200, ""), outcome: model.Malformed},
		"a page":                          {answer: sending(200, "<html>Welcome to nginx</html>"), outcome: model.Malformed},
		"garbage":                         {answer: sending(200, "\x00\xff data: {{{"), outcome: model.Malformed},
		"a piece that trips the library":  {answer: sending(200, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[null]}}]}\n\n"), outcome: model.Malformed},
		"an error in the stream":          {answer: sending(200, `{"error":"the runner with `+secret+` stopped"}`), outcome: model.Malformed},
		"401":                             {answer: sending(401, secret), outcome: model.Forbidden},
		"a redirect is not followed":      {answer: sending(307, "", "Location", "/elsewhere"), outcome: model.Failed},
		"the stream has no end":           {answer: without(func(http.ResponseWriter, *http.Request) {}, "Hello th"), outcome: model.Failed, only: openAIName},
		"the model ran out of tokens":     {answer: without(ending("length"), "Hello th"), outcome: model.Overlong, only: openAIName},
	} {
		for _, vendor := range []string{openAIName, ollamaName} {
			if tt.only != "" && tt.only != vendor {
				continue // the other vendor's format does not report it
			}
			t.Run(name+"/"+vendor, func(t *testing.T) {
				t.Parallel()
				server := newStub(t, tt.answer)
				text, call, err := server.models(t, tt.config).Write(t.Context(), tweetQuestion(t, "us"), vendor, func(string) {})
				require.Empty(t, text)
				failure := failureOf(t, nil, call, err)
				require.Equal(t, tt.outcome, failure.Outcome, failure.Message)
				require.Contains(t, failure.Message, tt.says)
				require.Contains(t, failure.Message, vendor)
				for _, request := range server.requests() {
					require.NotEqual(t, "/elsewhere", request.path)
				}
			})
		}
	}
}

// Proves: F21, F37, LLM10
func TestAKeyIsNotHeardEither(t *testing.T) {
	t.Parallel()
	var so partials
	server := newStub(t, streaming("Your key is "+secret[:6], secret[6:], " sk-", "ok."))
	text, call, err := server.models(t).Write(t.Context(), tweetQuestion(t, "us"), openAIName, so.add)
	require.NoError(t, err)
	require.Equal(t, "Your key is  sk-ok.", text)
	require.Equal(t, text, call.Answer)
	for _, soFar := range so {
		require.NotContains(t, soFar, secret[:6])
	}
}

func TestAnOldServerWritesInAnOldForm(t *testing.T) {
	t.Parallel()
	server := newStub(t, refusingOnce(streaming("Hello.")))
	text, _, err := server.models(t).Write(t.Context(), tweetQuestion(t, "us"), openAIName, func(string) {})
	require.NoError(t, err)
	require.Equal(t, "Hello.", text)
	require.EqualValues(t, maxTokens, server.requests()[1].body["max_tokens"])

	var calls atomic.Int32 // a server that cannot stream
	server = newStub(t, func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) < 3 {
			sending(http.StatusBadRequest, "")(w, r)
			return
		}
		replying("Hello.")(w, r)
	})
	text, _, err = server.models(t).Write(t.Context(), tweetQuestion(t, "us"), openAIName, func(string) {})
	require.NoError(t, err)
	require.Equal(t, "Hello.", text)
	require.NotContains(t, server.requests()[2].body, "stream")
}

func TestAServerOfOnesOwnNeedsNoKey(t *testing.T) {
	t.Parallel()
	server := newStub(t, replying(good))
	_, _, err := server.models(t, func(c *Config) { c.OpenAIKey = "" }).Ask(t.Context(), priceQuestion(t), openAIName)
	require.NoError(t, err)
	require.Equal(t, "Bearer none", server.requests()[0].key)
}

func TestTheEnvironmentIsNotRead(t *testing.T) {
	server := newStub(t, replying(good))
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_ORGANIZATION", "OPENAI_BASE_URL", "OLLAMA_HOST"} {
		t.Setenv(name, "http://environment.invalid")
	}
	for _, vendor := range []string{openAIName, ollamaName} {
		_, _, err := server.models(t).Ask(t.Context(), priceQuestion(t), vendor)
		require.NoError(t, err)
	}
	_, err := New(Config{Models: []string{openAIName}})
	require.ErrorContains(t, err, "OPENAI_API_KEY")
	require.Equal(t, "Bearer "+secret, server.requests()[0].key)
	require.Empty(t, server.requests()[0].organization)
	require.Equal(t, "gpt-4o-mini", server.requests()[0].body["model"])
}

func TestSettingsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config Config
		names  []string // settings
	}{
		"OpenAI without a key":     {Config{Models: []string{openAIName}}, []string{"LLM_MODELS", "OPENAI_API_KEY"}},
		"OpenAI at no address":     {Config{Models: []string{openAIName}, OpenAIKey: secret, OpenAIBaseURL: secret}, []string{"OPENAI_BASE_URL"}},
		"Ollama without a host":    {Config{Models: []string{ollamaName}}, []string{"LLM_MODELS", "OLLAMA_HOST"}},
		"Ollama at no address":     {Config{Models: []string{ollamaName}, OllamaHost: "http://[" + secret}, []string{"OLLAMA_HOST"}},
		"an unknown vendor":        {Config{Models: []string{Builtin, "claude:" + secret}}, []string{"number 2 of LLM_MODELS"}},
		"a key in the wrong place": {Config{Models: []string{secret}}, []string{"LLM_MODELS"}},
		"a vendor without a model": {Config{Models: []string{"openai:"}, OpenAIKey: secret}, []string{"LLM_MODELS"}},
		"a model twice":            {Config{Models: []string{openAIName, openAIName}, OpenAIKey: secret}, []string{"number 2 of LLM_MODELS", "twice"}},
	} {
		_, err := New(tt.config)
		for _, setting := range tt.names {
			require.ErrorContains(t, err, setting, name)
		}
		require.NotContains(t, err.Error(), secret, name)
	}
}
