package smtp

import "customerzero/internal/domain/email"

// Facts fill in a kind's template. One that is missing is an error; line breaks become
// spaces.
type Facts map[string]string

// Letter is one letter to one person.
type Letter struct {
	ID          string // letters, digits, - _ and inner dots; the same ID is the same letter
	Kind        email.Kind
	To          string
	Facts       Facts
	Unsubscribe string // a URL that a POST unsubscribes at; for optional kinds, ignored with the others
}
