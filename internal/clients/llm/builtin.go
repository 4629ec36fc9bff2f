package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"customerzero/internal/domain/model"
)

const (
	builtin     = "builtin"   // what the setting says
	builtinName = "builtin-1" // what calls are kept under; another rule takes another number
	briefName   = "builtin-brief-1"
)

// builtinModel answers without a network or a key, by rules that fit on a page: the same
// question always gets the same answer. It does not pretend to understand: it reads the
// task block and nothing else.
type builtinModel struct {
	brief bool // it writes short texts, and does nothing else
}

var _ llms.Model = builtinModel{}

func builtinDoor() *door {
	d := &door{name: builtinName, open: opens(builtinModel{}), forms: [][]llms.CallOption{nil}, price: &Price{}}
	d.texts = inPieces
	return d
}

func briefDoor() *door {
	return &door{name: briefName, open: opens(builtinModel{brief: true}), texts: inPieces, price: &Price{}}
}

func opens(m builtinModel) func(*http.Client) (llms.Model, error) {
	return func(*http.Client) (llms.Model, error) { return m, nil }
}

func inPieces(stream llms.CallOption) [][]llms.CallOption { return [][]llms.CallOption{{stream}} }

func (b builtinModel) name() string {
	if b.brief {
		return briefName
	}
	return builtinName
}

// GenerateContent answers the last message that people wrote.
func (b builtinModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	task, input, err := model.ReadTask(question(messages))
	if err != nil {
		return nil, b.unanswerable("the question has no task block that it can read")
	}
	content, err := b.answer(task, input)
	if err == nil {
		err = speak(ctx, content, options)
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{
		Content: content, StopReason: "stop", GenerationInfo: map[string]any{"model": b.name()},
	}}}, err
}

func (b builtinModel) answer(task string, input json.RawMessage) (string, error) {
	switch {
	case task == "tweet":
		return b.write(input)
	case task == "price" && !b.brief:
		seen, err := readBehaviour(input)
		if err != nil {
			return "", err
		}
		content, err := json.Marshal(seen.propose())
		return string(content), err
	default:
		return "", b.unanswerable("it does not know this task")
	}
}

// pace is how long a word takes: people see it written.
const pace = 20 * time.Millisecond

// speak says a text word by word to who wants to hear it so.
func speak(ctx context.Context, text string, options []llms.CallOption) error {
	var wanted llms.CallOptions
	for _, option := range options {
		option(&wanted)
	}
	if wanted.StreamingFunc == nil {
		return nil
	}
	ticks := time.NewTicker(pace)
	defer ticks.Stop()
	for word := range strings.SplitAfterSeq(text, " ") {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := wanted.StreamingFunc(ctx, []byte(word)); err != nil {
			return err
		}
	}
	return nil
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

func (b builtinModel) unanswerable(why string) *model.Error {
	return &model.Error{Outcome: model.Failed, Message: b.name() + " cannot answer: " + why + "."}
}
