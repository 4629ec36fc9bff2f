package llm

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"customerzero/internal/domain/model"
)

// lookingTimeout is how long a model may take to look at pictures.
const lookingTimeout = 20 * time.Second

// Eyes is one model that sees pictures.
type Eyes struct {
	models *Models
	name   string
}

// Eyes gives the model of this name as one that sees. Not every one does.
func (m *Models) Eyes(name string) (*Eyes, error) {
	for _, d := range m.doors {
		if d.name != name {
			continue
		}
		if d.sees == nil {
			return nil, errors.New("llm: the model of VISION_MODEL sees no pictures; leave it out for the built-in analysis")
		}
		return &Eyes{models: m, name: name}, nil
	}
	return nil, errors.New("llm: VISION_MODEL is not in LLM_MODELS")
}

// LookAt asks a question about PNGs, once; see Models.Ask. The pictures are not kept with the
// call.
func (e *Eyes) LookAt(ctx context.Context, q model.Question, pictures [][]byte) (json.RawMessage, model.Call, error) {
	call := e.models.begin(q, e.name)
	answer, failure := e.models.ask(ctx, q, pictures, lookingTimeout, &call)
	return answer, call, e.models.end(&call, failure)
}
