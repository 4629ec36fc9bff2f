package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// StrictJSON refuses what the standard decoder lets pass: the same field twice, of which
// it would take the last, text that is not UTF-8, which it would alter, and zero bytes, which
// PostgreSQL does not keep.
var StrictJSON = huma.Format{
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
		return checkTexts(data)
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

// checkTexts looks at every text for a zero byte. JSON has one way to write it, so that a body
// without that is not read twice.
func checkTexts(data []byte) error {
	if !bytes.Contains(data, []byte(`\u0000`)) {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(data))
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if token.Kind() == '"' && strings.Contains(token.String(), "\x00") {
			return fmt.Errorf("a text holds a zero byte, before byte %d", decoder.InputOffset())
		}
	}
}
