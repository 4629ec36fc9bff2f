package smtp

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnEmptyMailbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.get("/sandbox/mail")
	require.Equal(t, http.StatusOK, page.status)
	for _, part := range []string{
		`<html lang="en">`, "<title>Mail sandbox</title>", "<header", "<main", "<footer", "Nothing here left this machine",
		"No mail yet", `href="/sandbox/mail">Refresh</a>`,
	} {
		require.Contains(t, page.body, part)
	}
	require.NotContains(t, page.body, "A fault is switched on")
	require.JSONEq(t, `{"messages":[]}`, w.get("/sandbox/mail.json").body)
	gone := w.get("/sandbox/mail/unknown")
	require.Equal(t, http.StatusNotFound, gone.status)
	require.Contains(t, gone.body, "This letter is not here")
}

func TestTheMailboxShowsLettersNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.number(2)
	w.number(1)
	page := w.get("/sandbox/mail").body
	require.Less(t, strings.Index(page, "Letter 1"), strings.Index(page, "Letter 0"))
	for _, part := range []string{
		"<strong>2</strong> letters", "To ada@example.com", "20 Nov 2026, 12:00:00 UTC", `datetime="2026-11-20T12:00:00Z"`,
		`href="/sandbox/mail/` + w.sandbox.Messages()[0].ID + `"`, "came 2 times",
	} {
		require.Contains(t, page, part)
	}
}

const hostile = `<script>alert(1)</script><p onclick="x" title='"></iframe><script>'>&amp; hello</p>`

func TestALetterIsShownButNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.send(letter("one", "<i>Subject</i>", "See <b> https://example.com/?a=1&b=2 now", hostile), "ada@example.com"))
	page := w.get("/sandbox/mail/" + w.sandbox.Messages()[0].ID)
	require.Equal(t, http.StatusOK, page.status)
	for _, part := range []string{
		"&lt;i&gt;Subject&lt;/i&gt;", "See &lt;b&gt; <a href=\"https://example.com/?a=1&amp;b=2\"", "<dt>Message-ID</dt>",
		"Customer Zero &lt;bot@example.com&gt;", `<iframe title="The letter as HTML" sandbox srcdoc="`,
	} {
		require.Contains(t, page.body, part)
	}
	require.NotContains(t, page.body, "<script")
	require.Equal(t, 1, strings.Count(page.body, "</iframe>"))
	_, rest, _ := strings.Cut(page.body, `srcdoc="`)
	framed, _, _ := strings.Cut(rest, `"`)
	require.Equal(t, hostile, html.UnescapeString(framed), "what the frame shows is what came")

	require.NoError(t, w.send("X-Nothing: else\r\n\r\njust text", "ada@example.com"))
	plain := w.get("/sandbox/mail/" + w.sandbox.Messages()[0].ID).body
	for _, part := range []string{"(no subject)", "just text", "This letter has no HTML."} {
		require.Contains(t, plain, part)
	}
	require.NotContains(t, plain, "<iframe")
}

func TestPagesLoadNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.number(1)
	for path, styles := range map[string]string{
		"/sandbox/mail":                               "'self'",
		"/sandbox/mail/unknown":                       "'self'",
		"/sandbox/mail/" + w.sandbox.Messages()[0].ID: "'self' 'unsafe-inline'",
	} {
		page := w.get(path)
		require.Equal(t, "default-src 'none'; style-src "+styles+"; img-src 'self'; base-uri 'none'; frame-ancestors 'self'; "+
			"form-action 'none'", page.header.Get("Content-Security-Policy"))
		require.Equal(t, "nosniff", page.header.Get("X-Content-Type-Options"))
		require.Equal(t, "no-store", page.header.Get("Cache-Control"))
		require.NotContains(t, page.body, "style=\"")
	}
	for asset, kind := range map[string]string{"base.css": "text/css", "style.css": "text/css", "icon.svg": "image/svg+xml"} {
		require.Contains(t, w.get("/sandbox/mail").body, `href="/sandbox/mail/`+asset+`"`)
		answer := w.get("/sandbox/mail/" + asset)
		require.Equal(t, http.StatusOK, answer.status)
		require.Contains(t, answer.header.Get("Content-Type"), kind)
	}
	require.Equal(t, http.StatusNotFound, w.get("/sandbox/mail/mailbox.html").status)
}

func TestTheJSONFiltersByRecipient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.number(2)
	require.NoError(t, w.send(letter("for-bob", "For Bob", "Code 123456", "<b>123456</b>"), "bob@example.com", "eve@example.com"))
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
