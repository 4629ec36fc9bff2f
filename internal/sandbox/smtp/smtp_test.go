package smtp

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnEmailIsKeptAsItCame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	raw := rawEmail("one", "=?utf-8?q?Caf=C3=A9?=", "Hello\r\nyou", "<b>Hello</b>")
	require.NoError(t, w.send(raw, "ada@example.com", "Bob@example.com"))
	m := w.sandbox.Messages()[0]
	require.NotEmpty(t, m.ID)
	m.ID = ""
	require.Equal(t, Message{
		At: noon, From: "bot@example.com", To: []string{"ada@example.com", "Bob@example.com"},
		Subject: "Café", Text: "Hello\nyou", HTML: "<b>Hello</b>", Copies: 1,
		Headers: map[string]string{
			"From": "Customer Zero <bot@example.com>", "To": "ada@example.com", "Subject": "Café", "Message-ID": "<one@example.com>",
		},
	}, m)
}

func TestCopiesOfAnEmail(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		second string
		to     string
		copies []int
	}{
		"the same email again is counted":     {rawEmail("one", "again", "t", "h"), "ada@example.com", []int{2}},
		"another Message-ID is another email": {rawEmail("two", "first", "t", "h"), "ada@example.com", []int{1, 1}},
		"another recipient has another email": {rawEmail("one", "first", "t", "h"), "bob@example.com", []int{1, 1}},
		"an invalid email is another one":     {"no email", "ada@example.com", []int{1, 1}},
	} {
		w := newWorld(t)
		require.NoError(t, w.send(rawEmail("one", "first", "t", "h"), "ada@example.com"))
		require.NoError(t, w.send(tt.second, tt.to))
		var copies []int
		for _, m := range w.sandbox.Messages() {
			copies = append(copies, m.Copies)
		}
		require.Equal(t, tt.copies, copies, name)
		require.Equal(t, "first", w.sandbox.Messages()[len(copies)-1].Subject, "the first one is not changed")
	}
}

func TestAnEmailOfOver1MBIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	err := w.send(rawEmail("one", "s", "t", "h")+strings.Repeat(strings.Repeat("a", 98)+"\r\n", 1<<20/100+1), "ada@example.com")
	require.ErrorContains(t, err, "552")
	require.Empty(t, w.sandbox.Messages())
}

func TestClose(t *testing.T) {
	t.Parallel()
	sandbox := New(Config{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, sandbox.Close())
	require.NoError(t, sandbox.Close(), "closing twice is allowed")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, sandbox.Serve(listener), "too late to serve")
	_, err = listener.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

func TestTheNewestEmailsAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Keep = 2 })
	w.sendNumbered(3)
	require.Len(t, w.sandbox.Messages(), 2)
	require.Equal(t, "Email 1", w.sandbox.Messages()[1].Subject)
}

// Proves: F37, V16.2.5
func TestEmailsAreNotLogged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := newWorld(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	require.NoError(t, w.send(rawEmail("one", "the subject", "123456", "<b>123456</b>"), "ada@example.com"))
	discreetLog{w.sandbox.config.Log}.Printf("panic serving %v: %v", "ada@example.com", "123456")
	require.NoError(t, w.sandbox.Close())
	require.Contains(t, out.String(), "an email was received")
	require.Contains(t, out.String(), "panic serving")
	for _, secret := range []string{"ada", "123456", "the subject"} {
		require.NotContains(t, out.String(), secret)
	}
}
