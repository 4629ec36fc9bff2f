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

// Message is an email that came.
type Message struct {
	ID      string            `json:"id"` // ours; the sender's is among the headers
	At      time.Time         `json:"at"`
	From    string            `json:"from"` // of the envelope, as is To
	To      []string          `json:"to"`   // in the order given
	Subject string            `json:"subject"`
	Text    string            `json:"text"`
	HTML    string            `json:"html"`
	Headers map[string]string `json:"-"`      // the few that matter, by the names in shownHeaders
	Copies  int               `json:"copies"` // how often it came; 1: once
}

// key is what two copies of an email have in common. An email without a Message-ID is
// always a new one.
func (m Message) key() string {
	if m.Headers[messageID] == "" {
		return m.ID
	}
	return m.Headers[messageID] + " " + strings.Join(m.To, " ")
}

// isTo reports whether somebody is among the recipients.
func (m Message) isTo(address string) bool {
	return slices.ContainsFunc(m.To, func(to string) bool { return strings.EqualFold(to, address) })
}

// mailbox keeps the newest emails, oldest first.
type mailbox struct {
	keep int

	mu       sync.Mutex
	messages []Message
}

// put keeps an email, or counts it when it came before.
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

// shownHeaders are the headers worth a look. Bcc is among them because no email should
// have one.
var shownHeaders = []string{
	"From", "To", "Bcc", "Reply-To", "Subject", "Date", messageID, "Auto-Submitted",
	"List-Unsubscribe", "List-Unsubscribe-Post",
}

// parse reads an email. What is no email is all text: people shall see what came.
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
