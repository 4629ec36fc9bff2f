package llm

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"customerzero/internal/platform/telemetry"
)

const (
	usualTimeout      = 10 * time.Second
	usualWriteTimeout = 60 * time.Second
)

// Config says which models there are. New's errors name settings, and do not repeat them:
// one of them is a key.
type Config struct {
	// Models are builtin, openai:<model> and ollama:<model>. The first is asked where
	// nobody says which. None: builtin.
	Models        []string
	OpenAIBaseURL string           // empty: OpenAI's own
	OpenAIKey     string           // OpenAI's own server needs one
	OllamaHost    string           // http://host:port
	Timeout       time.Duration    // of a whole call; 10 s when left out
	WriteTimeout  time.Duration    // of a whole text; 60 s when left out
	Prices        map[string]Price // by model, like openai:gpt-4o-mini
	Now           func() time.Time // time.Now when left out
}

// Price of a model, in US cents per million tokens.
type Price struct {
	InCents  int
	OutCents int
}

// New opens the doors to the models. None is called before it is asked.
func New(config Config) (*Models, error) {
	m := &Models{timeout: config.Timeout, writing: config.WriteTimeout, now: config.Now, transport: newTransport()}
	if m.timeout <= 0 {
		m.timeout = usualTimeout
	}
	if m.writing <= 0 {
		m.writing = usualWriteTimeout
	}
	if m.now == nil {
		m.now = time.Now
	}
	names := config.Models
	if len(names) == 0 {
		names = []string{builtin}
	}
	for i, name := range names {
		d, err := config.door(strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("llm: number %d of LLM_MODELS: %w", i+1, err)
		}
		if slices.Contains(m.Names(), d.name) {
			return nil, fmt.Errorf("llm: number %d of LLM_MODELS is there twice", i+1)
		}
		m.doors, m.writers = append(m.doors, d), append(m.writers, d)
		if d.name == builtinName {
			m.writers = append(m.writers, briefDoor())
		}
	}
	return m, nil
}

func (c Config) door(name string) (*door, error) {
	vendor, id, _ := strings.Cut(name, ":")
	switch {
	case name == builtin || name == builtinName:
		return builtinDoor(), nil
	case vendor == "openai" && id != "":
		return c.openAI(name, id)
	case vendor == "ollama" && id != "":
		return c.ollama(name, id)
	default:
		return nil, errors.New("it is none of builtin, openai:<model> and ollama:<model>")
	}
}

// newTransport bounds what a server can make us keep. Bodies are bounded where they are read.
func newTransport() http.RoundTripper {
	return telemetry.Transport(&http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: maxBody, IdleConnTimeout: time.Minute,
	})
}
