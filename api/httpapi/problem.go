// Package httpapi holds what the features of the API share: the caller, errors, pagination, links and limits.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"customerzero/internal/domain/problem"
)

var statuses = byCode(map[int][]problem.Code{
	http.StatusBadRequest:      {problem.CredentialsConflict, problem.ServiceUnknown, problem.AmountWrong, problem.SignatureInvalid},
	http.StatusUnauthorized:    {problem.Unauthorized},
	http.StatusPaymentRequired: {problem.CreditsExhausted},
	http.StatusForbidden:       {problem.Forbidden, problem.LoginStale},
	http.StatusNotFound:        {problem.NotFound},
	http.StatusConflict: {
		problem.Conflict, problem.TextDuplicate, problem.MemberExists, problem.PostArmed, problem.PostClosed, problem.QueueEmpty,
		problem.ReviewClosed, problem.GenerationEnded, problem.ChaosRunning, problem.IncidentOpen, problem.ChaosOff, problem.TargetRefused,
		problem.VerificationRunning, problem.VotesClosed, problem.MoveRefused, problem.EditStale, problem.MetricLocked, problem.ExperimentDupe,
	},
	http.StatusRequestEntityTooLarge: {problem.TooLarge},
	http.StatusUnsupportedMediaType:  {problem.UnsupportedMedia},
	http.StatusUnprocessableEntity: {
		problem.Invalid, problem.TextEmpty, problem.TextTooLong, problem.TextInvalid, problem.DateInvalid, problem.DateAmbiguous,
		problem.DatePast, problem.DateTooFar, problem.TimezoneUnknown, problem.CSVInvalid, problem.MemberUnknown, problem.CodeWrong,
		problem.CredentialsInvalid, problem.ProviderKeysInvalid, problem.RecurringTooOften, problem.ModelUnknown, problem.FaultUnknown,
		problem.URLRefused, problem.ConfirmWrong,
	},
	http.StatusTooManyRequests:     {problem.TooMany, problem.ShareExhausted, problem.QuotaExhausted},
	http.StatusInternalServerError: {problem.Internal},
	http.StatusBadGateway:          {problem.PostFailed, problem.AnswerUnfit, problem.ModelTrouble, problem.PageUnreachable, problem.PageHeavy},
	http.StatusServiceUnavailable:  {problem.Unavailable, problem.PaymentUnavailable, problem.BrowserMissing},
	http.StatusGatewayTimeout:      {problem.PageSlow},
})

func byCode(codes map[int][]problem.Code) map[problem.Code]int {
	statuses := map[problem.Code]int{}
	for status, all := range codes {
		for _, code := range all {
			statuses[code] = status
		}
	}
	return statuses
}

// StatusOf returns the HTTP status of a problem code.
func StatusOf(code problem.Code) int { return statuses[code] }

// Problem is the body of every error response.
type Problem struct { //nolint:errname // the contract uses this name
	Success   bool             `json:"success" enum:"false" doc:"Always false"`
	Message   string           `json:"error" doc:"Human-readable message: what happened, and what to do next"`
	Code      problem.Code     `json:"code" doc:"Machine-readable error code"`
	RequestID string           `json:"request_id" doc:"ID that finds this request in the logs"`
	Details   []problem.Detail `json:"details" doc:"Problems by field; values are never repeated"`

	status     int
	retryAfter time.Time
}

func (p *Problem) Error() string { return p.Message }

func (p *Problem) GetStatus() int { return p.status }

// GetHeaders returns Retry-After if the time of the next attempt is known.
func (p *Problem) GetHeaders() http.Header {
	header := http.Header{}
	if !p.retryAfter.IsZero() {
		header.Set("Retry-After", p.retryAfter.UTC().Format(http.TimeFormat))
	}
	return header
}

func newProblem(ctx context.Context, code problem.Code, message string, details []problem.Detail) *Problem {
	if details == nil {
		details = []problem.Detail{}
	}
	return &Problem{Code: code, Message: message, RequestID: requestID(ctx), Details: details, status: statuses[code]}
}

// Messages of errors that several handlers return.
const (
	NoEndpoint       = "Not found. The API reference at /docs lists every endpoint."
	InternalError    = "Something went wrong on our end. Include the request ID if you contact us."
	ValidationFailed = "Validation failed. See `details`."
)

// Answer turns an error into a response. The message of a problem is shown to the caller; any other error
// is logged and answered with a generic 500 or 503.
func Answer(ctx context.Context, operation string, err error) error {
	if answered, ok := errors.AsType[*Problem](err); ok {
		return answered
	}
	if p, ok := errors.AsType[*problem.Error](err); ok {
		answered := newProblem(ctx, p.Code, p.Message, p.Details)
		answered.retryAfter = p.RetryAfter
		return answered
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return newProblem(ctx, problem.Unavailable, "The request timed out. Check whether it succeeded before retrying.", nil)
	}
	slog.ErrorContext(ctx, "request failed", "operation", operation, "error", err)
	if errors.Is(err, problem.ErrNoRoom) {
		return newProblem(ctx, problem.Unavailable, "Storage is full, so nothing was saved. Reads still work; try again later.", nil)
	}
	if errors.Is(err, problem.ErrAway) {
		return newProblem(ctx, problem.Unavailable, "The database is temporarily unavailable. Check whether the change was saved before retrying.", nil)
	}
	return newProblem(ctx, problem.Internal, InternalError, nil)
}

// InstallProblems makes Huma report its own errors as problems. Huma configures this through package variables,
// which must be set once, before the first operation is registered.
var InstallProblems = sync.OnceFunc(func() {
	setValidationMessages()
	huma.DefaultArrayNullable = false // our lists are empty, never null
	// Without this, Huma skips a field in another case and the JSON decoder still accepts it.
	huma.ValidateStrictCasing = true
	huma.NewErrorWithContext = func(hctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		ctx := context.Background()
		if hctx != nil {
			ctx = hctx.Context()
		}
		p := newProblem(ctx, codeOf(status), sentenceOf(status, message), detailsOf(hctx, errs))
		p.status = status
		return p
	}
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return huma.NewErrorWithContext(nil, status, message, errs...)
	}
})

func setValidationMessages() {
	validation.MsgUnexpectedProperty = "unknown field"
	validation.MsgExpectedOneOf = oneOf + "%s"
	validation.MsgExpectedRequiredProperty = "%s is required"
	validation.MsgExpectedString = "must be a string"
	validation.MsgExpectedBoolean = "must be true or false"
	validation.MsgExpectedInteger = "must be an integer"
	validation.MsgExpectedNumber = "must be a number"
	validation.MsgExpectedArray = "must be an array"
	validation.MsgExpectedObject = "must be an object"
	validation.MsgExpectedMinimumNumber = "must be at least %v"
	validation.MsgExpectedMaximumNumber = "must be at most %v"
	validation.MsgExpectedMinLength = "must have at least %d characters"
	validation.MsgExpectedMaxLength = "must have at most %d characters"
	validation.MsgExpectedMinItems = "must have at least %d items"
	validation.MsgExpectedMaxItems = "must have at most %d items"
	validation.MsgExpectedBePattern = "must be %s"
	validation.MsgExpectedMatchPattern = "must match the pattern %s"
	validation.MsgExpectedRFC3339DateTime = "must be an RFC 3339 time, like 2026-12-31T09:00:00Z"
}

func codeOf(status int) problem.Code {
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return problem.NotFound
	case http.StatusRequestEntityTooLarge:
		return problem.TooLarge
	case http.StatusUnsupportedMediaType:
		return problem.UnsupportedMedia
	case http.StatusForbidden:
		return problem.Forbidden
	}
	if status >= http.StatusInternalServerError {
		return problem.Internal
	}
	return problem.Invalid
}

func sentenceOf(status int, message string) string {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return "The request body is too large, so nothing was changed. Send less at once."
	case http.StatusUnsupportedMediaType:
		return "Unsupported content type. Send the body as application/json."
	case http.StatusUnprocessableEntity:
		return ValidationFailed
	case http.StatusBadRequest:
		return "Malformed request. See `details`."
	case http.StatusRequestTimeout:
		return "The request body arrived too slowly, so nothing was changed. Try again."
	}
	return message
}

// mostDetails bounds a reply: a body may be wrong in thousands of places.
const mostDetails = 20

// detailsOf keeps the location and the reason of each error, and drops the value, which may be a secret. The
// known fields are listed once.
func detailsOf(hctx huma.Context, errs []error) []problem.Detail {
	errs = errs[:min(len(errs), mostDetails)]
	details, listed := make([]problem.Detail, 0, len(errs)), false
	for _, err := range errs {
		d, ok := err.(huma.ErrorDetailer)
		if !ok {
			details = append(details, problem.Detail{Field: "body", Reason: err.Error()})
			continue
		}
		wrong, reason := d.ErrorDetail(), ""
		reason, listed = explain(hctx, wrong, listed)
		details = append(details, problem.Detail{Field: Clip(wrong.Location), Reason: reason})
	}
	return details
}
