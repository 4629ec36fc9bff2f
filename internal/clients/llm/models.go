// Package llm asks language models, and is the only one that knows LangChain. Whatever a
// model says is text from a stranger: what leaves this package has the form of the
// question's schema or, of a question without one, is a text of at most 8 kB; nothing more is
// promised about it. What is done with it is for the rules.
//
// Nothing here asks again after a failure, keeps a call, or logs. Every error of Ask and Write is
// a *model.Error, and none holds a key or a word of what a server said.
package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/rs/xid"

	"customerzero/internal/domain/model"
)

// Models are the language models that may be asked. It is safe for concurrent use.
type Models struct {
	providers []*provider // at least one
	writers   []*provider // providers, and those that only write texts
	timeout   time.Duration
	writing   time.Duration // the timeout of a text
	now       func() time.Time
	transport http.RoundTripper
}

// Names lists the models, the one first that is asked where nobody describes which.
func (m *Models) Names() []string { return namesOf(m.providers) }

// Writers lists the models that write texts, the one first that is asked where nobody says
// which. Beside the built-in model stands a second one, so that there is something to
// compare without a key.
func (m *Models) Writers() []string { return namesOf(m.writers) }

func namesOf(providers []*provider) []string {
	names := make([]string, 0, len(providers))
	for _, d := range providers {
		names = append(names, d.name)
	}
	return names
}

// Ask asks one model, the first where the name is empty, once. The answer has the form of
// the question's schema: whole numbers are written as digits and fit 64 bits, no text holds
// a zero byte. The call is filled in any case. The error is always a *model.Error.
func (m *Models) Ask(ctx context.Context, q model.Prompt, name string) (json.RawMessage, model.Call, error) {
	call := m.begin(q, name)
	answer, failure := m.ask(ctx, q, nil, m.timeout, &call)
	return answer, call, m.end(&call, failure)
}

func (m *Models) begin(q model.Prompt, name string) model.Call {
	return model.Call{
		ID: xid.New().String(), Task: q.Task, Prompt: q.Version, Model: cmp.Or(name, m.providers[0].name),
		Question: bounded(q.System + "\n\n" + q.Text), CreatedAt: m.now(),
	}
}

// end fills in what came of a call.
func (m *Models) end(call *model.Call, failure *model.Error) error {
	call.TookMS = int(m.now().Sub(call.CreatedAt).Milliseconds())
	if failure != nil {
		call.Outcome, call.Detail = failure.Outcome, failure.Message
		return failure
	}
	call.Outcome = model.Answered
	return nil
}

func (m *Models) ask(ctx context.Context, q model.Prompt, pictures [][]byte, within time.Duration, call *model.Call) (json.RawMessage, *model.Error) {
	d, failure := named(m.providers, call)
	if failure != nil {
		return nil, failure
	}
	schema, err := compile(q)
	if err != nil {
		return nil, &model.Error{Outcome: model.Failed, Message: "The schema of " + q.Version + " cannot be used."}
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	exchange := &exchange{transport: m.transport, now: m.now}
	said, err := d.ask(ctx, exchange, q, pictures, d.forms)
	d.count(call, said, exchange)
	if err != nil {
		return nil, d.failure(ctx, exchange, err)
	}
	call.Answer = bounded(said.text)
	answer, err := read(schema, said.text)
	if err != nil {
		return nil, malformed(d.name + " did not answer as asked: " + err.Error() + ".")
	}
	if clean := redact(string(answer), d.secret); clean != string(answer) { // it was written with escapes
		answer, call.Answer = json.RawMessage(clean), bounded(clean)
	}
	return answer, nil
}

// named finds the provider of the model that a call names.
func named(providers []*provider, call *model.Call) (*provider, *model.Error) {
	for _, d := range providers {
		if call.Model == d.name || call.Model == builtin && d.name == builtinName {
			call.Model = d.name
			return d, nil
		}
	}
	call.Model = bounded(call.Model)
	return nil, &model.Error{Outcome: model.Failed, Message: "This model is not in LLM_MODELS."}
}

// reviewTimeout is how long a model may take to look at pictures.
const reviewTimeout = 20 * time.Second

// VisionModel is a model that accepts pictures.
type VisionModel struct {
	models *Models
	name   string
}

// VisionModel returns the model of this name if it accepts pictures.
func (m *Models) VisionModel(name string) (*VisionModel, error) {
	for _, d := range m.providers {
		if d.name != name {
			continue
		}
		if d.sees == nil {
			return nil, errors.New("llm: the model of VISION_MODEL sees no pictures; leave it out for the built-in analysis")
		}
		return &VisionModel{models: m, name: name}, nil
	}
	return nil, errors.New("llm: VISION_MODEL is not in LLM_MODELS")
}

// Review asks a question about PNGs, once; see Models.Ask. The pictures are not kept with the
// call.
func (e *VisionModel) Review(ctx context.Context, q model.Prompt, pictures [][]byte) (json.RawMessage, model.Call, error) {
	call := e.models.begin(q, e.name)
	answer, failure := e.models.ask(ctx, q, pictures, reviewTimeout, &call)
	return answer, call, e.models.end(&call, failure)
}
