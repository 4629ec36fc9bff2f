package workflows

import (
	"cmp"
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/email"
)

var emailActivities *activities.Email // nil: only names activities

// EmailInput identifies an email in the outbox; its row holds the recipient and the content.
type EmailInput = activities.EmailRef

// EmailResult is the outcome of an email.
type EmailResult struct {
	State email.State
	Code  string // why it failed
}

// EmailID is the workflow ID of an email.
func EmailID(emailID string) string { return "email:" + emailID }

// Email sends an email until it expires. A repeat has the same Message-ID, by which mailboxes can detect
// it.
func Email(ctx workflow.Context, in EmailInput) (EmailResult, error) {
	state, err := runLocal(ctx, emailActivities.BeginEmail, in)
	if err != nil || state.State != email.Pending {
		return EmailResult{State: state.State, Code: state.Code}, err
	}
	end := activities.EndEmailInput{EmailID: in.EmailID, State: email.Skipped}
	patience := state.ExpiresAt.Sub(workflow.Now(ctx))
	switch {
	case state.Addressed && patience > 0:
		_, err = call(remote(ctx, emailTimeout, max(patience, emailTimeout)), emailActivities.SendEmail, in)
		end = endOf(in.EmailID, err)
	case state.Addressed: // no worker sent it in time
		end = tooLate(in.EmailID)
	}
	if temporal.IsCanceledError(err) {
		ctx, _ = workflow.NewDisconnectedContext(ctx)
	}
	state, err = runLocal(ctx, emailActivities.EndEmail, end)
	return EmailResult{State: state.State, Code: state.Code}, err
}

func endOf(emailID string, err error) activities.EndEmailInput {
	if err == nil {
		return activities.EndEmailInput{EmailID: emailID, State: email.Sent}
	}
	end := tooLate(emailID)
	if failed, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		end.Code, end.Reason = cmp.Or(failed.Type(), end.Code), failed.Message() // other errors have no type
	}
	return end
}

func tooLate(emailID string) activities.EndEmailInput {
	return activities.EndEmailInput{
		EmailID: emailID, State: email.Failed, Code: "mail_unsent", Reason: "It could not be sent in time.",
	}
}
