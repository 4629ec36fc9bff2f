package account

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
)

// DeletionStage is the progress of an account deletion.
type DeletionStage string

const (
	DeletionRequested DeletionStage = "requested" // the account can no longer log in
	DeletionRunning   DeletionStage = "deleting"  // a run cancels open posts and recurring posts
	DeletionEnded     DeletionStage = "ended"     // all personal data is deleted
)

// Deletion is the deletion of an account.
type Deletion struct {
	ID                  string
	AccountID           *string // nil after the end: the account no longer exists
	MemberID            *string // nil without a membership
	Stage               DeletionStage
	CancelledPosts      int
	EndedRecurringPosts int
	DeletedVotes        int
	WorkflowID          string
	RunID               string
	RequestedAt         time.Time
	EndedAt             *time.Time
}

// TableName is the GORM table name.
func (Deletion) TableName() string { return "account_deletions" }

// Ended reports whether the deletion is complete.
func (d Deletion) Ended() bool { return d.Stage == DeletionEnded }

// CheckDeletion returns an error if the account cannot be deleted.
func CheckDeletion(a Account, founders Founders) error {
	if founders.RoleOf(a, false) == Founder {
		return problem.New(problem.Forbidden, "Remove the handle from FOUNDERS before you delete a founder's account.")
	}
	return nil
}

// ConfirmDeletion returns an error unless the typed text is the account's name, or its address if it has
// no name.
func ConfirmDeletion(typed string, who Login) error {
	name := who.Name()
	if name == "" && who.Account.Email != nil {
		name = *who.Account.Email
	}
	typed = strings.TrimPrefix(strings.TrimSpace(typed), "@")
	if name == "" || !strings.EqualFold(typed, name) {
		return problem.New(problem.ConfirmWrong, "This is not your name. Type it as shown on your account page.")
	}
	return nil
}

// DeletedUsername is the username of a deleted member. It contains a hyphen, which no valid username has,
// and is the same for the same deletion.
func DeletedUsername(deletionID string) string {
	sum := sha256.Sum256([]byte(deletionID))
	return "deleted-" + hex.EncodeToString(sum[:5])
}

const (
	// DeletedText replaces a required text of a deleted author.
	DeletedText = "This text was deleted with its author's account."
	// DeletedName replaces the name of a deleted account.
	DeletedName = "a deleted user"
)

// DeletionItem is a kind of stored data.
type DeletionItem struct {
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

// DeletedItems lists the data that is deleted. The account page shows the same lists.
func DeletedItems() []DeletionItem {
	return []DeletionItem{
		{What: "Your email address, sessions, tokens, login codes and login links"},
		{What: "Your answers to the questionnaire and your posting times"},
		{What: "Scheduled posts: they are cancelled and their texts deleted, as are those of drafts and failed posts"},
		{What: "Your recurring posts: they end and their texts are deleted"},
		{What: "Unpublished texts that models wrote for you, and your prompts"},
		{What: "Your votes in open experiments"},
		{What: "Experiments you submitted that were never public"},
		{What: "Unsent emails to you, and the recipient of sent ones"},
		{What: "The visit data used for your price"},
		{What: "Your name in records of what you did"},
	}
}

// KeptItems lists the data that is kept without a name, and why.
func KeptItems() []DeletionItem {
	return []DeletionItem{
		{"Your membership, under a generated name", "Shares and credits are counted by it"},
		{"Payments, receipts and your credit ledger", "We are required to keep accounts"},
		{"Published posts, without \"sponsored by\"", "They are public on X and documented by their workflow runs"},
		{"Posts with an unknown outcome", "They may be public on X"},
		{"Your votes in experiments that have ended", "The final count includes them"},
		{"Public experiments that you submitted, without your name", "Others voted on them"},
		{"The fact that an account was deleted, when, and by which run", "To prove the deletion"},
	}
}
