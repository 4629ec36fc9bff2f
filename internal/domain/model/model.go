// Package model holds what language models are asked, and what came of it. A model only
// proposes: what is done with its answer is for the rules of the flow that asked.
package model

import (
	"encoding/json"
	"time"
)

// Question is what a model is asked. Its texts come from a versioned file.
type Question struct {
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
