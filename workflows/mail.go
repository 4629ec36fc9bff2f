package workflows

import (
	"cmp"
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/email"
)

var emailActivities *activities.Mail // nil: only names activities

// MailInput names an e-mail in the outbox. Whom it is for and what it says stays there.
type MailInput struct{ LetterID string }

// MailResult says what became of the e-mail.
type MailResult struct {
	State email.State
	Code  string // why it is dead
}

// MailID is the workflow ID of an e-mail.
func MailID(letterID string) string { return "mail:" + letterID }

// Mail sends an e-mail, for as long as it is worth sending. A repeat carries the same
// Message-ID, by which mailboxes know it.
func Mail(ctx workflow.Context, in MailInput) (MailResult, error) {
	ref := activities.LetterRef{LetterID: in.LetterID}
	state, err := runLocal(ctx, emailActivities.BeginLetter, ref)
	if err != nil || state.State != email.Pending {
		return MailResult{State: state.State, Code: state.Code}, err
	}
	end := activities.EndLetterInput{LetterID: in.LetterID, State: email.Void}
	patience := state.ExpiresAt.Sub(workflow.Now(ctx))
	switch {
	case state.Addressed && patience > 0:
		_, err = call(remote(ctx, oneLetter, max(patience, oneLetter)), emailActivities.SendLetter, ref)
		end = endOf(in.LetterID, err)
	case state.Addressed: // nobody was there to send it in time
		end = tooLate(in.LetterID)
	}
	if temporal.IsCanceledError(err) {
		ctx, _ = workflow.NewDisconnectedContext(ctx)
	}
	state, err = runLocal(ctx, emailActivities.EndLetter, end)
	return MailResult{State: state.State, Code: state.Code}, err
}

func endOf(letterID string, err error) activities.EndLetterInput {
	if err == nil {
		return activities.EndLetterInput{LetterID: letterID, State: email.Sent}
	}
	end := tooLate(letterID)
	if failed, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		end.Code, end.Reason = cmp.Or(failed.Type(), end.Code), failed.Message() // trouble of our own has no type
	}
	return end
}

func tooLate(letterID string) activities.EndLetterInput {
	return activities.EndLetterInput{
		LetterID: letterID, State: email.Dead, Code: "mail_unsent", Reason: "It could not be sent in time.",
	}
}
