package smtp

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/xid"
)

// Message is a letter that came.
type Message struct {
	ID                  string // ours; the sender's is among the headers
	At                  time.Time
	From                string   // of the envelope, as is To
	To                  []string // in the order given
	Subject, Text, HTML string
	Headers             map[string]string // the few that matter, by the names in shownHeaders
	Copies              int               // how often it came; 1: once
}

// key is what two copies of a letter have in common. A letter without a Message-ID is
// always a new one.
func (m Message) key() string {
	if m.Headers[messageID] == "" {
		return m.ID
	}
	return m.Headers[messageID] + " " + strings.Join(m.To, " ")
}

// isTo says whether somebody is among the recipients.
func (m Message) isTo(address string) bool {
	return slices.ContainsFunc(m.To, func(to string) bool { return strings.EqualFold(to, address) })
}

// mailbox keeps the newest letters, oldest first.
type mailbox struct {
	keep int

	mu       sync.Mutex
	messages []Message
}

// put keeps a letter, or counts it when it came before.
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
