// Package llm calls language models; no other package uses LangChain. A model's answer is untrusted text: it
// leaves this package only if it matches the prompt's schema or, for a prompt without one, as a text of at
// most 8 kB. Callers must apply all other rules.
//
// Nothing here retries, stores a call, or logs. Every error of Ask and Write is a *model.Error, and none
// contains a key or text from a server.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/rs/xid"

	"customerzero/internal/domain/model"
)

// Models calls the configured language models. It is safe for concurrent use.
type Models struct {
	providers []*provider
	timeout   time.Duration
	writing   time.Duration // the timeout of Write
	now       func() time.Time
	transport http.RoundTripper
}

// Names lists the models; the first is the default.
func (m *Models) Names() []string {
	names := make([]string, 0, len(m.providers))
	for _, d := range m.providers {
		names = append(names, d.name)
	}
	return names
}

// Ask calls one model once; an empty name selects the default. The answer matches the prompt's schema: whole
// numbers are written as digits and fit 64 bits, and texts contain no zero byte. The call is always filled
// in. The error is always a *model.Error.
func (m *Models) Ask(ctx context.Context, q model.Prompt, name string) (json.RawMessage, model.Call, error) {
	call := m.begin(q, name)
	answer, failure := m.complete(ctx, q, nil, m.timeout, &call)
	return answer, call, m.end(&call, failure)
}

func (m *Models) begin(q model.Prompt, name string) model.Call {
	if name == "" && len(m.providers) > 0 {
		name = m.providers[0].name
	}
	return model.Call{
		ID: xid.New().String(), Task: q.Task, Prompt: q.Version, Model: name,
		Question: bounded(q.System + "\n\n" + q.Text), CreatedAt: m.now(),
	}
}

// end adds the result to a call.
func (m *Models) end(call *model.Call, failure *model.Error) error {
	call.TookMS = int(m.now().Sub(call.CreatedAt).Milliseconds())
	if failure != nil {
		call.Outcome, call.Detail = failure.Outcome, failure.Message
		return failure
	}
	call.Outcome = model.Answered
	return nil
}

func (m *Models) complete(ctx context.Context, q model.Prompt, pictures [][]byte, timeout time.Duration, call *model.Call) (json.RawMessage, *model.Error) {
	d, failure := m.named(call)
	if failure != nil {
		return nil, failure
	}
	schema, err := compile(q)
	if err != nil {
		return nil, &model.Error{Outcome: model.Failed, Message: "The schema of " + q.Version + " is invalid."}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	exchange := &exchange{transport: m.transport, now: m.now, noTemperature: &d.noTemperature}
	reply, err := d.complete(ctx, exchange, q, pictures, d.jsonOptions)
	d.count(call, reply, exchange)
	if err != nil {
		return nil, d.failure(ctx, exchange, err)
	}
	call.Answer = bounded(reply.text)
	answer, err := read(schema, reply.text)
	if err != nil {
		return nil, malformed("The answer of " + d.name + " is invalid: " + err.Error() + ".")
	}
	if clean := redact(string(answer), d.secret); clean != string(answer) { // the secret was written with JSON escapes
		answer, call.Answer = json.RawMessage(clean), bounded(clean)
	}
	return answer, nil
}

// named returns the provider of a call's model.
func (m *Models) named(call *model.Call) (*provider, *model.Error) {
	for _, d := range m.providers {
		if call.Model == d.name {
			return d, nil
		}
	}
	call.Model = bounded(call.Model)
	return nil, &model.Error{Outcome: model.Failed, Message: "The model is not listed in LLM_MODELS."}
}

// reviewTimeout limits a call with images.
const reviewTimeout = 20 * time.Second

// VisionModel is a model that accepts images.
type VisionModel struct {
	models *Models
	name   string
}

// VisionModel returns the named model if it accepts images.
func (m *Models) VisionModel(name string) (*VisionModel, error) {
	for _, d := range m.providers {
		if d.name != name {
			continue
		}
		return &VisionModel{models: m, name: name}, nil
	}
	return nil, errors.New("llm: VISION_MODEL must be a model of LLM_MODELS; unset it to use the built-in analysis")
}

// Review is Models.Ask with PNG images. The images are not stored with the call.
func (e *VisionModel) Review(ctx context.Context, q model.Prompt, pictures [][]byte) (json.RawMessage, model.Call, error) {
	call := e.models.begin(q, e.name)
	answer, failure := e.models.complete(ctx, q, pictures, reviewTimeout, &call)
	return answer, call, e.models.end(&call, failure)
}
