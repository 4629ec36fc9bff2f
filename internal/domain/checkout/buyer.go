package checkout

import (
	"crypto/rand"
	"strings"

	"customerzero/internal/domain/account"
)

// Buyer is who becomes a member when a payment came in.
type Buyer struct {
	MemberID string
	Username string            // made up, until they choose one
	Welcome  *account.Welcome  // nil: they left no address that we can write to
	Receipt  map[string]string // facts of the receipt's letter
}

// NewUsername makes a name up for somebody who has not chosen one.
func NewUsername() string { return "zero_" + strings.ToLower(rand.Text()[:8]) }
