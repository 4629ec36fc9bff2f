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
		return problem.New(problem.Forbidden, "A founder's account ends by taking the handle off FOUNDERS.")
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
		return problem.New(problem.ConfirmWrong, "This is not your name. Type it as it stands on your account page.")
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
	DeletedText = "This text was deleted with its author's "
	// DeletedName replaces the name of a deleted account.
	DeletedName = "somebody who left"
)

// DeletionItem is a kind of stored data.
type DeletionItem struct {
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

// DeletedItems lists the data that is deleted. The account page shows the same lists.
func DeletedItems() []DeletionItem {
	return []DeletionItem{
		{What: "Your e-mail address, your sessions and tokens, and codes and links to log in"},
		{What: "Your answers to the questionnaire, and your posting times"},
		{What: "Posts that wait: they are cancelled, and their texts deleted, like those of drafts and of posts that failed"},
		{What: "Your recurring posts: they end, and their texts are deleted"},
		{What: "Texts that models wrote for you and that did not go out, and what you asked for"},
		{What: "Your votes in experiments that are open"},
		{What: "Experiments of yours that were never public"},
		{What: "Emails to you that were not sent, and to whom the others went"},
		{What: "What your visits counted for your price"},
		{What: "Your name, wherever we wrote down what you did"},
	}
}

// KeptItems lists the data that is kept without a name, and why.
func KeptItems() []DeletionItem {
	return []DeletionItem{
		{"Your membership, under a made-up name that nobody can take", "Shares and credits are counted by it"},
		{"Payments, their receipts, and the book of your credits", "We have to keep books"},
		{"Posts that went out, without \"sponsored by\"", "They stand on X, and their runs prove that they did"},
		{"Posts whose outcome nobody knows", "They may stand on X"},
		{"Your votes in experiments that have ended", "Their count was frozen, and equals its rows"},
		{"Public experiments that you submitted, without your name", "Others voted on them"},
		{"That an account was deleted, when, and by which run", "So that we can show that it was done"},
	}
}
