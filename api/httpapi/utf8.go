package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

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
