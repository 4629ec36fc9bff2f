// Package generation serves texts that models and templates write.
package generation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"customerzero/api/httpapi"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

// GenerateRequest is a request for a text of one model.
type GenerateRequest struct {
	ContentType string  `json:"content_type" doc:"Kind of text, always tweet" enum:"tweet"`
	Context     Context `json:"context,omitempty" doc:"Kinds of facts to give to the model, from listModels: a list, or a string in which commas separate them"`
	Prompt      string  `json:"prompt" minLength:"1" maxLength:"500" doc:"Topic of the text"`
	Model       string  `json:"model,omitempty" maxLength:"100" doc:"Name of the model or template. Default: the first of listModels"`
	Voice       string  `json:"voice,omitempty" maxLength:"40" doc:"ID of the voice. Default: the first of listModels"`
}

// Context lists kinds of facts.
type Context []string

const mostKinds = 5

// UnmarshalJSON reads a list, or a string in which commas separate the kinds.
func (c *Context) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return json.Unmarshal(data, (*[]string)(c))
	}
	*c = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}

// Schema returns the schema of both forms.
func (Context) Schema(huma.Registry) *huma.Schema {
	kinds, longest := mostKinds, 200
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}, MaxItems: &kinds},
		{Type: huma.TypeString, MaxLength: &longest},
	}}
}

// GenerateReply is the text of one model.
type GenerateReply struct {
	Success     bool   `json:"success" doc:"Always true" enum:"true"`
	Content     string `json:"content" doc:"The generated text"`
	CandidateID string `json:"candidateId" doc:"ID of the text, for createPost"`
	Model       string `json:"model" doc:"Name of the model or template"`
	Template    bool   `json:"template" doc:"True if a template wrote the text, not a model"`
	Prompt      string `json:"prompt,omitempty" doc:"Version of the prompt; omitted for a template, which reads none"`
}

// NewGeneration is a request for texts of several models.
type NewGeneration struct {
	Prompt  string   `json:"prompt" minLength:"1" maxLength:"500" doc:"Topic of the text"`
	Voice   string   `json:"voice,omitempty" doc:"ID of the voice. Default: the first of listModels" maxLength:"40"`
	Context []string `json:"context,omitempty" doc:"Kinds of facts to give to the models, from listModels" maxItems:"5"`
	Models  []string `json:"models" minItems:"1" maxItems:"6" doc:"Names of the models and templates, each at most once"`
}

// Resolve refuses a duplicate model. Huma's uniqueItems panics on nested arrays.
func (n *NewGeneration) Resolve(_ huma.Context, prefix *huma.PathBuffer) []error {
	for i, name := range n.Models {
		if slices.Contains(n.Models[:i], name) {
			return []error{&huma.ErrorDetail{
				Message:  "each model can be listed only once",
				Location: prefix.With(fmt.Sprintf("models[%d]", i)),
				Value:    name,
			}}
		}
	}
	return nil
}

// Generation is a request to models with their texts.
type Generation struct {
	ID         string      `json:"id" doc:"Generation ID"`
	Prompt     string      `json:"prompt" doc:"Topic of the text"`
	Voice      string      `json:"voice" doc:"ID of the voice"`
	Facts      []ModelFact `json:"facts" doc:"Facts that the models were given"`
	Done       bool        `json:"done" doc:"True once no model is writing any more"`
	Blind      bool        `json:"blind" doc:"True if the models' names are hidden until the vote"`
	Voted      bool        `json:"voted" doc:"True after the vote"`
	Candidates []Candidate `json:"candidates" doc:"Texts, in the order of their labels"`
	CreatedAt  time.Time   `json:"createdAt" doc:"Time of creation"`
	httpapi.RunRef
}

// Candidate is one model's text.
type Candidate struct {
	ID       string `json:"id" doc:"Candidate ID, for voteGeneration and createPost"`
	Label    string `json:"label" doc:"Label of the text" example:"A"`
	Model    string `json:"model,omitempty" doc:"Name of the model or template; omitted while it is hidden"`
	Template bool   `json:"template" doc:"True if a template wrote the text, not a model; false while that is hidden"`
	State    string `json:"state" doc:"State of the text" enum:"waiting,writing,done,invalid,failed"`
	Content  string `json:"content" doc:"Text written so far"`
	Weight   int    `json:"weight" doc:"Length as X counts it; 280 fit in a post"`
	Code     string `json:"code,omitempty" doc:"Machine-readable reason for the states invalid and failed"`
	Reason   string `json:"reason,omitempty" doc:"Human-readable reason for the states invalid and failed"`
	Chosen   bool   `json:"chosen" doc:"True if this text won the vote"`
}

type voteRequest struct {
	httpapi.ByID
	Body struct {
		CandidateID string `json:"candidateId" doc:"ID of the best candidate" maxLength:"40"`
	}
}

// Choices are the voices, models and facts to choose from.
type Choices struct {
	Voices []Choice `json:"voices" doc:"Writing styles"`
	Models []string `json:"models" doc:"Names of the models. The default writer is the first, or the first template if there are no models"`
	// Templates are writers, but no models.
	Templates []string    `json:"templates" doc:"Names of the templates, which fill in fixed sentences without a model; requests may name them as models"`
	Facts     []ModelFact `json:"facts" doc:"Facts that a model can be given"`
}

// Choice is a voice.
type Choice struct {
	ID    string `json:"id" doc:"ID of the voice"`
	Label string `json:"label" doc:"Title of the voice"`
	About string `json:"about" doc:"Description of the voice"`
}

// ModelFact is a fact about the product that a prompt may include.
type ModelFact struct {
	Kind        string `json:"kind" doc:"Kind of fact" example:"quota"`
	Label       string `json:"label" doc:"Title of the fact"`
	Text        string `json:"text,omitempty" doc:"Text that the model reads"`
	Unavailable string `json:"unavailable,omitempty" doc:"Why the fact is not available; omitted if it is"`
}

// Leaderboard ranks the models by won votes. Templates are not ranked.
type Leaderboard struct {
	Models []LeaderboardRow `json:"models" doc:"Models, best first"`
	Votes  int              `json:"votes" doc:"Number of votes between two or more models"`
}

// LeaderboardRow is the result of one model.
type LeaderboardRow struct {
	Model   string `json:"model" doc:"Name of the model"`
	Wins    int    `json:"wins" doc:"Votes that it won"`
	Votes   int    `json:"votes" doc:"Votes that it took part in"`
	Percent int    `json:"percent" doc:"Wins in percent of its votes"`
}
