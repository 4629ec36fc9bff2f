// Package problem is the one error vocabulary of the product. Code below the edges
// returns problems; api renders them for HTTP, worker makes them final for Temporal.
package problem

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Code says what went wrong in terms a caller can act on. Codes are part of the HTTP
// contract and travel through workflow histories: add, never rename.
type Code string

const (
	Invalid          Code = "invalid"
	Unauthorized     Code = "unauthorized"
	Forbidden        Code = "forbidden"
	NotFound         Code = "not_found"
	Conflict         Code = "conflict"
	TooLarge         Code = "too_large"
	UnsupportedMedia Code = "unsupported_media_type"
	TooMany          Code = "too_many_requests"
	Unavailable      Code = "unavailable"
	Internal         Code = "internal"

	TextEmpty     Code = "text_empty"
	TextTooLong   Code = "text_too_long"
	TextInvalid   Code = "text_invalid"
	TextDuplicate Code = "text_duplicate"

	DateInvalid     Code = "date_invalid"
	DateAmbiguous   Code = "date_ambiguous"
	DatePast        Code = "date_past"
	DateTooFar      Code = "date_too_far"
	TimezoneUnknown Code = "timezone_unknown"
	CSVInvalid      Code = "csv_invalid"

	ShareExhausted   Code = "share_exhausted"
	QuotaExhausted   Code = "quota_exhausted"
	CreditsExhausted Code = "credits_exhausted"

	MemberUnknown Code = "member_unknown"
	MemberExists  Code = "member_exists"
	PostArmed     Code = "post_armed"
	PostClosed    Code = "post_closed"
	PostFailed    Code = "post_failed"

	CodeWrong           Code = "code_wrong"
	LoginStale          Code = "login_stale"
	CredentialsConflict Code = "credentials_conflict"
	CredentialsInvalid  Code = "credentials_invalid"
	ProviderKeysInvalid Code = "provider_keys_invalid"

	ServiceUnknown     Code = "service_unknown"
	AmountWrong        Code = "amount_wrong"
	PaymentUnavailable Code = "payment_unavailable"
	SignatureInvalid   Code = "signature_invalid"

	RecurringTooOften Code = "recurring_post_too_often"
	QueueEmpty        Code = "queue_empty"
	ReviewClosed      Code = "review_closed"
	ModelUnknown      Code = "model_unknown"
	AnswerUnfit       Code = "answer_unfit"
	ModelTrouble      Code = "model_trouble"
	GenerationEnded   Code = "generation_ended"

	FaultUnknown  Code = "fault_unknown"
	ChaosRunning  Code = "chaos_running"
	IncidentOpen  Code = "incident_open"
	ChaosOff      Code = "chaos_off"
	TargetRefused Code = "target_refused" // the supervisor would not do it now

	URLRefused          Code = "url_refused"          // no page of ours
	VerificationRunning Code = "verification_running" // the asker's own
	BrowserMissing      Code = "browser_missing"      // it cannot be started
	PageUnreachable     Code = "page_unreachable"
	PageSlow            Code = "page_slow"  // it took more than its time
	PageHeavy           Code = "page_heavy" // it took more memory, or sent more, than it may

	VotesClosed    Code = "votes_closed"
	MoveRefused    Code = "move_refused"    // an experiment does not go there from where it is
	EditStale      Code = "edit_stale"      // somebody else changed it meanwhile
	MetricLocked   Code = "metric_locked"   // what is promised cannot be changed any more
	ExperimentDupe Code = "experiment_dupe" // one of that title is open already
	ConfirmWrong   Code = "confirm_wrong"
)

// Codes lists every code, so that a test can see that each has an HTTP status.
var Codes = []Code{
	Invalid, Unauthorized, Forbidden, NotFound, Conflict, TooLarge, UnsupportedMedia, TooMany, Unavailable, Internal,
	TextEmpty, TextTooLong, TextInvalid, TextDuplicate,
	DateInvalid, DateAmbiguous, DatePast, DateTooFar, TimezoneUnknown, CSVInvalid,
	ShareExhausted, QuotaExhausted, CreditsExhausted,
	MemberUnknown, MemberExists, PostArmed, PostClosed, PostFailed,
	CodeWrong, LoginStale, CredentialsConflict, CredentialsInvalid, ProviderKeysInvalid,
	ServiceUnknown, AmountWrong, PaymentUnavailable, SignatureInvalid,
	RecurringTooOften, QueueEmpty, ReviewClosed, ModelUnknown, AnswerUnfit, ModelTrouble, GenerationEnded,
	FaultUnknown, ChaosRunning, IncidentOpen, ChaosOff, TargetRefused,
	URLRefused, VerificationRunning, BrowserMissing, PageUnreachable, PageSlow, PageHeavy,
	VotesClosed, MoveRefused, EditStale, MetricLocked, ExperimentDupe, ConfirmWrong,
}

// Error is a problem with a message that is safe to show to a person.
type Error struct {
	Code    Code
	Message string
	Details []Detail
	// RetryAfter is when it may be tried again, where that is known.
	RetryAfter time.Time
}

// Detail names a field and what is wrong with it. It never repeats the value.
type Detail struct {
	Field  string `json:"field" doc:"Where: a JSON path, a query parameter, or a line of a file"`
	Reason string `json:"reason" doc:"What is wrong there, for a person"`
}

func (e *Error) Error() string { return e.Message }

// New returns a problem. The message is shown to people: no internals, no secrets.
func New(code Code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of the problem in err's chain, or Internal when there is none.
func CodeOf(err error) Code {
	if p, ok := errors.AsType[*Error](err); ok {
		return p.Code
	}
	return Internal
}

// ErrNoRoom is no problem, because nobody who calls has caused it: there is no room to write
// anything down, and nothing was changed. It passes, so flows try again.
var ErrNoRoom = errors.New("there is no room to write")

// ErrAway is no problem either: the database is away. Whether what was asked last was done is not
// always known.
var ErrAway = errors.New("the database is away")

// Known says whether a word is one of our codes: failures cross Temporal as words.
func Known(word string) bool { return slices.Contains(Codes, Code(word)) }

// ClientError is what a page reports when it breaks. ID is the reference the person sees.
type ClientError struct {
	ID, Path, Message, Stack string
	CreatedAt                time.Time
}
