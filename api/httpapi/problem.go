// Package httpapi is what the features of the API share: who calls, what is refused and how, pages of
// lists, links and limits.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"customerzero/internal/domain/problem"
)

// statuses is the one table from what went wrong to an HTTP status.
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

// StatusOf is the HTTP status that a problem is answered with.
func StatusOf(code problem.Code) int { return statuses[code] }

// Problem is the one shape of every error.
type Problem struct { //nolint:errname // the contract's name for it
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

// GetHeaders says when to try again, where that is known.
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

// Answer turns a failure into a response. Only problems speak to people; anything else
// is logged, and answered with a bare 500.
func Answer(ctx context.Context, operation string, err error) error {
	if said, ok := errors.AsType[*Problem](err); ok {
		return said
	}
	if p, ok := errors.AsType[*problem.Error](err); ok {
		said := newProblem(ctx, p.Code, p.Message, p.Details)
		said.retryAfter = p.RetryAfter
		return said
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return newProblem(ctx, problem.Unavailable, "That took too long. Look whether it happened before you try again.", nil)
	}
	slog.ErrorContext(ctx, "request failed", "operation", operation, "error", err)
	if errors.Is(err, problem.ErrNoRoom) {
		return newProblem(ctx, problem.Unavailable, "Nothing can be stored at the moment, so this was not done. Reading works; try again later.", nil)
	}
	if errors.Is(err, problem.ErrAway) {
		return newProblem(ctx, problem.Unavailable, "The database is away for the moment. Look whether it happened before you try again.", nil)
	}
	return newProblem(ctx, problem.Internal, "Something went wrong on our side. The request id finds it in our logs.", nil)
}

// InstallProblems makes the errors that Huma itself finds speak the same language. Huma
// keeps its manners in variables of its own, which may be set only once, before it is used.
var InstallProblems = sync.OnceFunc(func() {
	huma.DefaultArrayNullable = false // our lists are empty, never null
	// Else a second spelling of a field is not looked at, and the decoder takes it for the first.
	huma.ValidateStrictCasing = true
	huma.NewErrorWithContext = func(hctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		ctx := context.Background()
		if hctx != nil {
			ctx = hctx.Context()
		}
		p := newProblem(ctx, codeOf(status), sentenceOf(status, message), detailsOf(errs))
		p.status = status
		return p
	}
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return huma.NewErrorWithContext(nil, status, message, errs...)
	}
})

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
		return "The request is too large."
	case http.StatusUnsupportedMediaType:
		return "The request has a content type that is not taken here."
	case http.StatusUnprocessableEntity:
		return "The request does not fit: see details."
	case http.StatusBadRequest:
		return "The request cannot be read: see details."
	case http.StatusRequestTimeout:
		return "The request came too slowly."
	}
	return message
}

// mostDetails is what a person can put right. A body may be wrong in thousands of places, each named
// by a key of its own: what is answered must not grow with it.
const mostDetails = 20

// detailsOf keeps where and why, and drops the values, which may be secret.
func detailsOf(errs []error) []problem.Detail {
	errs = errs[:min(len(errs), mostDetails)]
	details := make([]problem.Detail, 0, len(errs))
	for _, err := range errs {
		if d, ok := err.(huma.ErrorDetailer); ok {
			said := d.ErrorDetail()
			details = append(details, problem.Detail{Field: Clip(said.Location), Reason: said.Message})
			continue
		}
		details = append(details, problem.Detail{Field: "body", Reason: err.Error()})
	}
	return details
}
