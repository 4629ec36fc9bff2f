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

// Builtin is the entry of LLM_MODELS for fixed rules and templates, which need no model.
const Builtin = "builtin"

const (
	usualTimeout      = 10 * time.Second
	usualWriteTimeout = 60 * time.Second
)

// Config lists the models and locates their servers. Errors of New name settings and never repeat their
// values, one of which is a key.
type Config struct {
	// Models are openai:<model> and ollama:<model>. The first is the default. Entries named builtin are not
	// models and are skipped.
	Models        []string
	OpenAIBaseURL string           // empty: OpenAI's own server
	OpenAIKey     string           // required for OpenAI's own server
	OllamaHost    string           // http://host:port
	Timeout       time.Duration    // of a call; 0: 10 s
	WriteTimeout  time.Duration    // of Write; 0: 60 s
	Prices        map[string]Price // by model, such as openai:gpt-4o-mini
	Now           func() time.Time // nil: time.Now
}

// Price is a model's price in US cents per million tokens.
type Price struct {
	InCents  int
	OutCents int
}

// New configures the models without connecting to their servers.
func New(config Config) (*Models, error) {
	m := &Models{
		timeout: cmp.Or(config.Timeout, usualTimeout), writing: cmp.Or(config.WriteTimeout, usualWriteTimeout),
		now: config.Now, transport: newTransport(),
	}
	if m.now == nil {
		m.now = time.Now
	}
	for i, name := range config.Models {
		name = strings.TrimSpace(name)
		if name == Builtin {
			continue
		}
		d, err := config.provider(name)
		if err != nil {
			return nil, fmt.Errorf("llm: number %d of LLM_MODELS: %w", i+1, err)
		}
		if slices.Contains(m.Names(), d.name) {
			return nil, fmt.Errorf("llm: number %d of LLM_MODELS is listed twice", i+1)
		}
		m.providers = append(m.providers, d)
	}
	return m, nil
}

func (c Config) provider(name string) (*provider, error) {
	vendor, id, _ := strings.Cut(name, ":")
	switch {
	case vendor == "openai" && id != "":
		return c.openAI(name, id)
	case vendor == "ollama" && id != "":
		return c.ollama(name, id)
	default:
		return nil, errors.New("it must be builtin, openai:<model> or ollama:<model>")
	}
}

// newTransport limits response headers. Bodies are limited where they are read.
func newTransport() http.RoundTripper {
	return telemetry.Transport(&http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: maxBody, IdleConnTimeout: time.Minute,
	})
}

const (
	openAIHost = "api.openai.com"
	noKey      = "none" // the library requires a key
)

// openAI returns the provider of a model behind OpenAI's API or a compatible one. It sets every option,
// because the library reads omitted ones from the environment.
func (c Config) openAI(name, id string) (*provider, error) {
	base, err := address(cmp.Or(c.OpenAIBaseURL, "https://"+openAIHost+"/v1"))
	if err != nil {
		return nil, errors.New("it needs OPENAI_BASE_URL, an http:// or https:// URL")
	}
	if c.OpenAIKey == "" && base.Hostname() == openAIHost {
		return nil, errors.New("it needs OPENAI_API_KEY")
	}
	d := &provider{name: name, secret: c.OpenAIKey, urlSetting: "OPENAI_BASE_URL", keySetting: "OPENAI_API_KEY"}
	d.open = func(client *http.Client) (llms.Model, error) {
		return openai.New(openai.WithBaseURL(base.String()), openai.WithToken(cmp.Or(c.OpenAIKey, noKey)),
			openai.WithModel(id), openai.WithOrganization(""), openai.WithHTTPClient(client))
	}
	d.jsonOptions = [][]llms.CallOption{
		{llms.WithJSONMode(), llms.WithMaxTokens(maxTokens)},
		{openai.WithLegacyMaxTokensField(), llms.WithMaxTokens(maxTokens)},
	}
	d.imagePart = func(png []byte) llms.ContentPart {
		return llms.ImageURLPart("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
	}
	d.reportsEnd = true
	d.textOptions = func(stream llms.CallOption) [][]llms.CallOption {
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

// ollama returns the provider of a model on our own machine, whose calls are free.
func (c Config) ollama(name, id string) (*provider, error) {
	host, err := address(c.OllamaHost)
	if err != nil {
		return nil, errors.New("it needs OLLAMA_HOST, like http://127.0.0.1:11434")
	}
	d := &provider{name: name, urlSetting: "OLLAMA_HOST", keySetting: "OLLAMA_HOST", price: &Price{}}
	d.open = func(client *http.Client) (llms.Model, error) {
		return ollama.New(ollama.WithServerURL(host.String()), ollama.WithModel(id), ollama.WithHTTPClient(client))
	}
	d.jsonOptions = [][]llms.CallOption{{llms.WithJSONMode(), llms.WithMaxTokens(maxTokens)}}
	d.imagePart = func(png []byte) llms.ContentPart { return llms.BinaryPart("image/png", png) }
	d.textOptions = func(stream llms.CallOption) [][]llms.CallOption {
		return [][]llms.CallOption{{stream, llms.WithMaxTokens(maxTokens)}}
	}
	return d, nil
}

func address(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("not an http URL")
	}
	return u, nil
}
