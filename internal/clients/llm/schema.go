package llm

import (
	"encoding/json"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"customerzero/internal/domain/model"
)

// schemas keeps what was compiled, by the version of the question.
type schemas struct {
	mu       sync.Mutex
	compiled map[string]*jsonschema.Resolved
}

func (s *schemas) of(q model.Question) (*jsonschema.Resolved, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if schema, ok := s.compiled[q.Version]; ok {
		return schema, nil
	}
	schema, err := compile(q)
	if err != nil {
		return nil, err
	}
	if s.compiled == nil {
		s.compiled = map[string]*jsonschema.Resolved{}
	}
	s.compiled[q.Version] = schema
	return schema, nil
}

// compile gives no loader: a schema stands alone, and fetches neither files nor pages.
func compile(q model.Question) (*jsonschema.Resolved, error) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(q.Schema, &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
}
