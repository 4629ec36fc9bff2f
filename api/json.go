package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// strictJSON refuses what the standard decoder lets pass: the same field twice, of which
// it would take the last, and text that is not UTF-8, which it would alter.
var strictJSON = huma.Format{
	Marshal: func(w io.Writer, v any) error {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(v)
	},
	Unmarshal: func(data []byte, v any) error {
		if err := checkJSON(data); err != nil {
			return err
		}
		err := json.Unmarshal(data, v)
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its text repeats the value
			return fmt.Errorf("a value in it does not fit: %s", cmp.Or(wrong.Field, "a number is too large"))
		}
		return err
	},
}

func checkJSON(data []byte) error {
	value := jsontext.Value(data)
	if value.IsValid() {
		return nil
	}
	// Canonical errors name the place; they quote at most the name of a field.
	err := value.Canonicalize()
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(e.Err, jsontext.ErrDuplicateName) {
		return errors.New("a field stands there twice")
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("not JSON in UTF-8, at byte %d", e.ByteOffset)
	}
	return errors.New("not JSON in UTF-8")
}
