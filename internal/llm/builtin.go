package llm

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/tmc/langchaingo/llms"

	"customerzero/internal/model"
)

const (
	builtin     = "builtin"   // what the setting says
	builtinName = "builtin-1" // what calls are kept under; another rule takes another number
)

// builtinModel answers without a network or a key, by rules that fit on a page: the same
// question always gets the same answer. It does not pretend to understand: it reads the
// task block and nothing else.
type builtinModel struct{}

var _ llms.Model = builtinModel{}

func builtinDoor() *door {
	open := func(*http.Client) (llms.Model, error) { return builtinModel{}, nil }
	return &door{name: builtinName, open: open, forms: [][]llms.CallOption{nil}, price: &Price{}}
}

// GenerateContent answers the last message that people wrote.
func (builtinModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, _ ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	task, input, err := model.ReadTask(question(messages))
	if err != nil {
		return nil, unanswerable("the question has no task block that it can read")
	}
	if task != "price" {
		return nil, unanswerable("it knows the task \"price\" only")
	}
	seen, err := readBehaviour(input)
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(seen.propose())
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: string(content), StopReason: "stop", GenerationInfo: map[string]any{"model": builtinName},
	}}}, err
}

// Call is GenerateContent for one text.
func (b builtinModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, b, prompt, options...)
}

func question(messages []llms.MessageContent) (text string) {
	for _, message := range messages {
		for _, part := range message.Parts {
			if words, ok := part.(llms.TextContent); ok && message.Role == llms.ChatMessageTypeHuman {
				text = words.Text
			}
		}
	}
	return text
}

func unanswerable(why string) *model.Error {
	return &model.Error{Outcome: model.Failed, Message: builtinName + " cannot answer: " + why + "."}
}
