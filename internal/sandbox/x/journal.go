package x

import "time"

// What an entry of the journal records.
const (
	opTweet  = "tweet"
	opDelete = "delete"
	opGrant  = "grant"
	opRevoke = "revoke"
)

// entry is one line of the journal: a fact that X would not forget.
type entry struct {
	Op     string    `json:"op"`
	At     time.Time `json:"at"`
	Tweet  *Tweet    `json:"tweet,omitempty"`
	ID     string    `json:"id,omitempty"`
	Token  string    `json:"token,omitempty"`
	Secret string    `json:"secret,omitempty"`
	UserID string    `json:"user_id,omitempty"`
}

// journal keeps entries. After an error the entry is not kept.
type journal interface {
	Append(e any) error
	Close() error
}
