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

// RejectNonUTF8 lets no operation see an address that holds what is no text: PostgreSQL takes neither
// zero bytes nor what is not UTF-8, and no row has such a name.
func RejectNonUTF8(contract huma.API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		address := ctx.URL()
		switch {
		case !isText(address.Path):
			_ = huma.WriteErr(contract, ctx, http.StatusNotFound, "There is nothing here.") // the client has gone
		case !isTexts(address.Query()):
			_ = huma.WriteErr(contract, ctx, http.StatusUnprocessableEntity, "", &huma.ErrorDetail{
				Location: "query", Message: "holds what is no text",
			})
		default:
			next(ctx)
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
