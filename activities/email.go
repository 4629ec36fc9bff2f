package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/email"
)

// Email holds the activities that send emails.
type Email struct {
	Emails Emails
	Sender EmailSender
	Now    func() time.Time
}

// Emails is the outbox. *store.Emails implements it.
type Emails interface {
	Email(ctx context.Context, id string) (email.Message, email.Content, error)
	BeginEmail(ctx context.Context, id, runID string) (email.Message, error)
	EndEmail(ctx context.Context, id string, state email.State, code, reason string, at time.Time) (email.Message, error)
}

// EmailSender sends an email. It returns an *email.Failure if the email was not sent, and another error
// if that is unknown.
type EmailSender interface {
	Send(ctx context.Context, l email.Message, c email.Content) error
}

type EmailRef struct{ EmailID string }

// EmailState is what the workflow needs to know of an email. Addresses stay in the database.
type EmailState struct {
	State     email.State
	Code      string
	Addressed bool
	ExpiresAt time.Time
}

// BeginEmail stores the run that sends the email.
func (a *Email) BeginEmail(ctx context.Context, in EmailRef) (EmailState, error) {
	if _, err := a.Emails.BeginEmail(ctx, in.EmailID, activity.GetInfo(ctx).WorkflowExecution.RunID); err != nil {
		return EmailState{}, err
	}
	l, content, err := a.Emails.Email(ctx, in.EmailID)
	return EmailState{State: l.State, Code: l.Code, Addressed: content.To != "", ExpiresAt: l.ExpiresAt}, err
}

// SendEmail sends the email to the mail server. A repeat sends it with the same Message-ID.
func (a *Email) SendEmail(ctx context.Context, in EmailRef) (Done, error) {
	l, content, err := a.Emails.Email(ctx, in.EmailID)
	if err != nil || l.State != email.Pending {
		return Done{}, err
	}
	err = a.Sender.Send(ctx, l, content)
	if failed, ok := errors.AsType[*email.Failure](err); ok {
		return Done{}, temporal.NewApplicationErrorWithOptions(failed.Message, failed.Code,
			temporal.ApplicationErrorOptions{NonRetryable: failed.Permanent})
	}
	return Done{}, err
}

type EndEmailInput struct {
	EmailID      string
	State        email.State
	Code, Reason string
}

// EndEmail stores the outcome of the email. Safe to repeat.
func (a *Email) EndEmail(ctx context.Context, in EndEmailInput) (EmailState, error) {
	l, err := a.Emails.EndEmail(ctx, in.EmailID, in.State, in.Code, in.Reason, a.Now())
	return EmailState{State: l.State, Code: l.Code, ExpiresAt: l.ExpiresAt}, err
}
