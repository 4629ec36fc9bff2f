package contract

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const document = `{"openapi":"3.1.0","paths":{"/things/{id}":{"put":{"operationId":"putThing",
	"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string","maxLength":5}},
		{"name":"limit","in":"query","schema":{"type":"integer","minimum":1,"maximum":9}}],
	"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}},
	"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}},"304":{},
		"201":{"content":{"image/png":{"schema":{"type":"string"}}}},
		"default":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Problem"}}}}}}}},
"components":{"schemas":{
	"Thing":{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string","minLength":2,"maxLength":4},
		"size":{"type":"integer","minimum":1,"maximum":3},"parts":{"type":"array","maxItems":2,"items":{"$ref":"#/components/schemas/Thing"}},"kind":{"enum":["a","b"],"type":"string"}}},
	"Problem":{"type":"object","required":["error"],"properties":{"error":{"type":"string"}}}}}}`

func putThing(t *testing.T) (*Contract, *Operation) {
	c, err := Read([]byte(document))
	require.NoError(t, err)
	require.Len(t, c.Operations, 1)
	require.Equal(t, "PUT /things/{id}", c.Operations[0].Method+" "+c.Operations[0].Path)
	return c, c.Operations[0]
}

func TestResponsesAreCheckedAgainstTheContract(t *testing.T) {
	t.Parallel()
	c, op := putThing(t)
	for name, tt := range map[string]struct {
		status           int
		kind, body, want string // want is empty for a valid response
		wrong            string
		astray           bool
	}{
		"valid":                          {status: 200, kind: jsonType, body: `{"name":"abc","parts":[{"name":"de"}]}`},
		"with a charset":                 {status: 200, kind: jsonType + "; charset=utf-8", body: `{"name":"abc"}`},
		"a failure":                      {status: 409, kind: jsonType, body: `{"error":"taken"}`},
		"a response without a body":      {status: 304},
		"a picture":                      {status: 201, kind: "image/png", body: "\x89PNG"},
		"an invalid request refused":     {status: 422, kind: jsonType, body: `{"error":"no"}`, wrong: "all of it"},
		"invalid, for another operation": {status: 200, kind: jsonType, body: `{"name":"abc"}`, wrong: "its path", astray: true},
		"an undeclared status":           {status: 202, kind: jsonType, body: `{"name":"abc"}`, want: "202 is not in the contract"},
		"a redirect":                     {status: 301, want: "301 is not in the contract"},
		"another content type":           {status: 200, kind: "text/html", body: `{"name":"abc"}`, want: "text/html is not in the contract"},
		"no content type":                {status: 200, body: `{"name":"abc"}`, want: "its content type"},
		"incomplete":                     {status: 200, kind: jsonType, body: `{"name":"a`, want: "not JSON"},
		"two values":                     {status: 200, kind: jsonType, body: `{"name":"abc"}{}`, want: "more than one JSON value"},
		"a field too many":               {status: 200, kind: jsonType, body: `{"name":"abc","more":1}`, want: "more"},
		"a field too few":                {status: 200, kind: jsonType, body: `{}`, want: "name"},
		"a field too few, further down":  {status: 200, kind: jsonType, body: `{"name":"abc","parts":[{}]}`, want: "name"},
		"null":                           {status: 200, kind: jsonType, body: `null`, want: "type"},
		"an undeclared failure body":     {status: 500, kind: jsonType, body: `{"oops":1}`, want: "error"},
		"a body where there is none":     {status: 304, kind: jsonType, body: `{}`, want: "does not allow"},
		"an invalid request accepted":    {status: 200, kind: jsonType, body: `{"name":"abc"}`, wrong: "limit does not fit", want: "accepted, although limit does not fit"},
	} {
		got := Answer{Status: tt.status, Header: http.Header{}, Body: []byte(tt.body)}
		if tt.kind != "" {
			got.Header.Set("Content-Type", tt.kind)
		}
		err := c.Breach(op, Request{Wrong: tt.wrong, Astray: tt.astray}, got)
		if tt.want == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, tt.want, name)
	}
}

func TestInvalidRequestsAreMarked(t *testing.T) {
	t.Parallel()
	c, op := putThing(t)
	like := Example{Path: map[string]string{"id": "abc"}, Query: url.Values{}, Body: `{"name":"abc","size":2}`}
	maker := &Maker{Chance: rand.New(rand.NewPCG(1, 2)), Contract: c, Words: []string{"ab", "abcd", "abcdef"}}
	right, wrong := 0, map[string]int{}
	for range 3000 {
		r := maker.Request(op, like)
		if r.Wrong == "" {
			right++
			continue
		}
		wrong[strings.SplitN(r.Wrong, ":", 2)[0]]++
	}
	require.Greater(t, right, 300, "there are enough of both kinds")
	for _, kind := range []string{"its body does not fit", "its body is not JSON", "it has no body", "limit does not fit", "id does not fit", "it is text/plain"} {
		require.Positive(t, wrong[kind], "%s: %v", kind, wrong)
	}
}
