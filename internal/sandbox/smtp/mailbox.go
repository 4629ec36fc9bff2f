package smtp

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
	"github.com/rs/xid"
)

// Message is a received email.
type Message struct {
	ID      string            `json:"id"` // assigned by the sandbox; the sender's is in Headers
	At      time.Time         `json:"at"`
	From    string            `json:"from"` // envelope sender
	To      []string          `json:"to"`   // envelope recipients in order
	Subject string            `json:"subject"`
	Text    string            `json:"text"`
	HTML    string            `json:"html"`
	Headers map[string]string `json:"-"`      // those in shownHeaders
	Copies  int               `json:"copies"` // how often it was received
}

// key is equal for copies of an email. An email without a Message-ID has no copies.
func (m Message) key() string {
	if m.Headers[messageID] == "" {
		return m.ID
	}
	return m.Headers[messageID] + " " + strings.Join(m.To, " ")
}

func (m Message) isTo(address string) bool {
	return slices.ContainsFunc(m.To, func(to string) bool { return strings.EqualFold(to, address) })
}

// mailbox stores the newest emails, oldest first.
type mailbox struct {
	keep int

	mu       sync.Mutex
	messages []Message
}

// put stores an email, or counts it as a copy.
func (b *mailbox) put(m Message) {
	m.ID, m.Copies = xid.New().String(), 1
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.messages {
		if b.messages[i].key() == m.key() {
			b.messages[i].Copies++
			return
		}
	}
	b.messages = append(b.messages, m)
	if len(b.messages) > b.keep {
		b.messages = slices.Delete(b.messages, 0, 1)
	}
}

func (b *mailbox) newestFirst() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	messages := slices.Clone(b.messages)
	slices.Reverse(messages)
	return messages
}

func (b *mailbox) message(id string) (Message, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.messages, func(m Message) bool { return m.ID == id })
	if i < 0 {
		return Message{}, false
	}
	return b.messages[i], true
}

const messageID = "Message-ID"

// shownHeaders are the headers on the pages. Bcc is included to show that no email has one.
var shownHeaders = []string{
	"From", "To", "Bcc", "Reply-To", "Subject", "Date", messageID, "Auto-Submitted",
	"List-Unsubscribe", "List-Unsubscribe-Post",
}

// parse parses an email. Invalid input becomes the text, so that it is visible.
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

// readParts reads the first text and the first HTML part until the first error.
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
	content, _ := io.ReadAll(part.Body) // a truncated part is kept
	return strings.ToValidUTF8(strings.ReplaceAll(string(content), "\r\n", "\n"), "\uFFFD")
}
