// Package email holds what the outbox knows of an email: its state, and when to give up.
// What it says, and to whom, lies sealed until it is sent. How it is worded and sent is
// for package mail.
package email

import "time"

// Kind says what an email is about; package mail has a template for each.
type Kind string

// Kinds are stored with emails that wait to be sent: add, never rename. The facts that
// fill each template follow.
const (
	LoginCode   Kind = "login_code"   // Code, Minutes, Site, Where
	AddressCode Kind = "address_code" // Code, Minutes, Site
	Welcome     Kind = "welcome"      // Name, ActivationURL, Days (the link's), Credits
	Receipt     Kind = "receipt"      // Paid, List, Discount (empty: none), ReceiptURL, Date
	Refund      Kind = "refund"       // Amount, ReceiptURL, and Seat: stays, gone, or absent where it is frozen
	PaidTwice   Kind = "paid_twice"   // Paid, ReceiptURL, Date
	PostTrouble Kind = "post_trouble" // Bot, Excerpt, Status (failed or unknown), Reason, QueueURL

	ReviewRequested     Kind = "review_asked"          // Bot, Member, Excerpt, SchedulerURL
	ReviewDone          Kind = "review_done"           // Bot, Excerpt, Decision (a post.Review), Reason, Suggestion (both may be empty), SchedulerURL
	RecurringPostPaused Kind = "recurring_post_paused" // Bot, Excerpt, Reason, SchedulerURL
	TargetAlarm         Kind = "chaos_target_alarm"    // Alarm (what is broken, what was tried), Since, ChaosURL

	Farewell Kind = "farewell" // Name (may be empty), RunURL, PrivacyURL
)

// Kinds lists every kind.
func Kinds() []Kind {
	return []Kind{LoginCode, AddressCode, Welcome, Receipt, Refund, PaidTwice, PostTrouble, ReviewRequested, ReviewDone, RecurringPostPaused, TargetAlarm, Farewell}
}

// Optional says whether people may unsubscribe. What somebody asked for or paid for comes
// in any case.
func (k Kind) Optional() bool {
	return k == PostTrouble || k == ReviewRequested || k == ReviewDone || k == RecurringPostPaused || k == TargetAlarm
}

// Patience is how long sending is worth it: a code that came too late helps nobody.
func (k Kind) Patience() time.Duration {
	if !k.KeepsWell() {
		return 10 * time.Minute
	}
	return 3 * 24 * time.Hour
}

// KeepsWell says whether an email is worth sending days later. A code is not.
func (k Kind) KeepsWell() bool { return k != LoginCode && k != AddressCode }

// Parting says that whoever it is for has left: when it was not sent, nobody keeps the address.
func (k Kind) Parting() bool { return k == Farewell }

// State of an email.
type State string

const (
	Pending State = "pending"
	Sent    State = "sent"
	Failed  State = "failed"  // given up; a founder may try again
	Skipped State = "skipped" // there was nobody to send it to
)

// Message is a line of the outbox.
type Message struct {
	ID             string
	IdempotencyKey string // unique: one fact, one email
	Kind           Kind
	AccountID      *string
	SecretID       *string // the sealed Content
	State          State
	Tries          int
	Code           string // why it is dead
	Reason         string // the same for people; never an address
	RunID          string
	CreatedAt      time.Time
	ExpiresAt      time.Time
	EndedAt        *time.Time
}

// TableName is the table that GORM stores these rows in.
func (Message) TableName() string { return "emails" }

// Content is what is sealed: whom it is for and what fills its template.
type Content struct {
	To    string            `json:"to"`
	Facts map[string]string `json:"facts"`
}

// Failure is why an email was not sent. A permanent one is about the email, and trying it
// again is in vain; any other is about the server, the network or our settings. Its message
// is for founders, and holds no address.
//
//nolint:errname // every other word for it would repeat the package's
type Failure struct {
	Permanent bool
	Code      string
	Message   string
}

func (f *Failure) Error() string { return f.Message }
