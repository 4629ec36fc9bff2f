package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/store/storetest"
)

// pillar is an email sender that answers as it is told.
type pillar struct {
	answer error
	posted int
}

func (p *pillar) Send(context.Context, email.Message, email.Content) error {
	p.posted++
	return p.answer
}

// newMail is the activities of mail, with a real store and an e-mail in it.
func newMail(t *testing.T, box *pillar) (mail *Email, emailID string) {
	db := storetest.New(t, "sqlite")
	emailID = must(db.Accounts.IssueCode(t.Context(), account.NewCode{
		Purpose: account.ForLogin, Subject: "a digest", Visitor: "a digest", Address: "ada@example.com", Code: "123456",
	}, noon))
	return &Email{Emails: db.Emails, Sender: box, Now: func() time.Time { return noon }}, emailID
}

func TestSendLetter(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer error
		kind   string
		final  bool
	}{
		"taken":                         {},
		"not now: tried again":          {answer: &email.Failure{Code: "mail_busy", Message: "not now"}, kind: "mail_busy"},
		"never: not tried again":        {answer: &email.Failure{Permanent: true, Code: "mail_refused", Message: "never"}, kind: "mail_refused", final: true},
		"wrapped, it is what it was":    {answer: errors.Join(&email.Failure{Code: "mail_busy", Message: "not now"}), kind: "mail_busy"},
		"trouble of our own: passed on": {answer: errors.New("disk full")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mail, id := newMail(t, &pillar{answer: tt.answer})
			_, err := mail.SendEmail(t.Context(), EmailRef{EmailID: id})
			failed, ok := errors.AsType[*temporal.ApplicationError](err)
			require.Equal(t, tt.kind != "", ok)
			if !ok {
				require.Equal(t, tt.answer, err)
				return
			}
			require.Equal(t, tt.kind, failed.Type())
			require.Equal(t, tt.final, failed.NonRetryable())
		})
	}
}

func TestALetterThatHasEndedIsNotSent(t *testing.T) {
	t.Parallel()
	box := &pillar{}
	mail, id := newMail(t, box)
	must(mail.EndEmail(t.Context(), EndEmailInput{EmailID: id, State: email.Void}))
	must(mail.SendEmail(t.Context(), EmailRef{EmailID: id}))
	require.Zero(t, box.posted)
}
