// Package contract makes valid and invalid requests from an OpenAPI document and checks the responses against the same
// document. It is for tests only.
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

// Contract is the part of an OpenAPI document that describes requests and responses.
type Contract struct {
	Operations []*Operation // by path, then by method
	schemas    map[string]*jsonschema.Schema

	mu       sync.Mutex
	resolved map[*jsonschema.Schema]*jsonschema.Resolved
}

// Operation is one operation of the contract.
type Operation struct {
	ID           string              `json:"operationId"`
	Method, Path string              `json:"-"`
	Parameters   []Parameter         `json:"parameters"`
	Body         *Body               `json:"requestBody"`
	Responses    map[string]Response `json:"responses"` // by status; "default" is for all other failures
}

// Parameter is a parameter of the path, the query or a header.
type Parameter struct {
	Name     string             `json:"name"`
	In       string             `json:"in"`
	Required bool               `json:"required"`
	Schema   *jsonschema.Schema `json:"schema"`
}

// Body describes the request body of an operation.
type Body struct {
	Required bool             `json:"required"`
	Content  map[string]Media `json:"content"`
}

// Response describes a response.
type Response struct {
	Content map[string]Media `json:"content"`
}

// Media describes a body of one content type.
type Media struct {
	Schema *jsonschema.Schema `json:"schema"`
}

// Read parses an OpenAPI document in JSON.
func Read(document []byte) (*Contract, error) {
	// The library resolves references within the schema that contains them.
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

// target follows references.
func (c *Contract) target(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != "" {
		s = c.schemas[strings.TrimPrefix(s.Ref, defs)]
	}
	return s
}

// misfit returns why a JSON value does not fit a schema, or nil.
func (c *Contract) misfit(s *jsonschema.Schema, value any) error {
	checker, err := c.checker(s)
	if err != nil {
		return err
	}
	return checker.Validate(value)
}

// checker caches resolved schemas, because resolving takes longer than validating.
func (c *Contract) checker(s *jsonschema.Schema) (*jsonschema.Resolved, error) {
	s = c.target(s)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.resolved[s]; known != nil {
		return known, nil
	}
	whole := s.CloneSchemas() // the library allows a schema in one place only, and it is in c.schemas already
	whole.Defs = c.schemas
	made, err := whole.Resolve(nil)
	if err == nil {
		c.resolved[s] = made
	}
	return made, err
}
