package smtp

import (
	"errors"
	"log/slog"
	"maps"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/email"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/sandbox/smtp"
)

// secrets must not appear in errors.
var secrets = []string{"ada@example.com", "example.com", "s3cret", "123456", "Your code", "127.0.0.1"}

func newSandbox(t *testing.T) (*smtp.Server, string) {
	t.Helper()
	sandbox := smtp.New(smtp.Config{Log: slog.New(slog.DiscardHandler)})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- sandbox.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, sandbox.Close())
		require.NoError(t, <-served)
	})
	return sandbox, listener.Addr().String()
}

func newSender(t *testing.T, url string) *Sender {
	t.Helper()
	s, err := NewSender(Config{URL: url, PublicURL: "https://zero.example.com", Timeout: testwait.Limit})
	require.NoError(t, err)
	return s
}

// factsOf returns the facts of a kind.
func factsOf(kind email.Kind) Facts {
	return map[email.Kind]Facts{
		email.LoginCode:           {"Code": "123456", "Minutes": "10", "Site": "https://zero.example.com", "Where": "Firefox on Linux"},
		email.AddressCode:         {"Code": "123456", "Minutes": "10", "Site": "https://zero.example.com"},
		email.NewDevice:           {"Device": "Firefox on Linux", "When": "20 November 2026, 12:00 UTC", "AccountURL": "https://zero.example.com/account"},
		email.AddressChanged:      {"UndoURL": "https://zero.example.com/auth/undo-email#a_b-c", "Days": "7"},
		email.IdeaReviewed:        {"Title": "Emoji reactions", "Decision": "approved", "Reason": "", "IdeaURL": "https://zero.example.com/experiments/002-emoji"},
		email.Welcome:             {"Name": "Ada", "ActivationURL": "https://zero.example.com/claim?t=a_b-c", "Days": "7", "Credits": "90"},
		email.Receipt:             {"Paid": "$6.75", "List": "$9.00", "Discount": "25 %", "Date": "20 November 2026", "ReceiptURL": "https://zero.example.com/receipts/r1"},
		email.PaidTwice:           {"Paid": "$6.75", "Date": "20 November 2026", "ReceiptURL": "https://zero.example.com/receipts/r1"},
		email.Refund:              {"Amount": "$6.75", "ReceiptURL": "https://zero.example.com/receipts/r1"},
		email.MembershipChanged:   {"Title": "Your payment is disputed", "Text": "Your bank informed us that you dispute your payment of $6.75.", "AccountURL": "https://zero.example.com/account"},
		email.PaymentAlarm:        {"Title": "A payment is disputed", "Text": "@ada disputes a payment.", "PaymentsURL": "https://zero.example.com/treasury"},
		email.PostTrouble:         {"Bot": "@customerzerobot", "Excerpt": "Our new mug", "Status": "failed", "Reason": "X refused this.", "QueueURL": "https://zero.example.com/scheduler"},
		email.ReviewRequested:     {"Bot": "@customerzerobot", "Member": "@ada", "Excerpt": "Our new mug", "SchedulerURL": "https://zero.example.com/scheduler"},
		email.ReviewDone:          {"Bot": "@customerzerobot", "Excerpt": "Our new mug", "Decision": "approved", "Reason": "", "Suggestion": "", "SchedulerURL": "https://zero.example.com/scheduler"},
		email.RecurringPostPaused: {"Bot": "@customerzerobot", "Excerpt": "Our new mug", "Reason": "Its last two posts failed.", "SchedulerURL": "https://zero.example.com/scheduler"},
		email.TargetAlarm:         {"Alarm": "The chaos target stays unhealthy: these fail their checks: the database.", "Since": "20 November 2026 12:00:00 UTC", "ChaosURL": "https://zero.example.com/chaos-monkey"},
		email.Farewell:            {"Name": "@ada", "RunURL": "https://zero.example.com/runs/account-deletion:d1", "PrivacyURL": "https://zero.example.com/privacy"},
	}[kind]
}

func emailOf(kind email.Kind, changes ...func(*Email)) Email {
	l := Email{
		ID: "email-1", Kind: kind, To: "ada@example.com", Facts: maps.Clone(factsOf(kind)),
		Unsubscribe: "https://zero.example.com/unsubscribe?t=xyz",
	}
	for _, change := range changes {
		change(&l)
	}
	return l
}

// with changes one fact of an email.
func with(name, value string) func(*Email) {
	return func(l *Email) { l.Facts[name] = value }
}

// deliver sends an email to a sandbox and returns the received message.
func deliver(t *testing.T, l Email) smtp.Message {
	t.Helper()
	sandbox, address := newSandbox(t)
	require.NoError(t, newSender(t, "smtp://"+address).Send(t.Context(), l))
	require.Len(t, sandbox.Messages(), 1)
	return sandbox.Messages()[0]
}

// failed returns the failure of an error, and checks that it contains no secret.
func failed(t *testing.T, err error) *email.Failure {
	t.Helper()
	require.Error(t, err)
	failure, ok := errors.AsType[*email.Failure](err)
	require.True(t, ok, "%T", err)
	require.NotEmpty(t, failure.Message)
	for _, secret := range secrets {
		require.NotContains(t, err.Error(), secret)
	}
	return failure
}
