package llm

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/model"
	"customerzero/internal/platform/testwait"
)

const (
	secret     = "sk-proj-S3cretS3cret"
	openAIName = "openai:gpt-4o-mini"
	ollamaName = "ollama:llama3.2:3b"
	patience   = testwait.Limit // for what must not time out
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// stub is a model server that records its requests.
type stub struct {
	url      string
	mu       sync.Mutex
	received []request
}

type request struct {
	path         string
	key          string
	organization string
	body         map[string]any
}

func newStub(t *testing.T, answer http.HandlerFunc) *stub {
	t.Helper()
	s := &stub{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		received := request{path: r.URL.Path, key: r.Header.Get("Authorization"), organization: r.Header.Get("OpenAI-Organization")}
		_ = json.Unmarshal(raw, &received.body)
		r.Body = io.NopCloser(bytes.NewReader(raw))
		s.mu.Lock()
		s.received = append(s.received, received)
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *stub) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received
}

// models returns one model of each vendor behind the stub.
func (s *stub) models(t *testing.T, changes ...func(*Config)) *Models {
	t.Helper()
	config := Config{
		Models: []string{openAIName, ollamaName, Builtin}, OpenAIBaseURL: s.url + "/v1", OpenAIKey: secret, OllamaHost: s.url,
		Timeout: patience, Prices: map[string]Price{openAIName: {InCents: 15, OutCents: 60}},
	}
	for _, change := range changes {
		if change != nil {
			change(&config)
		}
	}
	m, err := New(config)
	require.NoError(t, err)
	return m
}

func priceQuestion(t testing.TB) model.Prompt {
	t.Helper()
	q, err := model.NewPrompt("price", map[string]any{"visits": 4, "user_type": "returning_visitor"})
	require.NoError(t, err)
	return q
}

// replying responds in the vendor's format, with token counts.
func replying(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		reply := map[string]any{
			"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": text}, "finish_reason": "stop"}},
			"usage":   map[string]any{"prompt_tokens": 200, "completion_tokens": 30, "total_tokens": 230},
		}
		if r.URL.Path == "/api/chat" {
			reply = map[string]any{
				"message": map[string]any{"role": "assistant", "content": text}, "done": true, "prompt_eval_count": 200, "eval_count": 30,
			}
		}
		_ = json.NewEncoder(w).Encode(reply)
	}
}

// sending responds with a raw body.
func sending(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// known is an answer to the price prompt; the pricing rules use the same file.
type known struct {
	Name string `json:"name"`
	Says string `json:"says"`
	Read string `json:"read"` // empty: it is rejected
}

func knownAnswers(t testing.TB) []known {
	t.Helper()
	raw, err := os.ReadFile("../../domain/pricing/testdata/answers.json")
	require.NoError(t, err)
	var answers []known
	require.NoError(t, json.Unmarshal(raw, &answers))
	require.NotEmpty(t, answers)
	return answers
}

// failureOf returns the error of a failed call, and checks that it and the call agree and contain no secret.
func failureOf(t *testing.T, answer json.RawMessage, call model.Call, err error) *model.Error {
	t.Helper()
	var failure *model.Error
	require.ErrorAs(t, err, &failure)
	require.Nil(t, answer)
	require.Equal(t, failure.Outcome, call.Outcome)
	require.Equal(t, failure.Message, call.Detail)
	require.NotEmpty(t, failure.Message)
	require.NotContains(t, failure.Message, secret)
	require.NotContains(t, call.Answer, secret)
	require.NotEmpty(t, call.ID)
	require.NotEmpty(t, call.Question)
	return failure
}
