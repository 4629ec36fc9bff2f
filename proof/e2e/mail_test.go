package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/email"
	smtpsandbox "customerzero/internal/sandbox/smtp"
	"customerzero/workflows"
)

func (w *world) emailRow(t *testing.T, id string) email.Message {
	l, _, err := w.db.Emails.Email(t.Context(), id)
	require.NoError(t, err)
	return l
}

// waiting returns the e-mail of a kind without a run.
func (w *world) waiting(t *testing.T, kind email.Kind) email.Message {
	emails := fetch(t, w.db.Emails.WaitingEmails, false)
	for _, l := range emails {
		if l.Kind == kind {
			return l
		}
	}
	require.Fail(t, "no e-mail is waiting", kind)
	return email.Message{}
}

// delivered waits for the end of an e-mail's run and compares its result with the row.
func (w *world) delivered(t *testing.T, id string) email.Message {
	result := resultOf[workflows.EmailResult](t, w, workflows.EmailID(id))
	l := w.emailRow(t, id)
	require.Equal(t, workflows.EmailResult{State: l.State, Code: l.Code}, result)
	return l
}

func (w *world) received(t *testing.T, address string) smtpsandbox.Message {
	var came []smtpsandbox.Message
	for _, m := range w.mail.Messages() {
		if m.To[0] == address {
			came = append(came, m)
		}
	}
	require.Len(t, came, 1)
	require.Equal(t, 1, came[0].Copies)
	return came[0]
}

// sentLate sends a welcome while the mail server is down at first.
func sentLate(t *testing.T, w *world) string {
	w.door.shut.Store(true)
	l := w.waiting(t, email.Welcome)
	require.NoError(t, w.runs.SendEmail(t.Context(), l.ID))
	await(t, func() bool { return w.door.hungUp.Load() > 0 })
	require.Equal(t, email.Pending, w.emailRow(t, l.ID).State)
	w.door.shut.Store(false)

	require.Equal(t, email.Sent, w.delivered(t, l.ID).State)
	require.Contains(t, w.received(t, w.newcomer.address).Text, w.newcomer.claim, "it has the activation link")
	return workflows.EmailID(l.ID)
}

func TestEmailHasOneRun(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		l := w.waiting(t, email.Welcome)
		for range 3 { // the API and every dispatcher start one
			require.NoError(t, w.runs.SendEmail(t.Context(), l.ID))
		}
		require.Equal(t, email.Sent, w.delivered(t, l.ID).State)
		require.NoError(t, w.runs.SendEmail(t.Context(), l.ID))
		w.delivered(t, l.ID)
		w.received(t, w.newcomer.address)
	})
}

// E-mails are stored in the transaction of their cause; their run may start later.
func TestDispatcherSendsTheOutbox(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		w.startDispatcher(t)
		eventually(t, func(c *assert.CollectT) {
			require.Len(c, w.mail.Messages(), 2, "the newcomer's welcome and the founder's code")
		})
		w.received(t, w.grace.address)
	})
}
