// Package model holds the prompts for language models and the records of calls. A model only proposes;
// the calling flow decides how its answer is used.
package model

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode"
)

// Prompt is a prompt for a model. Its texts come from a versioned file.
type Prompt struct {
	Task    string          // "price"
	Version string          // of the prompt file: "price.v1"
	System  string          // system prompt
	Text    string          // user prompt, including the input as data
	Schema  json.RawMessage // JSON Schema of the answer; nil: plain text
}

// Outcome is the result of a call.
type Outcome string

const (
	Answered   Outcome = "answered"
	TimedOut   Outcome = "timed_out"
	Failed     Outcome = "failed"    // the provider failed or cannot be reached
	Malformed  Outcome = "malformed" // no JSON, or not valid against the schema
	Overlong   Outcome = "overlong"  // longer than the limit
	Forbidden  Outcome = "forbidden" // the provider does not accept the API key
	OutOfQuota Outcome = "quota"     // rate limit or spending limit reached
)

// Call is one call of a model, stored with the decision it was for. Failed calls are stored too, because
// their tokens cost the same.
type Call struct {
	ID          string
	Task        string
	Prompt      string // version
	Model       string // "openai:gpt-4o-mini", "builtin-1"
	Question    string // as sent, at most 8 kB
	Answer      string // as received, at most 8 kB; empty without an answer
	Outcome     Outcome
	Detail      string // why there is no answer; a sentence
	TokensIn    int
	TokensOut   int
	CostNanoUSD int64 // billionths of a dollar; 0 for local models
	Priced      bool  // whether the cost is known: needs a price and token counts
	TookMS      int
	CreatedAt   time.Time
}

// TableName is the GORM table name.
func (Call) TableName() string { return "model_calls" }

// Error is the reason why a model returned no usable answer. Its message can be shown; it contains no key
// and nothing of the provider's response.
type Error struct {
	Outcome    Outcome
	Message    string
	Retry      bool          // a retry may succeed
	RetryAfter time.Duration // requested by the provider; 0: not given
}

func (e *Error) Error() string { return e.Message }

// prompts holds <task>.v<n>.md and, for JSON answers, <task>.v<n>.schema.json. Stored calls refer to a
// version, so never edit one: add the next version and name it in versions.
//
//go:embed prompts
var prompts embed.FS

// versions maps each task to its current prompt.
var versions = map[string]string{"price": "price.v1", "tweet": "tweet.v1", "verification": "verification.v1"}

const (
	partsMark = "\n---\n"  // between the system and the user prompt
	taskMark  = "{{task}}" // where the input goes
)

// NewPrompt fills the current prompt of a task with the input, which must be JSON-encodable with the
// fields that the prompt explains.
func NewPrompt(task string, input any) (Prompt, error) {
	return newPrompt(prompts, task, input)
}

func newPrompt(files fs.FS, task string, input any) (Prompt, error) {
	version, known := versions[task]
	if !known {
		return Prompt{}, fmt.Errorf("there is no prompt for the task %q", task)
	}
	prompt, err := fs.ReadFile(files, "prompts/"+version+".md")
	if err != nil {
		return Prompt{}, err
	}
	schema, err := fs.ReadFile(files, "prompts/"+version+".schema.json")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Prompt{}, err
	}
	system, text, parted := strings.Cut(string(prompt), partsMark)
	if !parted || !strings.Contains(text, taskMark) {
		return Prompt{}, fmt.Errorf("the prompt %s lacks a part, or a place for the input", version)
	}
	block, err := taskBlock(task, input)
	if err != nil {
		return Prompt{}, fmt.Errorf("the input of %s: %w", version, err)
	}
	text = strings.ReplaceAll(text, taskMark, block)
	return Prompt{Task: task, Version: version, System: strings.TrimSpace(system), Text: strings.TrimSpace(text), Schema: schema}, nil
}

// Plain reduces a model's text to one line without control and formatting characters, which could hide or
// reorder what a reader sees. Markup and links stay text.
func Plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) {
			return ' '
		}
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}

const (
	taskBegin = "<task>"
	taskEnd   = "</task>"
)

type taskJSON struct {
	Task  string `json:"task"`
	Input any    `json:"input"`
}

// taskBlock encodes the input as JSON, in which < is escaped, so that no input can close the block.
func taskBlock(task string, input any) (string, error) {
	block, err := json.Marshal(taskJSON{Task: task, Input: input})
	return taskBegin + string(block) + taskEnd, err
}
