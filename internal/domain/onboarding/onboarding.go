// Package onboarding holds the rules of a member's onboarding: the tour and the partnership discovery
// questionnaire. Pure functions: no clock, no I/O.
package onboarding

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"customerzero/internal/domain/problem"
)

// Kind is one of the two parts of the onboarding.
type Kind string

const (
	Tour        Kind = "tour"
	Partnership Kind = "partnership"
)

// Reward is the number of credits for completing each part, once.
const Reward = 5

const tourSteps = 4

// Steps is the number of steps. The questionnaire has one per question.
func (k Kind) Steps() int {
	if k == Partnership {
		return len(Questions)
	}
	return tourSteps
}

// Progress is a member's progress.
type Progress struct {
	MemberID    string  `gorm:"primaryKey"`
	Kind        Kind    `gorm:"primaryKey"`
	Answers     Answers `gorm:"serializer:json"` // empty for the tour
	Step        int     // the next step, from 1
	CompletedAt *time.Time
	UpdatedAt   time.Time
}

// TableName is the GORM table name.
func (Progress) TableName() string { return "onboardings" }

// Begin returns the initial progress.
func Begin(memberID string, kind Kind) Progress {
	return Progress{MemberID: memberID, Kind: kind, Answers: Answers{}, Step: 1}
}

// CheckStep rejects a step that does not exist.
func CheckStep(kind Kind, step int) error {
	if step >= 1 && step <= kind.Steps() {
		return nil
	}
	return &problem.Error{Code: problem.Invalid, Message: "Step not found.", Details: []problem.Detail{
		{Field: "body.step", Reason: "must be an existing step"},
	}}
}

// Answers maps question IDs to decoded JSON: a string for text, the option for a choice, a list of
// options for choices, and numbers by option for ratings. No answer is required.
type Answers map[string]any

// ParseAnswers validates answers and drops empty ones. The problem names every invalid field and never
// repeats its value.
func ParseAnswers(kind Kind, given map[string]any) (Answers, error) {
	answers, wrong := Answers{}, []problem.Detail{}
	for _, id := range slices.Sorted(maps.Keys(given)) {
		q, known := questionOf(id)
		if !known || kind != Partnership {
			wrong = append(wrong, problem.Detail{Field: "body.answers", Reason: "contains an unknown question"})
			continue
		}
		answer, faults := q.read(given[id])
		wrong = append(wrong, faults...)
		if answer != nil {
			answers[id] = answer
		}
	}
	if len(wrong) > 0 {
		return nil, &problem.Error{Code: problem.Invalid, Message: "Some answers are invalid. See details.", Details: slices.Compact(wrong)}
	}
	return answers, nil
}

// read returns the answer, or nil if it is empty.
func (q Question) read(given any) (answer any, wrong []problem.Detail) {
	switch q.Form {
	case Text:
		return q.readText(given)
	case Choice:
		return q.readChoice(given)
	case Choices:
		return q.readChoices(given)
	case Ratings:
		return q.readRatings(given)
	}
	return nil, q.wrong("", "cannot be answered")
}

func (q Question) readText(given any) (any, []problem.Detail) {
	text, ok := given.(string)
	switch {
	case !ok:
		return nil, q.wrong("", "expected text")
	case utf8.RuneCountInString(text) > LongestText:
		return nil, q.wrong("", fmt.Sprintf("expected at most %d characters", LongestText))
	case strings.TrimSpace(text) == "":
		return nil, nil
	}
	return text, nil
}

func (q Question) readChoice(given any) (any, []problem.Detail) {
	option, ok := given.(string)
	switch {
	case ok && option == "":
		return nil, nil
	case !ok || !slices.Contains(q.Options, option):
		return nil, q.wrong("", "expected one of the options")
	}
	return option, nil
}

func (q Question) readChoices(given any) (any, []problem.Detail) {
	list, ok := given.([]any)
	if !ok {
		return nil, q.wrong("", "expected a list")
	}
	chosen := []any{}
	for _, item := range list {
		option, ok := item.(string)
		if !ok || !slices.Contains(q.Options, option) {
			return nil, q.wrong("", "expected only listed options")
		}
		if !slices.Contains(chosen, any(option)) {
			chosen = append(chosen, option)
		}
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	return chosen, nil
}

func (q Question) readRatings(given any) (any, []problem.Detail) {
	ratings, ok := given.(map[string]any)
	if !ok {
		return nil, q.wrong("", "expected a rating for each skill")
	}
	var wrong []problem.Detail
	for _, skill := range slices.Sorted(maps.Keys(ratings)) {
		if !slices.Contains(q.Options, skill) {
			wrong = append(wrong, q.wrong("", "contains an unknown skill")...)
		} else if !isRating(ratings[skill]) {
			wrong = append(wrong, q.wrong(skill, "expected a whole number from 1 to 5")...)
		}
	}
	if len(wrong) > 0 || len(ratings) == 0 {
		return nil, wrong
	}
	return ratings, nil
}

func isRating(given any) bool {
	n, ok := given.(float64)
	return ok && n == float64(int(n)) && n >= LeastRating && n <= MostRating
}

func (q Question) wrong(part, reason string) []problem.Detail {
	field := "body.answers." + q.ID
	if part != "" {
		field += "." + part
	}
	return []problem.Detail{{Field: field, Reason: reason}}
}

// Form is the type of a question.
type Form string

const (
	Text    Form = "text"    // free text
	Ratings Form = "ratings" // an integer for each option
	Choice  Form = "choice"  // one option
	Choices Form = "choices" // any number of options
)

const (
	// LongestText is the maximum length of a text answer in characters.
	LongestText = 2000
	LeastRating = 1
	MostRating  = 5
)

// Question is a step of the questionnaire. Its wording is part of the pages.
type Question struct {
	ID      string
	Form    Form
	Options []string // empty for free text
}

// Questions lists the questions in order. Answers are stored by ID and option: add, never rename.
var Questions = []Question{
	{ID: "vision", Form: Text},
	{ID: "customer_zero_excitement", Form: Text},
	{ID: "project_excitement", Form: Choices, Options: []string{
		"audited_posting", "self_healing", "fair_pricing", "public_experiments", "ai_verification",
	}},
	{ID: "experience_level", Form: Ratings, Options: []string{
		"edge_workers", "card_payments", "social_media_api", "ai_llm",
	}},
	{ID: "impressive_automation", Form: Text},
	{ID: "exciting_apis", Form: Text},
	{ID: "ai_future", Form: Text},
	{ID: "build_preference", Form: Choice, Options: []string{
		"ship_small_steps", "plan_first", "prove_with_tests", "explore_freely",
	}},
	{ID: "first_feature", Form: Choice, Options: []string{
		"post_calendar", "engagement_report", "more_networks", "writing_help", "open_treasury",
	}},
	{ID: "collaboration_style", Form: Choices, Options: []string{
		"building_together", "written_proposals", "reviews", "trying_things_out", "spreading_the_word",
	}},
	{ID: "value_creation", Form: Text},
	{ID: "legendary_factor", Form: Text},
}

func questionOf(id string) (Question, bool) {
	for _, q := range Questions {
		if q.ID == id {
			return q, true
		}
	}
	return Question{}, false
}
