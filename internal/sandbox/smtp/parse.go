package smtp

import (
	"bytes"
	"io"
	"strings"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
)

const messageID = "Message-ID"

// shownHeaders are the headers worth a look. Bcc is among them because no letter should
// have one.
var shownHeaders = []string{
	"From", "To", "Bcc", "Reply-To", "Subject", "Date", messageID, "Auto-Submitted",
	"List-Unsubscribe", "List-Unsubscribe-Post",
}

// parse reads a letter. What is no letter is all text: people shall see what came.
func parse(raw []byte) Message {
	reader, err := mail.CreateReader(bytes.NewReader(raw))
	if reader == nil || err != nil && !message.IsUnknownCharset(err) {
		return Message{Text: strings.ToValidUTF8(string(raw), "\uFFFD")}
	}
	m := Message{Headers: map[string]string{}}
	for _, name := range shownHeaders {
		if value, err := reader.Header.Text(name); err == nil && value != "" {
			m.Headers[name] = value
		}
	}
	m.Subject = m.Headers["Subject"]
	m.readParts(reader)
	return m
}

// readParts takes the first text and the first HTML, and stops at what it cannot read.
func (m *Message) readParts(reader *mail.Reader) {
	for {
		part, err := reader.NextPart()
		if part == nil || err != nil && !message.IsUnknownCharset(err) {
			return
		}
		header, ok := part.Header.(*mail.InlineHeader)
		if !ok {
			continue // an attachment; the product sends none
		}
		switch kind, _, _ := header.ContentType(); {
		case kind == "text/html" && m.HTML == "":
			m.HTML = body(part)
		case m.Text == "":
			m.Text = body(part)
		}
	}
}

func body(part *mail.Part) string {
	content, _ := io.ReadAll(part.Body) // a damaged part shows as far as it goes
	return strings.ToValidUTF8(strings.ReplaceAll(string(content), "\r\n", "\n"), "\uFFFD")
}
