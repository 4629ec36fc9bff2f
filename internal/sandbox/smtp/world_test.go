package smtp

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	netsmtp "net/smtp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// world is a sandbox that listens for SMTP and HTTP.
type world struct {
	t       *testing.T
	sandbox *Server
	address string
	url     string
}

func newWorld(t *testing.T, changes ...func(*Config)) *world {
	t.Helper()
	config := Config{Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler)}
	for _, change := range changes {
		change(&config)
	}
	sandbox := New(config)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- sandbox.Serve(listener) }()
	pages := httptest.NewServer(sandbox.Handler())
	t.Cleanup(func() {
		pages.Close()
		require.NoError(t, sandbox.Close())
		require.NoError(t, <-served)
	})
	return &world{t: t, sandbox: sandbox, address: listener.Addr().String(), url: pages.URL}
}

// rawEmail is an email with a text and an HTML part.
func rawEmail(id, subject, text, html string) string {
	return "From: Customer Zero <bot@example.com>\r\nTo: ada@example.com\r\nSubject: " + subject + "\r\n" +
		"Message-ID: <" + id + "@example.com>\r\nX-Other: of no interest\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/alternative; boundary=b\r\n\r\n" +
		"--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + text + "\r\n" +
		"--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html + "\r\n--b--\r\n"
}

func (w *world) send(raw string, to ...string) error {
	return netsmtp.SendMail(w.address, nil, "bot@example.com", to, []byte(raw))
}

// sendNumbered sends numbered emails.
func (w *world) sendNumbered(count int) {
	w.t.Helper()
	for i := range count {
		require.NoError(w.t, w.send(rawEmail(fmt.Sprint(i), fmt.Sprintf("Email %d", i), "text", "<p>html</p>"), "ada@example.com"))
	}
}

// reply is a response, read completely.
type reply struct {
	status int
	header http.Header
	body   string
}

func (w *world) get(path string) reply {
	w.t.Helper()
	response, err := testwait.Client.Get(w.url + path)
	require.NoError(w.t, err)
	content, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	require.NoError(w.t, response.Body.Close())
	return reply{status: response.StatusCode, header: response.Header, body: string(content)}
}

// listed returns the emails in the JSON list.
func (w *world) listed(query string) []Message {
	w.t.Helper()
	var out struct{ Messages []Message }
	require.NoError(w.t, json.Unmarshal([]byte(w.get("/sandbox/mail.json"+query).body), &out))
	return out.Messages
}
