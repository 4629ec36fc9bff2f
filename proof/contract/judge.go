package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// judge marks a request as wrong if a parameter does not fit its schema. An empty value counts as omitted, and a parameter of
// a type that servers accept in many spellings is not judged.
func (m *Maker) judge(r *Request, p Parameter, value string) {
	if value == "" {
		return
	}
	schema := m.Contract.target(p.Schema)
	var read any = value
	var err error
	switch kindOf(schema) {
	case "integer":
		read, err = strconv.ParseInt(value, 10, 64)
	case "boolean":
		read, err = strconv.ParseBool(value)
	case "string":
		if !isOf(schema.Format, value) {
			r.wrong(p.Name + " has another format")
		}
	default:
		return
	}
	if err == nil {
		err = m.Contract.misfit(p.Schema, read)
	}
	if err != nil {
		r.wrong(p.Name + " does not fit")
	}
}

func (m *Maker) judgeJSON(r *Request, schema *jsonschema.Schema, text []byte) {
	if len(text) == 0 {
		return
	}
	var value any
	if json.Unmarshal(text, &value) != nil {
		r.wrong("its body is not JSON")
		return
	}
	if err := m.Contract.misfit(schema, withoutNulls(value)); err != nil {
		r.wrong("its body does not fit: " + err.Error())
	}
}

// withoutNulls drops fields that are null: servers accept null for an omitted field, and no schema mentions it.
func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if inner == nil {
				delete(value, name)
			} else {
				value[name] = withoutNulls(inner)
			}
		}
	case []any:
		for i, inner := range value {
			value[i] = withoutNulls(inner)
		}
	}
	return value
}

// isOf reports whether a text has a format. Formats that the contract does not use allow every text.
func isOf(format, text string) bool {
	var err error
	switch format {
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	}
	return err == nil
}

// Answer is a response that was received.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Breach returns how a response violates the contract, or nil.
func (c *Contract) Breach(op *Operation, sent Request, got Answer) error {
	if sent.Wrong != "" && !sent.Astray && got.Status < http.StatusBadRequest {
		return fmt.Errorf("it was accepted, although %s", sent.Wrong)
	}
	said, named := op.Responses[strconv.Itoa(got.Status)]
	if !named && got.Status >= http.StatusBadRequest {
		said, named = op.Responses["default"]
	}
	if !named {
		return fmt.Errorf("the status %d is not in the contract", got.Status)
	}
	return c.content(said, got)
}

func (c *Contract) content(said Response, got Answer) error {
	if len(said.Content) == 0 {
		if len(got.Body) > 0 {
			return errors.New("it has a body, which the contract does not allow")
		}
		return nil
	}
	kind, _, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("its content type: %w", err)
	}
	media, named := said.Content[kind]
	if !named {
		return fmt.Errorf("the content type %s is not in the contract", kind)
	}
	if kind != jsonType && !strings.HasSuffix(kind, "+json") {
		return nil
	}
	return c.wellFormed(media.Schema, kind, got.Body)
}

// wellFormed checks a body against its schema. Bodies of other JSON types, which others specify, need only be JSON.
func (c *Contract) wellFormed(schema *jsonschema.Schema, kind string, text []byte) error {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("it contains more than one JSON value")
	}
	if kind != jsonType {
		return nil
	}
	return c.misfit(schema, value)
}
