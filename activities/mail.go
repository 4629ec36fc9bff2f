package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/email"
)

// Mail holds the activities of the mail flow.
type Mail struct {
	Letters Letters
	Postbox Postbox
	Now     func() time.Time
}

// E-mails is the outbox. *store.Emails implements it.
type Letters interface {
	Letter(ctx context.Context, id string) (email.Message, email.Content, error)
	BeginLetter(ctx context.Context, id, runID string) (email.Message, error)
	EndLetter(ctx context.Context, id string, state email.State, code, reason string, at time.Time) (email.Message, error)
}

// Postbox sends an e-mail. Its failures are *letter.Failure, unless nobody knows what
// became of it.
type Postbox interface {
	Send(ctx context.Context, l email.Message, c email.Content) error
}

type LetterRef struct{ LetterID string }

// LetterState is what the flow needs to know of an e-mail. Addresses stay in the database.
type LetterState struct {
	State     email.State
	Code      string
	Addressed bool
	ExpiresAt time.Time
}

// BeginLetter notes the run that carries the e-mail.
func (a *Mail) BeginLetter(ctx context.Context, in LetterRef) (LetterState, error) {
	if _, err := a.Letters.BeginLetter(ctx, in.LetterID, activity.GetInfo(ctx).WorkflowExecution.RunID); err != nil {
		return LetterState{}, err
	}
	l, content, err := a.Letters.Letter(ctx, in.LetterID)
	return LetterState{State: l.State, Code: l.Code, Addressed: content.To != "", ExpiresAt: l.ExpiresAt}, err
}

// SendLetter hands the e-mail to the mail server. Repeated, it sends the same letter with
// the same Message-ID.
func (a *Mail) SendLetter(ctx context.Context, in LetterRef) (Done, error) {
	l, content, err := a.Letters.Letter(ctx, in.LetterID)
	if err != nil || l.State != email.Pending {
		return Done{}, err
	}
	err = a.Postbox.Send(ctx, l, content)
	if failed, ok := errors.AsType[*email.Failure](err); ok {
		return Done{}, temporal.NewApplicationErrorWithOptions(failed.Message, failed.Code,
			temporal.ApplicationErrorOptions{NonRetryable: failed.Permanent})
	}
	return Done{}, err
}

type EndLetterInput struct {
	LetterID     string
	State        email.State
	Code, Reason string
}

// EndLetter says what became of the e-mail. Safe to repeat.
func (a *Mail) EndLetter(ctx context.Context, in EndLetterInput) (LetterState, error) {
	l, err := a.Letters.EndLetter(ctx, in.LetterID, in.State, in.Code, in.Reason, a.Now())
	return LetterState{State: l.State, Code: l.Code, ExpiresAt: l.ExpiresAt}, err
}
