// Package contract makes requests out of an OpenAPI document, right ones and wrong ones, and
// holds what is answered against the same document. Only tests may use it.
package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Contract is a document, as far as requests and answers go by it.
type Contract struct {
	Operations []*Operation // by path, then by method
	schemas    map[string]*jsonschema.Schema

	mu       sync.Mutex
	resolved map[*jsonschema.Schema]*jsonschema.Resolved
}

// Operation is one of its calls.
type Operation struct {
	ID           string              `json:"operationId"`
	Method, Path string              `json:"-"`
	Parameters   []Parameter         `json:"parameters"`
	Body         *Body               `json:"requestBody"`
	Responses    map[string]Response `json:"responses"` // by status; "default" are all other failures
}

// Parameter is one of a path, a query or the headers.
type Parameter struct {
	Name     string             `json:"name"`
	In       string             `json:"in"`
	Required bool               `json:"required"`
	Schema   *jsonschema.Schema `json:"schema"`
}

// Body is what an operation is sent.
type Body struct {
	Required bool             `json:"required"`
	Content  map[string]Media `json:"content"`
}

// Response is an answer.
type Response struct {
	Content map[string]Media `json:"content"`
}

// Media is a body of one content type.
type Media struct {
	Schema *jsonschema.Schema `json:"schema"`
}

// Read reads a document as it is served.
func Read(document []byte) (*Contract, error) {
	// The library looks for what a reference names within the schema that refers to it.
	document = bytes.ReplaceAll(document, []byte("#/components/schemas/"), []byte(defs))
	var read struct {
		Paths      map[string]map[string]*Operation `json:"paths"`
		Components struct {
			Schemas map[string]*jsonschema.Schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(document, &read); err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	c := &Contract{schemas: read.Components.Schemas, resolved: map[*jsonschema.Schema]*jsonschema.Resolved{}}
	for _, path := range slices.Sorted(maps.Keys(read.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(read.Paths[path])) {
			op := read.Paths[path][method]
			op.Method, op.Path = strings.ToUpper(method), path
			c.Operations = append(c.Operations, op)
		}
	}
	return c, nil
}

const defs = "#/$defs/"

// target follows a reference.
func (c *Contract) target(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != "" {
		s = c.schemas[strings.TrimPrefix(s.Ref, defs)]
	}
	return s
}

// misfit says how a value of JSON is not what a schema asks for; nil: it is.
func (c *Contract) misfit(s *jsonschema.Schema, value any) error {
	checker, err := c.checker(s)
	if err != nil {
		return err
	}
	return checker.Validate(value)
}

// checker keeps what was made of a schema: that takes longer than to use it. A reference is kept by
// what it names.
func (c *Contract) checker(s *jsonschema.Schema) (*jsonschema.Resolved, error) {
	if s.Ref != "" {
		s = c.target(s)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.resolved[s]; known != nil {
		return known, nil
	}
	made, err := c.resolve(s)
	if err == nil {
		c.resolved[s] = made
	}
	return made, err
}

func (c *Contract) resolve(s *jsonschema.Schema) (*jsonschema.Resolved, error) {
	whole := s.CloneSchemas() // a schema has one place in the whole, and is among the others already
	if !isPlain(s) {
		whole.Defs = c.schemas
	}
	return whole.Resolve(nil)
}

// isPlain says whether a schema can name no other.
func isPlain(s *jsonschema.Schema) bool {
	return s.Items == nil && s.Properties == nil && s.AdditionalProperties == nil
}
