package llm

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
)

const (
	openAIHost = "api.openai.com"
	noKey      = "none" // the library insists on one
)

// openAI is the way to a model behind OpenAI's API, or one of that form. Its settings are all
// given: the library would look for those left out in the environment.
func (c Config) openAI(name, id string) (*door, error) {
	base, err := address(cmp.Or(c.OpenAIBaseURL, "https://"+openAIHost+"/v1"))
	if err != nil {
		return nil, errors.New("it needs OPENAI_BASE_URL, a URL that begins with http:// or https://")
	}
	if c.OpenAIKey == "" && base.Hostname() == openAIHost {
		return nil, errors.New("it needs OPENAI_API_KEY")
	}
	d := &door{name: name, secret: c.OpenAIKey, where: "OPENAI_BASE_URL", key: "OPENAI_API_KEY"}
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
func (c Config) ollama(name, id string) (*door, error) {
	host, err := address(c.OllamaHost)
	if err != nil {
		return nil, errors.New("it needs OLLAMA_HOST, like http://127.0.0.1:11434")
	}
	d := &door{name: name, where: "OLLAMA_HOST", key: "OLLAMA_HOST", price: &Price{}}
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
