package account

import (
	"context"
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
)

// Onboarding is a member's progress in the tour and the partnership questionnaire.
type Onboarding struct {
	Tour        OnboardingProgress `json:"tour" doc:"Progress with the tour"`
	Partnership OnboardingProgress `json:"partnership" doc:"Progress with the partnership questionnaire"`
}

// OnboardingProgress is a member's progress in one of them.
type OnboardingProgress struct {
	Answers   Answers `json:"answers" doc:"Answers by question ID; every question is optional"`
	Step      int     `json:"step" minimum:"1" doc:"Step to continue with; the first is 1"`
	Completed bool    `json:"completed" doc:"True once the credits were awarded"`
	Reward    int     `json:"reward" doc:"Credits for completing it, awarded once"`
}

func (a *API) GetOnboarding(ctx context.Context, _ *struct{}) (Onboarding, error) {
	memberID := httpapi.CallerOf(ctx).MemberID()
	tour, badTour := a.Members.Onboarding(ctx, memberID, onboarding.Tour)
	partnership, err := a.Members.Onboarding(ctx, memberID, onboarding.Partnership)
	return Onboarding{Tour: showProgress(tour), Partnership: showProgress(partnership)}, errors.Join(badTour, err)
}

func showProgress(p onboarding.Progress) OnboardingProgress {
	return OnboardingProgress{
		Answers: Answers(p.Answers), Step: p.Step, Completed: p.CompletedAt != nil, Reward: onboarding.Reward,
	}
}

// SavedOnboarding is a step with all answers so far.
type SavedOnboarding struct {
	Answers Answers `json:"answers,omitempty" doc:"All answers by question ID; a missing answer is deleted"`
	Step    int     `json:"step" doc:"Step to continue with; the tour has 4 steps and the questionnaire 12" minimum:"1" maximum:"12"`
}

type saveOnboardingRequest struct {
	Kind onboarding.Kind `path:"kind" doc:"The tour or the questionnaire" enum:"tour,partnership"`
	Body SavedOnboarding
}

func (a *API) SaveOnboarding(ctx context.Context, req *saveOnboardingRequest) (httpapi.Done, error) {
	memberID := httpapi.CallerOf(ctx).MemberID()
	if err := onboarding.CheckStep(req.Kind, req.Body.Step); err != nil {
		return httpapi.Done{}, err
	}
	answers, err := onboarding.ParseAnswers(req.Kind, req.Body.Answers)
	if err != nil {
		return httpapi.Done{}, err
	}
	err = a.Members.SaveOnboarding(ctx, onboarding.Progress{
		MemberID: memberID, Kind: req.Kind, Answers: answers, Step: req.Body.Step,
	}, a.Now())
	return httpapi.Done{Success: true}, err
}

// CompletedOnboarding reports the credits of a completion.
type CompletedOnboarding struct {
	Success bool `json:"success" doc:"Always true" enum:"true"`
	Credits int  `json:"credits" doc:"Balance after this call"`
	Awarded int  `json:"awarded" doc:"Credits added by this call; 0 if it was completed before"`
}

type completeOnboardingRequest struct {
	Kind onboarding.Kind `path:"kind" doc:"The tour or the questionnaire" enum:"tour,partnership"`
}

func (a *API) CompleteOnboarding(ctx context.Context, req *completeOnboardingRequest) (CompletedOnboarding, error) {
	memberID := httpapi.CallerOf(ctx).MemberID()
	now := a.Now()
	awarded, err := a.Members.CompleteOnboarding(ctx, memberID, req.Kind, now)
	if err != nil {
		return CompletedOnboarding{}, err
	}
	known, err := a.Members.Account(ctx, memberID, post.MonthOf(now))
	return CompletedOnboarding{Success: true, Credits: known.Credits, Awarded: awarded}, err
}

// Answers are a member's answers by question ID. The schema is generated from the questions, so that the UI is
// compiled against the same ones.
type Answers map[string]any

// Schema implements huma.SchemaProvider.
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
		return &huma.Schema{Type: huma.TypeArray, Items: oneOf(q.Options)} // duplicates are dropped
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

// prepared precomputes the validation messages, which Huma does for generated schemas only.
func prepared(schema *huma.Schema) *huma.Schema {
	schema.PrecomputeMessages()
	return schema
}
