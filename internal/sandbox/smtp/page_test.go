package smtp

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheMailbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Contains(t, w.get("/sandbox/mail").body, "No mail yet")
	require.JSONEq(t, `{"messages":[]}`, w.get("/sandbox/mail.json").body)
	require.Equal(t, http.StatusNotFound, w.get("/sandbox/mail/unknown").status)
	w.sendNumbered(2)
	w.sendNumbered(1)
	w.sandbox.SetFaults(Faults{Times: 1, Code: 451})
	page := w.get("/sandbox/mail").body
	require.Less(t, strings.Index(page, "Email 1"), strings.Index(page, "Email 0"), "the newest first")
	for _, part := range []string{
		"<strong>2</strong> emails", "To ada@example.com", "20 Nov 2026, 12:00:00 UTC", `datetime="2026-11-20T12:00:00Z"`,
		`href="/sandbox/mail/` + w.sandbox.Messages()[0].ID + `"`, "received 2 times", "451 for emails, 1 more time.",
	} {
		require.Contains(t, page, part)
	}
}

const hostile = `<script>alert(1)</script><p onclick="x" title='"></iframe><script>'>&amp; hello</p>`

func TestAnEmailIsShownButNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.send(rawEmail("one", "<i>Subject</i>", "See <b> https://example.com/?a=1&b=2 now", hostile), "ada@example.com"))
	page := w.get("/sandbox/mail/" + w.sandbox.Messages()[0].ID)
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.header.Get("Content-Security-Policy"), "style-src 'self' 'unsafe-inline'; img-src 'self'")
	for _, part := range []string{
		"&lt;i&gt;Subject&lt;/i&gt;", "See &lt;b&gt; <a href=\"https://example.com/?a=1&amp;b=2\"", "<dt>Message-ID</dt>",
		"Customer Zero &lt;bot@example.com&gt;", `<iframe title="The email as HTML" sandbox srcdoc="`,
	} {
		require.Contains(t, page.body, part)
	}
	require.NotContains(t, page.body, "<script")
	require.Equal(t, 1, strings.Count(page.body, "</iframe>"))
	_, rest, _ := strings.Cut(page.body, `srcdoc="`)
	framed, _, _ := strings.Cut(rest, `"`)
	require.Equal(t, hostile, html.UnescapeString(framed), "the frame contains the email unchanged")

	require.NoError(t, w.send("X-Nothing: else\r\n\r\njust text", "ada@example.com"))
	plain := w.get("/sandbox/mail/" + w.sandbox.Messages()[0].ID).body
	for _, part := range []string{"(no subject)", "just text", "This email has no HTML."} {
		require.Contains(t, plain, part)
	}
	require.NotContains(t, plain, "<iframe")
}

func TestTheJSONFiltersByRecipient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sendNumbered(2)
	require.NoError(t, w.send(rawEmail("for-bob", "For Bob", "Code 123456", "<b>123456</b>"), "bob@example.com", "eve@example.com"))
	all := w.listed("")
	require.Len(t, all, 3)
	require.Equal(t, Message{
		ID: w.sandbox.Messages()[0].ID, At: noon, From: "bot@example.com", To: []string{"bob@example.com", "eve@example.com"},
		Subject: "For Bob", Text: "Code 123456", HTML: "<b>123456</b>", Copies: 1,
	}, all[0])
	require.Equal(t, all[:1], w.listed("?to=EVE@example.com"))
	require.Equal(t, all[1:], w.listed("?to=ada@example.com"))
	require.Empty(t, w.listed("?to=nobody@example.com"))
	require.Contains(t, w.get("/sandbox/mail.json?to=nobody").body, `"messages":[]`)
}
