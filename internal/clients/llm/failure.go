package llm

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"customerzero/internal/domain/model"
)

// failure says why there is no answer. It goes by what the exchange noted, never by the
// library's words: those may repeat what the server said.
func (d *door) failure(ctx context.Context, exchange *exchange, err error) *model.Error {
	known, ok := errors.AsType[*model.Error](err)
	broken := exchange.broken()
	switch {
	case ok:
		return known
	case exchange.status >= http.StatusMultipleChoices:
		return d.refusal(exchange)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &model.Error{Outcome: model.TimedOut, Message: d.name + " did not answer in time.", Retry: true}
	case ctx.Err() != nil:
		return &model.Error{Outcome: model.Failed, Message: d.name + " was not waited for: we stopped asking.", Retry: true}
	case errors.Is(broken, errOverlong):
		return &model.Error{Outcome: model.Overlong, Message: d.name + " answered more than we read.", Retry: true}
	case broken != nil && exchange.status == 0:
		return &model.Error{Outcome: model.Failed, Message: d.name + " cannot be reached. Check that its server runs, and " + d.where + ".", Retry: true}
	case broken != nil:
		return &model.Error{Outcome: model.Failed, Message: "The connection to " + d.name + " was lost in the middle of its answer.", Retry: true}
	default:
		return malformed("The reply from the server of " + d.name + " cannot be read. If that stays so, check " + d.where + ".")
	}
}

// refusal reads a status that is no success.
func (d *door) refusal(exchange *exchange) *model.Error {
	failed := &model.Error{Outcome: model.Failed, RetryAfter: exchange.retryAfter}
	switch status := exchange.status; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		failed.Outcome = model.Forbidden
		failed.Message = "The server of " + d.name + " does not let us in. A founder has to check " + d.key + "."
	case status == http.StatusPaymentRequired:
		failed.Outcome = model.OutOfQuota
		failed.Message = "There is no credit left for " + d.name + "."
	case status == http.StatusTooManyRequests:
		failed.Outcome, failed.Retry = model.OutOfQuota, true
		failed.Message = "The server of " + d.name + " wants fewer calls, or has no credit left for us."
	case status == http.StatusNotFound:
		failed.Message = "The server does not know " + d.name + ". A founder has to check LLM_MODELS and " + d.where + "."
	case status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		failed.Retry = true
		failed.Message = "The server of " + d.name + " failed (status " + strconv.Itoa(status) + ")."
	case status < http.StatusBadRequest:
		failed.Message = "The server of " + d.name + " is somewhere else. A founder has to check " + d.where + "."
	default:
		failed.Message = "The server of " + d.name + " does not take our question (status " + strconv.Itoa(status) + ")."
	}
	return failed
}

func malformed(message string) *model.Error {
	return &model.Error{Outcome: model.Malformed, Message: message, Retry: true}
}
