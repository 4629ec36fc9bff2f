package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"

	"customerzero/internal/domain/model"
)

const (
	maxTokens = 2000    // of an answer, thoughts included: what it can cost has an end
	maxKept   = 8 << 10 // bytes of a question or answer that are kept
)

// door is the way to one model.
type door struct {
	name   string
	open   func(client *http.Client) (llms.Model, error)
	forms  [][]llms.CallOption                              // ways to ask, best first: old servers do not know every one
	texts  func(stream llms.CallOption) [][]llms.CallOption // the same for a text, which comes in pieces
	sees   func(png []byte) llms.ContentPart                // how a picture is sent; nil: it sees none
	ends   bool                                             // its replies say how they ended
	price  *Price                                           // nil: not known
	where  string                                           // the setting that says where the server is
	key    string                                           // the setting that holds its key
	secret string                                           // the key
}

// said is what a model said, and what that took.
type said struct {
	text      string
	tokensIn  int
	tokensOut int
	stopped   string // why it stopped, where the server says so
}

// ask asks in the best form that the server takes. A form that it refuses costs nothing.
func (d *door) ask(ctx context.Context, exchange *exchange, q model.Prompt, pictures [][]byte, forms [][]llms.CallOption) (words said, err error) {
	client, err := d.open(&http.Client{Transport: exchange})
	if err != nil {
		return said{}, err
	}
	asked := llms.TextParts(llms.ChatMessageTypeHuman, q.Text)
	for _, png := range pictures {
		asked.Parts = append(asked.Parts, d.sees(png))
	}
	for _, form := range forms {
		words, err = generate(ctx, client, q.System, asked, form)
		if exchange.status != http.StatusBadRequest && exchange.status != http.StatusUnprocessableEntity {
			break
		}
	}
	words.text = unsaid(words.text, d.secret) // a server that repeats what it got
	return words, err
}

// unsaid takes a secret out of a text: also one that comes of taking it out, or of leaving out the
// zero bytes that no database keeps.
func unsaid(text, secret string) string {
	if secret == "" {
		return text
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\x00", ""), secret, "")
	return strings.ReplaceAll(text, secret, "…")
}

// generate asks once. A reply that the library does not expect may make it panic.
func generate(ctx context.Context, client llms.Model, system string, asked llms.MessageContent, form []llms.CallOption) (words said, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the reply cannot be read")
		}
	}()
	reply, err := client.GenerateContent(ctx, []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, system), asked,
	}, form...)
	if err != nil {
		return said{}, err
	}
	if len(reply.Choices) == 0 {
		return said{}, errors.New("the reply is empty")
	}
	first := reply.Choices[0]
	return said{
		text: first.Content, stopped: first.StopReason,
		tokensIn: tokens(first, "PromptTokens"), tokensOut: tokens(first, "CompletionTokens"),
	}, nil
}

// tokens reads a number that a server may have made up.
func tokens(choice *llms.ContentChoice, name string) int {
	count, _ := choice.GenerationInfo[name].(int)
	return min(max(count, 0), 1_000_000_000)
}

// bounded cuts a text to what is kept of it: at most maxKept bytes that a database takes.
func bounded(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	if len(text) <= maxKept {
		return text
	}
	end := maxKept
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
