package llm

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"

	"customerzero/internal/platform/telemetry"
)

const (
	usualTimeout      = 10 * time.Second
	usualWriteTimeout = 60 * time.Second
)

// Config describes which models there are. New's errors name settings, and do not repeat them:
// one of them is a key.
type Config struct {
	// Models are builtin, openai:<model> and ollama:<model>. The first is asked where
	// nobody describes which. None: builtin.
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

// New opens the providers to the models. None is called before it is asked.
func New(config Config) (*Models, error) {
	m := &Models{
		timeout: cmp.Or(config.Timeout, usualTimeout), writing: cmp.Or(config.WriteTimeout, usualWriteTimeout),
		now: config.Now, transport: newTransport(),
	}
	if m.now == nil {
		m.now = time.Now
	}
	names := config.Models
	if len(names) == 0 {
		names = []string{builtin}
	}
	for i, name := range names {
		d, err := config.provider(strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("llm: number %d of LLM_MODELS: %w", i+1, err)
		}
		if slices.Contains(m.Names(), d.name) {
			return nil, fmt.Errorf("llm: number %d of LLM_MODELS is there twice", i+1)
		}
		m.providers, m.writers = append(m.providers, d), append(m.writers, d)
		if d.name == builtinName {
			m.writers = append(m.writers, briefProvider())
		}
	}
	return m, nil
}

func (c Config) provider(name string) (*provider, error) {
	vendor, id, _ := strings.Cut(name, ":")
	switch {
	case name == builtin || name == builtinName:
		return builtinProvider(), nil
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

const (
	openAIHost = "api.openai.com"
	noKey      = "none" // the library insists on one
)

// openAI is the way to a model behind OpenAI's API, or one of that form. Its settings are all
// given: the library would look for those left out in the environment.
func (c Config) openAI(name, id string) (*provider, error) {
	base, err := address(cmp.Or(c.OpenAIBaseURL, "https://"+openAIHost+"/v1"))
	if err != nil {
		return nil, errors.New("it needs OPENAI_BASE_URL, a URL that begins with http:// or https://")
	}
	if c.OpenAIKey == "" && base.Hostname() == openAIHost {
		return nil, errors.New("it needs OPENAI_API_KEY")
	}
	d := &provider{name: name, secret: c.OpenAIKey, where: "OPENAI_BASE_URL", key: "OPENAI_API_KEY"}
	d.open = func(client *http.Client) (llms.Model, error) {
		return openai.New(openai.WithBaseURL(base.String()), openai.WithToken(cmp.Or(c.OpenAIKey, noKey)),
			openai.WithModel(id), openai.WithOrganization(""), openai.WithHTTPClient(client))
	}
	d.forms = [][]llms.CallOption{
		{llms.WithJSONMode(), llms.WithMaxTokens(maxTokens)},
		{openai.WithLegacyMaxTokensField(), llms.WithMaxTokens(maxTokens)},
	}
	d.sees = func(png []byte) llms.ContentPart {
		return llms.ImageURLPart("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
	}
	d.ends = true
	d.texts = func(stream llms.CallOption) [][]llms.CallOption {
		return [][]llms.CallOption{
			{stream, llms.WithMaxTokens(maxTokens)},
			{stream, openai.WithLegacyMaxTokensField(), llms.WithMaxTokens(maxTokens)},
			{openai.WithLegacyMaxTokensField(), llms.WithMaxTokens(maxTokens)},
		}
	}
	if price, ok := c.Prices[name]; ok {
		d.price = &price
	}
	return d, nil
}

// ollama is the way to a model on a machine of our own, whose calls cost nothing.
func (c Config) ollama(name, id string) (*provider, error) {
	host, err := address(c.OllamaHost)
	if err != nil {
		return nil, errors.New("it needs OLLAMA_HOST, like http://127.0.0.1:11434")
	}
	d := &provider{name: name, where: "OLLAMA_HOST", key: "OLLAMA_HOST", price: &Price{}}
	d.open = func(client *http.Client) (llms.Model, error) {
		return ollama.New(ollama.WithServerURL(host.String()), ollama.WithModel(id), ollama.WithHTTPClient(client))
	}
	d.forms = [][]llms.CallOption{{llms.WithJSONMode(), llms.WithMaxTokens(maxTokens)}}
	d.sees = func(png []byte) llms.ContentPart { return llms.BinaryPart("image/png", png) }
	d.texts = func(stream llms.CallOption) [][]llms.CallOption {
		return [][]llms.CallOption{{stream, llms.WithMaxTokens(maxTokens)}}
	}
	return d, nil
}

func address(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("no address")
	}
	return u, nil
}
