package llm

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"customerzero/internal/domain/model"
)

const fence = "```"

// read parses a model's answer as JSON that matches the schema. Its errors are short sentences for users. The
// JSON may be inside one code fence; any other text around it is an error.
func read(schema *jsonschema.Resolved, text string) (json.RawMessage, error) {
	value, err := decode(withoutFence(text))
	if err != nil {
		return nil, errors.New("it is not a single JSON value")
	}
	value, err = normalize(value)
	if err != nil {
		return nil, err
	}
	answer, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var plain any // the library supports numbers as floats only
	if err := json.Unmarshal(answer, &plain); err != nil {
		return nil, err
	}
	if schema.Validate(plain) != nil {
		return nil, errors.New("its JSON does not match the requested schema")
	}
	return answer, nil
}

// decode reads exactly one JSON value and keeps numbers as written.
func decode(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("trailing data")
	}
	return value, nil
}

func withoutFence(text string) string {
	text = strings.TrimSpace(text)
	first, rest, lines := strings.Cut(text, "\n")
	language, begun := strings.CutPrefix(strings.TrimSpace(first), fence)
	inner, ended := strings.CutSuffix(rest, fence)
	if !lines || !begun || !ended || language != "" && !strings.EqualFold(language, "json") {
		return text
	}
	return inner
}

// normalize removes what is valid JSON and still breaks readers: whole numbers written as 25.0 or 1e2,
// numbers beyond 64 bits, and zero bytes, which PostgreSQL does not store.
func normalize(value any) (any, error) {
	var err error
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if value[key], err = normalize(inner); err != nil {
				return nil, err
			}
		}
	case []any:
		for i, inner := range value {
			if value[i], err = normalize(inner); err != nil {
				return nil, err
			}
		}
	case string:
		return strings.ReplaceAll(value, "\x00", ""), nil
	case json.Number:
		return number(value)
	}
	return value, nil
}

// number writes whole numbers as digits and rejects those beyond 64 bits.
func number(n json.Number) (json.Number, error) {
	if whole, err := n.Int64(); err == nil {
		return json.Number(strconv.FormatInt(whole, 10)), nil
	}
	float, err := n.Float64()
	if err != nil || math.Abs(float) >= 1<<53 {
		return "", errors.New("it holds a number that is too large")
	}
	if float == math.Trunc(float) {
		return json.Number(strconv.FormatInt(int64(float), 10)), nil
	}
	return n, nil
}

// compile resolves a schema without a loader, so that it cannot refer to files or URLs.
func compile(q model.Prompt) (*jsonschema.Resolved, error) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(q.Schema, &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
}

// failure classifies the error of a call. It uses what the exchange recorded, not the library's message,
// which may repeat the server's.
func (d *provider) failure(ctx context.Context, exchange *exchange, err error) *model.Error {
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
		return &model.Error{Outcome: model.Failed, Message: "The call of " + d.name + " was canceled.", Retry: true}
	case errors.Is(broken, errOverlong):
		return &model.Error{Outcome: model.Overlong, Message: "The answer of " + d.name + " is too long.", Retry: true}
	case broken != nil && exchange.status == 0:
		return &model.Error{Outcome: model.Failed, Message: d.name + " cannot be reached. Check that its server is running, and check " + d.urlSetting + ".", Retry: true}
	case broken != nil:
		return &model.Error{Outcome: model.Failed, Message: "The connection to " + d.name + " was lost before its answer was complete.", Retry: true}
	default:
		return malformed("The server of " + d.name + " returned an unreadable response. If this persists, check " + d.urlSetting + ".")
	}
}

// refusal classifies a status that is not a success.
func (d *provider) refusal(exchange *exchange) *model.Error {
	failed := &model.Error{Outcome: model.Failed, RetryAfter: exchange.retryAfter}
	switch status := exchange.status; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		failed.Outcome = model.Forbidden
		failed.Message = "The server of " + d.name + " rejected our credentials. A founder has to check " + d.keySetting + "."
	case status == http.StatusPaymentRequired:
		failed.Outcome = model.OutOfQuota
		failed.Message = "The account for " + d.name + " has no credit left."
	case status == http.StatusTooManyRequests:
		failed.Outcome, failed.Retry = model.OutOfQuota, true
		failed.Message = "The rate limit or the credit for " + d.name + " is exhausted."
	case status == http.StatusNotFound:
		failed.Message = "The server has no model " + d.name + ". A founder has to check LLM_MODELS and " + d.urlSetting + "."
	case status == http.StatusRequestTimeout || status >= http.StatusInternalServerError:
		failed.Retry = true
		failed.Message = "The server of " + d.name + " failed (status " + strconv.Itoa(status) + ")."
	case status < http.StatusBadRequest:
		failed.Message = "The server of " + d.name + " has moved. A founder has to check " + d.urlSetting + "."
	default:
		failed.Message = "The server of " + d.name + " rejected the request (status " + strconv.Itoa(status) + ")."
	}
	return failed
}

func malformed(message string) *model.Error {
	return &model.Error{Outcome: model.Malformed, Message: message, Retry: true}
}
