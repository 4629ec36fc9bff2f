// Package problem is the product's error vocabulary. Internal code returns problems; api renders them for
// HTTP and worker makes them non-retryable for Temporal.
package problem

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Code identifies an error that a caller can act on. Codes are part of the HTTP contract and stored in
// workflow histories: add, never rename.
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
	TargetRefused Code = "target_refused" // the supervisor refused the command

	URLRefused          Code = "url_refused"          // not a page of our site
	VerificationRunning Code = "verification_running" // by the same requester
	BrowserMissing      Code = "browser_missing"      // the browser cannot be started
	PageUnreachable     Code = "page_unreachable"
	PageSlow            Code = "page_slow"  // timed out
	PageHeavy           Code = "page_heavy" // memory or transfer limit exceeded

	VotesClosed    Code = "votes_closed"
	MoveRefused    Code = "move_refused"    // status change not allowed
	EditStale      Code = "edit_stale"      // changed by someone else
	MetricLocked   Code = "metric_locked"   // the metric can no longer be changed
	ExperimentDupe Code = "experiment_dupe" // an open experiment has this title
	ConfirmWrong   Code = "confirm_wrong"
)

// Codes lists every code, so that a test can check that each has an HTTP status.
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

// Error is an error with a message that can be shown to people.
type Error struct {
	Code    Code
	Message string
	Details []Detail
	// RetryAfter is the delay before a retry; 0 if unknown.
	RetryAfter time.Time
}

// Detail is an invalid field and the reason. It contains the value only if that misspells an allowed one.
type Detail struct {
	Field  string `json:"field" doc:"Location of the problem: a JSON path, a query parameter or a line of a file"`
	Reason string `json:"reason" doc:"Human-readable problem"`
}

func (e *Error) Error() string { return e.Message }

// New returns an Error. The message is shown to people: no internals, no secrets.
func New(code Code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of the Error in err's chain, or Internal if there is none.
func CodeOf(err error) Code {
	if p, ok := errors.AsType[*Error](err); ok {
		return p.Code
	}
	return Internal
}

// ErrNoRoom means that storage is full and nothing was changed. It is not an Error because the caller did
// not cause it and flows retry it.
var ErrNoRoom = errors.New("storage is full")

// ErrAway means that the database is unavailable. The outcome of the last statement may be unknown. It is
// not an Error either.
var ErrAway = errors.New("the database is unavailable")

// Known reports whether a word is a code. Failures cross Temporal as words.
func Known(word string) bool { return slices.Contains(Codes, Code(word)) }

// ClientError is an error reported by a page. ID is the reference shown to the person.
type ClientError struct {
	ID, Path, Message, Stack string
	CreatedAt                time.Time
}
