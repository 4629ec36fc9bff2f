package account

import (
	"github.com/danielgtaylor/huma/v2"

	"customerzero/internal/domain/onboarding"
)

// Answers are a member's answers by question. Their schema is made from the questions, so
// that the pages are compiled against the same ones.
type Answers map[string]any

// Schema describes the answer to each question.
func (Answers) Schema(registry huma.Registry) *huma.Schema {
	answers := map[string]*huma.Schema{}
	for _, q := range onboarding.Questions {
		answers[q.ID] = answerSchema(q)
	}
	registry.Map()["Answers"] = object(answers)
	return &huma.Schema{Ref: "#/components/schemas/Answers"}
}

func answerSchema(q onboarding.Question) *huma.Schema {
	switch q.Form {
	case onboarding.Ratings:
		least, most := float64(onboarding.LeastRating), float64(onboarding.MostRating)
		ratings := map[string]*huma.Schema{}
		for _, skill := range q.Options {
			ratings[skill] = &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most}
		}
		return object(ratings)
	case onboarding.Choices:
		return &huma.Schema{Type: huma.TypeArray, Items: oneOf(q.Options)} // what is named twice is kept once
	case onboarding.Choice:
		return oneOf(q.Options)
	case onboarding.Text:
	}
	longest := onboarding.LongestText
	return &huma.Schema{Type: huma.TypeString, MaxLength: &longest}
}

func object(properties map[string]*huma.Schema) *huma.Schema {
	return prepared(&huma.Schema{Type: huma.TypeObject, Properties: properties, AdditionalProperties: false})
}

func oneOf(options []string) *huma.Schema {
	words := make([]any, len(options))
	for i, option := range options {
		words[i] = option
	}
	return prepared(&huma.Schema{Type: huma.TypeString, Enum: words})
}

// prepared makes the sentences that say what does not fit.
func prepared(schema *huma.Schema) *huma.Schema {
	schema.PrecomputeMessages()
	return schema
}
