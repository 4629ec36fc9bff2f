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

// read takes a model's words for JSON of the schema, or describes what is wrong with them, in a
// few words for people. One code fence around the JSON is allowed, and nothing else.
func read(schema *jsonschema.Resolved, text string) (json.RawMessage, error) {
	value, err := decode(withoutFence(text))
	if err != nil {
		return nil, errors.New("it is not JSON, or not JSON alone")
	}
	value, err = normalize(value)
	if err != nil {
		return nil, err
	}
	answer, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var plain any // the library knows numbers as floats only
	if err := json.Unmarshal(answer, &plain); err != nil {
		return nil, err
	}
	if schema.Validate(plain) != nil {
		return nil, errors.New("its JSON has another form than the one asked for")
	}
	return answer, nil
}

// decode reads one JSON value and no more, with its numbers as they are written.
func decode(text string) (value any, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is more after it")
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

// normalize takes from a value what is JSON, and yet trips who reads it: a whole number may be
// written 25.0 or 1e2, and be beyond every integer; a text may hold a zero byte, which
// PostgreSQL does not keep.
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

// number writes whole numbers as digits, and refuses what 64 bits do not hold.
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

// compile returns no loader: a schema stands alone, and fetches neither files nor pages.
func compile(q model.Prompt) (*jsonschema.Resolved, error) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(q.Schema, &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
}

// failure returns why there is no answer. It goes by what the exchange noted, never by the
// library's words: those may repeat what the server said.
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
func (d *provider) refusal(exchange *exchange) *model.Error {
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
