package cli

import (
	"log/slog"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/smtp"
	"customerzero/internal/domain/email"
	"customerzero/internal/platform/keyring"
	smtpsandbox "customerzero/internal/sandbox/smtp"
)

// TestEmailsOfTheStoreGetTheirLinks: an email without a link that its template needs is never sent.
func TestEmailsOfTheStoreGetTheirLinks(t *testing.T) {
	t.Parallel()
	sandbox := smtpsandbox.New(smtpsandbox.Config{Log: slog.New(slog.DiscardHandler)})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- sandbox.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, sandbox.Close())
		require.NoError(t, <-served)
	})
	sender, err := smtp.NewSender(smtp.Config{URL: "smtp://" + listener.Addr().String() + "?tls=none", PublicURL: "http://zero.example.com"})
	require.NoError(t, err)
	key, err := keyring.New("k1")
	require.NoError(t, err)
	marks, err := keyring.Parse(key)
	require.NoError(t, err)
	founder := "acc1"
	box := &emailSender{sender: sender, marks: marks, site: "http://zero.example.com", bot: "@customerzerobot"}

	alarm := email.Content{To: "grace@example.com", Facts: map[string]string{
		"Alarm": "The chaos target stays unhealthy.", "Since": "22 November 2026 05:00:00 UTC",
	}}
	require.NoError(t, box.Send(t.Context(), email.Message{ID: "l1", Kind: email.TargetAlarm, AccountID: &founder}, alarm))
	farewell := email.Content{To: "ada@example.com", Facts: map[string]string{"Name": "@ada", "Run": "account-deletion:d1"}}
	require.NoError(t, box.Send(t.Context(), email.Message{ID: "l2", Kind: email.Farewell}, farewell))
	require.Contains(t, sandbox.Messages()[0].Text, "http://zero.example.com/runs/account-deletion:d1")
}
