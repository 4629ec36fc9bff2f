package api

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// answersWith says in the contract that an operation answers with something else than JSON.
func answersWith(kind, about string, others ...string) map[string]*huma.Response {
	said := &huma.Response{Description: about, Content: map[string]*huma.MediaType{}}
	for _, one := range append(others, kind) {
		said.Content[one] = &huma.MediaType{Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return map[string]*huma.Response{"200": said}
}

// also says in the contract that an operation gives its answer under another status, too.
func also(status int, about string) map[string]*huma.Response {
	return map[string]*huma.Response{strconv.Itoa(status): {Description: about}}
}

// takeOut keeps what was said with also from the library, which would take it for all that
// can go wrong.
func takeOut(op *huma.Operation) (more map[string]*huma.Response) {
	more = map[string]*huma.Response{}
	whole := map[string]*huma.Response{}
	for status, said := range op.Responses {
		if said.Content == nil {
			more[status] = said
		} else {
			whole[status] = said
		}
	}
	op.Responses = whole
	return more
}

// complete adds to the contract the answers that the library does not know of.
func complete(op huma.Operation, more map[string]*huma.Response) {
	usual := op.Responses[strconv.Itoa(cmp.Or(op.DefaultStatus, http.StatusOK))]
	for status, said := range more {
		said.Content = usual.Content
		op.Responses[status] = said
	}
	how, listed := keeping[routeName(op.Method, op.Path)]
	if _, asked := usual.Headers["ETag"]; asked || listed && how != never && how != itself {
		op.Responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "What you have is still so: it was named in If-None-Match"}
	}
}
