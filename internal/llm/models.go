package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/rs/xid"

	"customerzero/internal/model"
)

// Models are the language models that may be asked. It is safe for concurrent use.
type Models struct {
	doors     []*door // at least one
	timeout   time.Duration
	now       func() time.Time
	transport http.RoundTripper
	schemas   schemas
}

// Names lists the models, the one first that is asked where nobody says which.
func (m *Models) Names() []string {
	names := make([]string, 0, len(m.doors))
	for _, d := range m.doors {
		names = append(names, d.name)
	}
	return names
}

// Ask asks one model, the first where the name is empty, once. The answer has the form of
// the question's schema: whole numbers are written as digits and fit 64 bits, no text holds
// a zero byte. The call is filled in any case. The error is always a *model.Error.
func (m *Models) Ask(ctx context.Context, q model.Question, name string) (json.RawMessage, model.Call, error) {
	begun := m.now()
	call := model.Call{
		ID: xid.New().String(), Task: q.Task, Prompt: q.Version, Model: cmp.Or(name, m.doors[0].name),
		Question: bounded(q.System + "\n\n" + q.Text), CreatedAt: begun,
	}
	answer, failure := m.ask(ctx, q, &call)
	call.TookMS = int(m.now().Sub(begun).Milliseconds())
	if failure != nil {
		call.Outcome, call.Detail = failure.Outcome, failure.Message
		return nil, call, failure
	}
	call.Outcome = model.Answered
	return answer, call, nil
}

func (m *Models) ask(ctx context.Context, q model.Question, call *model.Call) (json.RawMessage, *model.Error) {
	d := m.door(call.Model)
	if d == nil {
		call.Model = bounded(call.Model)
		return nil, &model.Error{Outcome: model.Failed, Message: "This model is not in LLM_MODELS."}
	}
	call.Model = d.name
	schema, err := m.schemas.of(q)
	if err != nil {
		return nil, &model.Error{Outcome: model.Failed, Message: "The schema of " + q.Version + " cannot be used."}
	}
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	exchange := &exchange{transport: m.transport, now: m.now}
	said, err := d.ask(ctx, exchange, q)
	d.count(call, said, exchange)
	if err != nil {
		return nil, d.failure(ctx, exchange, err)
	}
	call.Answer = bounded(said.text)
	answer, err := read(schema, said.text)
	if err != nil {
		return nil, malformed(d.name + " did not answer as asked: " + err.Error() + ".")
	}
	return answer, nil
}

func (m *Models) door(name string) *door {
	for _, d := range m.doors {
		if name == d.name || name == builtin && d.name == builtinName {
			return d
		}
	}
	return nil
}
