// Package email holds the outbox rules: kinds, states and expiry. The content is encrypted until it is
// sent; package mail renders and sends it.
package email

import "time"

// Kind is the type of an email; package mail has a template for each.
type Kind string

// Kinds are stored with unsent emails: add, never rename. The comments list the template values.
const (
	LoginCode      Kind = "login_code"      // Code, Minutes, Site, Where
	AddressCode    Kind = "address_code"    // Code, Minutes, Site
	NewDevice      Kind = "new_device"      // Device, When, AccountURL
	AddressChanged Kind = "address_changed" // UndoURL, Days (the link's)
	Welcome        Kind = "welcome"         // Name, ActivationURL, Days (the link's), Credits
	Receipt        Kind = "receipt"         // Paid, List, Discount (empty: none), ReceiptURL, Date
	Refund         Kind = "refund"          // Amount, ReceiptURL, Seat (stays or gone; absent if frozen)
	PaidTwice      Kind = "paid_twice"      // Paid, ReceiptURL, Date

	MembershipChanged Kind = "membership_changed" // Title, Text (what happened and what follows), AccountURL
	PaymentAlarm      Kind = "payment_alarm"      // to founders: Title, Text, PaymentsURL

	PostTrouble Kind = "post_trouble" // Bot, Excerpt, Status (failed or unknown), Reason, QueueURL

	ReviewRequested     Kind = "review_asked"          // Bot, Member, Excerpt, SchedulerURL
	IdeaReviewed        Kind = "idea_reviewed"         // Title, Decision (approved or declined), Reason (may be empty), IdeaURL
	ReviewDone          Kind = "review_done"           // Bot, Excerpt, Decision (a post.Review), Reason, Suggestion (both may be empty), SchedulerURL
	RecurringPostPaused Kind = "recurring_post_paused" // Bot, Excerpt, Reason, SchedulerURL
	TargetAlarm         Kind = "chaos_target_alarm"    // Alarm (what is broken, what was tried), Since, ChaosURL

	Farewell Kind = "farewell" // Name (may be empty), RunURL, PrivacyURL
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{LoginCode, AddressCode, NewDevice, AddressChanged, Welcome, IdeaReviewed, Receipt, Refund, PaidTwice, MembershipChanged, PaymentAlarm, PostTrouble, ReviewRequested, ReviewDone, RecurringPostPaused, TargetAlarm, Farewell}
}

// Optional reports whether people can unsubscribe. Requested emails and payment emails are always sent.
func (k Kind) Optional() bool {
	return k == PaymentAlarm || k == PostTrouble || k == ReviewRequested || k == ReviewDone || k == RecurringPostPaused || k == TargetAlarm || k == IdeaReviewed
}

// Patience is how long an email is worth sending.
func (k Kind) Patience() time.Duration {
	if !k.KeepsWell() {
		return 10 * time.Minute
	}
	return 3 * 24 * time.Hour
}

// KeepsWell reports whether an email is still useful days later. A code is not.
func (k Kind) KeepsWell() bool { return k != LoginCode && k != AddressCode }

// Parting reports whether the recipient's account is deleted, so that the address must not be kept if
// sending fails.
func (k Kind) Parting() bool { return k == Farewell }

// State is the delivery state of an email.
type State string

const (
	Pending State = "pending"
	Sent    State = "sent"
	Failed  State = "failed"  // a founder may retry
	Skipped State = "skipped" // no recipient
)

// Message is a row of the outbox.
type Message struct {
	ID             string
	IdempotencyKey string // unique: one email per event
	Kind           Kind
	AccountID      *string
	SecretID       *string // the encrypted Content
	State          State
	Tries          int
	Code           string // why it failed
	Reason         string // the same as a sentence; never an address
	RunID          string
	CreatedAt      time.Time
	ExpiresAt      time.Time
	EndedAt        *time.Time
}

// TableName is the GORM table name.
func (Message) TableName() string { return "emails" }

// Content is the encrypted part: the recipient and the template values.
type Content struct {
	To    string            `json:"to"`
	Facts map[string]string `json:"facts"`
}

// Failure is the reason why an email was not sent. A permanent failure concerns the email, so a retry is
// useless; others concern the server, the network or the configuration. The message is for founders and
// contains no address.
//
//nolint:errname // other names would repeat the package's
type Failure struct {
	Permanent bool
	Code      string
	Message   string
}

func (f *Failure) Error() string { return f.Message }
