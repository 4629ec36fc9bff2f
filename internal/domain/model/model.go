// Package model holds what language models are asked, and what came of it. A model only
// proposes: what is done with its answer is for the rules of the flow that asked.
package model

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Prompt is what a model is asked. Its texts come from a versioned file.
type Prompt struct {
	Task    string          // "price"
	Version string          // of the prompt's file: "price.v1"
	System  string          // who the model is to be
	Text    string          // what it is asked, the input included as data
	Schema  json.RawMessage // JSON Schema that the answer must satisfy; none: the answer is a text
}

// Outcome says what came of a call.
type Outcome string

const (
	Answered   Outcome = "answered"
	TimedOut   Outcome = "timed_out"
	Failed     Outcome = "failed"    // the model's server failed, or cannot be reached
	Malformed  Outcome = "malformed" // no JSON, or not of the schema
	Overlong   Outcome = "overlong"  // more than we read
	Forbidden  Outcome = "forbidden" // it does not accept our key
	OutOfQuota Outcome = "quota"     // too many calls, or no credit
)

// Call is one call of a model, kept with the decision that it served. One that failed is
// kept as well: its tokens cost the same.
type Call struct {
	ID          string
	Task        string
	Prompt      string // version
	Model       string // "openai:gpt-4o-mini", "builtin-1"
	Question    string // as sent, at most 8 kB
	Answer      string // as received, at most 8 kB; empty where the server's reply held none
	Outcome     Outcome
	Detail      string // why there is no answer, for people
	TokensIn    int
	TokensOut   int
	CostNanoUSD int64 // billionths of a dollar; 0 for what runs on our own machine
	Priced      bool  // the cost is known; it is not where a model has no price, or said no number of tokens
	TookMS      int
	CreatedAt   time.Time
}

// TableName is where calls are kept.
func (Call) TableName() string { return "model_calls" }

// Error is why a model gave no answer that can be used. Its message is for people; it holds
// no key, and nothing of what the model's server said.
type Error struct {
	Outcome    Outcome
	Message    string
	Retry      bool          // asking once more may help
	RetryAfter time.Duration // how long the server wants to be left alone; 0: it did not say
}

func (e *Error) Error() string { return e.Message }

// prompts holds what models are asked: <task>.v<n>.md, and beside it the schema of the
// answer, where that is to be JSON. Calls are kept with the version they used, so a version is never edited: add the
// next one, and name it in versions.
//
//go:embed prompts
var prompts embed.FS

// versions are the prompts in use, by task.
var versions = map[string]string{"price": "price.v1", "tweet": "tweet.v1", "verification": "verification.v1"}

const (
	partsMark = "\n---\n"  // between who the model is to be and what it is asked
	taskMark  = "{{task}}" // where the input goes
)

// NewPrompt words a task's question about the input, by the version of its prompt that is in use. The
// input must be fit for JSON; its fields are the ones the prompt explains.
func NewPrompt(task string, input any) (Prompt, error) {
	return ask(prompts, task, input)
}

func ask(files fs.FS, task string, input any) (Prompt, error) {
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

const (
	taskBegin = "<task>"
	taskEnd   = "</task>"
)

type taskJSON struct {
	Task  string `json:"task"`
	Input any    `json:"input"`
}

// taskBlock is the input as a machine reads it. JSON made here has no < of its own, so
// nothing in the input can end the block.
func taskBlock(task string, input any) (string, error) {
	block, err := json.Marshal(taskJSON{Task: task, Input: input})
	return taskBegin + string(block) + taskEnd, err
}

// ReadTask finds the task block in a question's text, and gives the task and its input.
func ReadTask(text string) (task string, input json.RawMessage, err error) {
	_, rest, begun := strings.Cut(text, taskBegin)
	block, _, ended := strings.Cut(rest, taskEnd)
	if !begun || !ended {
		return "", nil, fmt.Errorf("the question has no task block")
	}
	read := taskJSON{Input: &input}
	err = json.Unmarshal([]byte(block), &read)
	return read.Task, input, err
}
