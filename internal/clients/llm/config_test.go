package llm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNames(t *testing.T) {
	t.Parallel()
	m, err := New(Config{})
	require.NoError(t, err)
	require.Equal(t, []string{"builtin-1"}, m.Names())

	m, err = New(Config{
		Models: []string{" ollama:llama3.2:3b ", "openai:gpt-4o-mini", "builtin"}, OpenAIKey: secret, OllamaHost: "http://127.0.0.1:11434",
	})
	require.NoError(t, err)
	require.Equal(t, []string{"ollama:llama3.2:3b", "openai:gpt-4o-mini", "builtin-1"}, m.Names())
}

func TestAServerOfOnesOwnNeedsNoKey(t *testing.T) {
	t.Parallel()
	server := newStub(t, saying(good))
	_, _, err := server.models(t, func(c *Config) { c.OpenAIKey = "" }).Ask(t.Context(), priceQuestion(t), openAIName)
	require.NoError(t, err)
	require.Equal(t, "Bearer none", server.requests()[0].key)
}

func TestTheEnvironmentIsNotRead(t *testing.T) {
	server := newStub(t, saying(good))
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_MODEL", "OPENAI_ORGANIZATION", "OPENAI_BASE_URL", "OLLAMA_HOST"} {
		t.Setenv(name, "http://environment.invalid")
	}
	for _, asked := range []string{openAIName, ollamaName} {
		_, _, err := server.models(t).Ask(t.Context(), priceQuestion(t), asked)
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
		"a vendor nobody knows":    {Config{Models: []string{builtin, "claude:" + secret}}, []string{"number 2 of LLM_MODELS"}},
		"a key in the wrong place": {Config{Models: []string{secret}}, []string{"LLM_MODELS"}},
		"a vendor without a model": {Config{Models: []string{"openai:"}, OpenAIKey: secret}, []string{"LLM_MODELS"}},
		"a model twice":            {Config{Models: []string{"builtin", "builtin-1"}}, []string{"number 2 of LLM_MODELS", "twice"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(tt.config)
			for _, setting := range tt.names {
				require.ErrorContains(t, err, setting)
			}
			require.NotContains(t, err.Error(), secret)
		})
	}
}
