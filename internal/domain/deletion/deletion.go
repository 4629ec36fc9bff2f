// Package deletion holds the rules of leaving: who may, what is deleted, what stays and why,
// and what somebody is given of what is stored about them. Values in, values out: no clock,
// no I/O.
package deletion

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// Stage is how far a departure is.
type Stage string

const (
	Requested Stage = "requested" // nobody can log in any more
	Leaving   Stage = "leaving"   // a run takes back what waits
	Ended     Stage = "ended"     // nobody can be found any more
)

// Departure is somebody who leaves.
type Departure struct {
	ID          string
	AccountID   *string // nil when it has ended: the account is gone
	MemberID    *string // nil: they had no membership
	Stage       Stage
	Posts       int // that waited and were given up
	Series      int // that were ended
	Votes       int // that were taken back
	WorkflowID  string
	RunID       string
	RequestedAt time.Time
	EndedAt     *time.Time
}

// Ended says that it is over.
func (d Departure) Ended() bool { return d.Stage == Ended }

// Check says why somebody may not leave, or nil.
func Check(a account.Account, founders account.Founders) error {
	if founders.RoleOf(a, false) == account.Founder {
		return problem.New(problem.Forbidden, "A founder's account ends by taking the handle off FOUNDERS.")
	}
	return nil
}

// Confirm says why what somebody typed is not their own name, or nil. Those without a name
// have an address.
func Confirm(typed string, who account.Login) error {
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

// Nobody is what a member who has left is called. It cannot be anybody's: no username has
// a hyphen. The same departure gives the same name.
func Nobody(departureID string) string {
	sum := sha256.Sum256([]byte(departureID))
	return "deleted-" + hex.EncodeToString(sum[:5])
}

const (
	// Blank stands where a text of somebody stood that must not be empty.
	Blank = "This text was deleted with its author's account."
	// Somebody stands where a name stood.
	Somebody = "somebody who left"
)

// Item is a kind of thing that is stored about somebody.
type Item struct {
	What string `json:"what"`
	Why  string `json:"why,omitempty"`
}

// Goes lists what is deleted. The account page shows the same lists.
func Goes() []Item {
	return []Item{
		{What: "Your e-mail address, your sessions and tokens, and codes and links to log in"},
		{What: "Your answers to the questionnaire, and your timetable"},
		{What: "Posts that wait: they are cancelled, and their texts deleted, like those of drafts and of posts that failed"},
		{What: "Your series: they end, and their texts are deleted"},
		{What: "Texts that models wrote for you and that did not go out, and what you asked for"},
		{What: "Your votes in experiments that are open"},
		{What: "Experiments of yours that were never public"},
		{What: "Letters to you that were not sent, and to whom the others went"},
		{What: "What your visits counted for your price"},
		{What: "Your name, wherever we wrote down what you did"},
	}
}

// Stays lists what is kept, without a name, and why.
func Stays() []Item {
	return []Item{
		{"Your membership, under a made-up name that nobody can take", "Shares and credits are counted by it"},
		{"Payments, their receipts, and the book of your credits", "We have to keep books"},
		{"Posts that went out, without \"sponsored by\"", "They stand on X, and their runs prove that they did"},
		{"Posts whose outcome nobody knows", "They may stand on X"},
		{"Your votes in experiments that have ended", "Their count was frozen, and equals its rows"},
		{"Public experiments that you submitted, without your name", "Others voted on them"},
		{"That an account was deleted, when, and by which run", "So that we can show that it was done"},
	}
}
