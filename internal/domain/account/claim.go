package account

import "time"

// Claim is the link of a welcome letter: it proves the address, and logs in once.
type Claim struct {
	ID        string
	AccountID string
	TokenHash string
	UsedAt    *time.Time
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Welcome is what a new member with an address is sent.
type Welcome struct {
	Email string
	Token string
	Facts map[string]string // of the letter, the link with the token included
}

// UnsubscribePlace is what the proof in a letter's last link is made for.
const UnsubscribePlace = "unsubscribe"
