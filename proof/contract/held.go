package contract

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

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
	text, err := got.plain()
	if err != nil {
		return err
	}
	if len(said.Content) == 0 {
		if len(text) > 0 {
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
	return c.wellFormed(media.Schema, kind, text)
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

// plain is the uncompressed body.
func (a Answer) plain() ([]byte, error) {
	if a.Header.Get("Content-Encoding") != "gzip" {
		return a.Body, nil
	}
	packed, err := gzip.NewReader(bytes.NewReader(a.Body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(packed)
}
