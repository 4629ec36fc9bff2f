// Package generation answers for texts that models write.
package generation

import (
	"fmt"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"customerzero/api/httpapi"
)

// API answers every operation of this feature.
type API struct{ httpapi.Deps }

// GenerateRequest asks one model for a text.
type GenerateRequest struct {
	ContentType string   `json:"content_type" enum:"tweet"`
	Context     []string `json:"context,omitempty" maxItems:"5" doc:"Kinds of facts to tell the model: those of listModels"`
	Prompt      string   `json:"prompt" minLength:"1" maxLength:"500" doc:"What it is to be about"`
	Model       string   `json:"model,omitempty" maxLength:"100" doc:"Absent: the first"`
	Voice       string   `json:"voice,omitempty" maxLength:"40" doc:"Absent: the first"`
}

// GenerateReply is a text.
type GenerateReply struct {
	Success     bool   `json:"success" enum:"true"`
	Content     string `json:"content"`
	CandidateID string `json:"candidateId" doc:"Send it with the post that is made of the text"`
	Model       string `json:"model"`
	Prompt      string `json:"prompt" doc:"Its version"`
}

// NewGeneration asks several models.
type NewGeneration struct {
	Prompt  string   `json:"prompt" minLength:"1" maxLength:"500" doc:"What it is to be about"`
	Voice   string   `json:"voice,omitempty" maxLength:"40"`
	Context []string `json:"context,omitempty" maxItems:"5"`
	Models  []string `json:"models" minItems:"1" maxItems:"6" doc:"Each at most once"`
}

// Resolve refuses a model that is named twice. Huma's uniqueItems would do that, but falls over
// arrays in arrays.
func (n *NewGeneration) Resolve(_ huma.Context, prefix *huma.PathBuffer) []error {
	for i, name := range n.Models {
		if slices.Contains(n.Models[:i], name) {
			return []error{&huma.ErrorDetail{
				Message:  "Each model can be asked once",
				Location: prefix.With(fmt.Sprintf("models[%d]", i)),
				Value:    name,
			}}
		}
	}
	return nil
}

// Generation is what models were asked, and what they have written.
type Generation struct {
	ID         string      `json:"id"`
	Prompt     string      `json:"prompt"`
	Voice      string      `json:"voice"`
	Facts      []ModelFact `json:"facts" doc:"What the models were told"`
	Done       bool        `json:"done" doc:"Nobody writes any more"`
	Blind      bool        `json:"blind" doc:"The models' names are told after the vote"`
	Voted      bool        `json:"voted"`
	Candidates []Candidate `json:"candidates" doc:"By label"`
	CreatedAt  time.Time   `json:"createdAt"`
	httpapi.RunRef
}

// Candidate is one model's text.
type Candidate struct {
	ID      string `json:"id"`
	Label   string `json:"label" example:"A"`
	Model   string `json:"model,omitempty" doc:"Absent while the vote is blind"`
	State   string `json:"state" enum:"waiting,writing,done,invalid,failed"`
	Content string `json:"content" doc:"So far, or whole"`
	Weight  int    `json:"weight" doc:"As X counts"`
	Code    string `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty" doc:"Why it cannot be posted as it is, or why there is none"`
	Chosen  bool   `json:"chosen"`
}

type voteRequest struct {
	httpapi.ByID
	Body struct {
		CandidateID string `json:"candidateId" maxLength:"40"`
	}
}

// Choices are what a generation can be made of.
type Choices struct {
	Voices []Choice    `json:"voices"`
	Models []string    `json:"models" doc:"The first is asked where nobody says which"`
	Facts  []ModelFact `json:"facts"`
}

// Choice is one of several.
type Choice struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	About string `json:"about"`
}

// ModelFact is something true that a model may be told.
type ModelFact struct {
	Kind        string `json:"kind" example:"quota"`
	Label       string `json:"label"`
	Text        string `json:"text,omitempty" doc:"As a model reads it"`
	Unavailable string `json:"unavailable,omitempty" doc:"Why there is none at the moment"`
}

// Leaderboard is which model won how many votes, the best first.
type Leaderboard struct {
	Models []LeaderboardRow `json:"models"`
	Votes  int              `json:"votes"`
}

// LeaderboardRow is how one model did.
type LeaderboardRow struct {
	Model   string `json:"model"`
	Wins    int    `json:"wins"`
	Votes   int    `json:"votes" doc:"Votes in which it took part"`
	Percent int    `json:"percent"`
}
