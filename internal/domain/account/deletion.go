package account

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"customerzero/internal/domain/problem"
)

// DeletionStage is how far a departure is.
type DeletionStage string

const (
	DeletionRequested DeletionStage = "requested" // nobody can log in any more
	DeletionRunning   DeletionStage = "deleting"  // a run takes back what waits
	DeletionEnded     DeletionStage = "ended"     // nobody can be found any more
)

// Deletion is somebody who leaves.
type Deletion struct {
	ID                  string
	AccountID           *string // nil when it has ended: the account is gone
	MemberID            *string // nil: they had no membership
	Stage               DeletionStage
	CancelledPosts      int // that waited and were given up
	EndedRecurringPosts int // that were ended
	DeletedVotes        int // that were taken back
	WorkflowID          string
	RunID               string
	RequestedAt         time.Time
	EndedAt             *time.Time
}

// TableName is the table that GORM stores these rows in.
func (Deletion) TableName() string { return "account_deletions" }

// Ended says that it is over.
func (d Deletion) Ended() bool { return d.Stage == DeletionEnded }

// CheckDeletion says why somebody may not leave, or nil.
func CheckDeletion(a Account, founders Founders) error {
	if founders.RoleOf(a, false) == Founder {
		return problem.New(problem.Forbidden, "A founder's account ends by taking the handle off FOUNDERS.")
	}
	return nil
}

// ConfirmDeletion says why what somebody typed is not their own name, or nil. Those without a name
// have an address.
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

// DeletedUsername is what a member who has left is called. It cannot be anybody's: no username has
// a hyphen. The same departure gives the same name.
func DeletedUsername(deletionID string) string {
	sum := sha256.Sum256([]byte(deletionID))
	return "deleted-" + hex.EncodeToString(sum[:5])
}

const (
	// DeletedText stands where a text of somebody stood that must not be empty.
	DeletedText = "This text was deleted with its author's "
	// DeletedName stands where a name stood.
	DeletedName = "somebody who left"
)

// DeletionItem is a kind of thing that is stored about somebody.
type DeletionItem struct {
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

// DeletedItems lists what is deleted. The account page shows the same lists.
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

// KeptItems lists what is kept, without a name, and why.
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
