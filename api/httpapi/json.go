package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// StrictJSON rejects what the standard decoder accepts: a duplicate field, of which it keeps the last value,
// invalid UTF-8, which it alters, and zero bytes, which PostgreSQL cannot store.
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
			return errors.New(cmp.Or(wrong.Field, "a number") + " has the wrong type or is out of range")
		}
		return err
	},
}

func checkJSON(data []byte) error {
	value := jsontext.Value(data)
	if value.IsValid() {
		return checkTexts(data)
	}
	// Canonicalize reports the position; its errors quote at most a field name.
	err := value.Canonicalize()
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(e.Err, jsontext.ErrDuplicateName) {
		return errors.New("a field appears twice")
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("invalid JSON or invalid UTF-8 at byte %d", e.ByteOffset)
	}
	return errors.New("invalid JSON or invalid UTF-8")
}

// checkTexts rejects strings with a zero byte. JSON can only write it as \u0000, so a body without that
// sequence is not read twice.
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
			return fmt.Errorf("a string contains a zero byte before byte %d", decoder.InputOffset())
		}
	}
}

// RejectNonUTF8 rejects URLs with zero bytes or invalid UTF-8, which PostgreSQL cannot store. It also keeps the
// contract's schemas in the context, for the explanation of validation errors.
func RejectNonUTF8(contract huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		address := ctx.URL()
		switch {
		case !isText(address.Path):
			_ = huma.WriteErr(contract, ctx, http.StatusNotFound, NoEndpoint) // fails only if the client has left
		case !isTexts(address.Query()):
			_ = huma.WriteErr(contract, ctx, http.StatusUnprocessableEntity, "", &huma.ErrorDetail{
				Location: "query", Message: "contains a zero byte or invalid UTF-8",
			})
		default:
			next(huma.WithValue(ctx, schemasKey{}, contract.OpenAPI().Components.Schemas))
		}
	}
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

func isTexts(query url.Values) bool {
	for name, values := range query {
		if !isText(name) || !isText(strings.Join(values, "")) {
			return false
		}
	}
	return true
}
