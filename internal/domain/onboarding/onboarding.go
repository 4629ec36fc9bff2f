// Package onboarding holds the rules of a member's first steps: the tour, and the
// questionnaire that we call partnership discovery. Values in, values out: no clock, no I/O.
package onboarding

import (
	"time"

	"customerzero/internal/domain/problem"
)

// Kind is one of the two first steps.
type Kind string

const (
	Tour        Kind = "tour"
	Partnership Kind = "partnership"
)

// Reward is how many credits come with each, once.
const Reward = 5

const tourSteps = 4

// Steps is how many steps it has. The questionnaire has one for each question.
func (k Kind) Steps() int {
	if k == Partnership {
		return len(Questions)
	}
	return tourSteps
}

// Progress is how far a member has come.
type Progress struct {
	MemberID    string
	Kind        Kind
	Answers     Answers // of the tour: none
	Step        int     // from 1: where to go on
	CompletedAt *time.Time
	UpdatedAt   time.Time
}

// Begin is how everybody begins.
func Begin(memberID string, kind Kind) Progress {
	return Progress{MemberID: memberID, Kind: kind, Answers: Answers{}, Step: 1}
}

// CheckStep refuses a step that the kind does not have.
func CheckStep(kind Kind, step int) error {
	if step >= 1 && step <= kind.Steps() {
		return nil
	}
	return &problem.Error{Code: problem.Invalid, Message: "There is no such step.", Details: []problem.Detail{
		{Field: "body.step", Reason: "expected one of the steps that there are"},
	}}
}
