package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Example is a request that the server is known to accept.
type Example struct {
	Path        map[string]string // values of its parameters, by name
	Query       url.Values
	Body        string
	ContentType string // if empty, the first of the contract
}

// Request is a generated request.
type Request struct {
	Method, Target string
	Header         http.Header
	Body           []byte
	// Wrong names what the contract does not allow in it; it is empty for a valid request.
	Wrong string
	// Astray means that its path may belong to another operation or to none.
	Astray bool
}

// Request generates a request to the operation: valid, at the limits of what is valid, or invalid.
func (m *Maker) Request(op *Operation, like Example) Request {
	r := Request{Method: op.Method, Header: http.Header{}}
	m.address(&r, op, like)
	m.body(&r, op, like)
	for _, p := range op.Parameters {
		if p.In == "header" && !strings.EqualFold(p.Name, "Content-Type") && m.oneIn(2) {
			m.header(&r, p)
		}
	}
	for m.oneIn(5) {
		odd := pick(m, oddHeaders)
		r.Header.Add(odd.name, pick(m, odd.values))
	}
	return r
}

func (r *Request) wrong(what string) {
	if r.Wrong == "" {
		r.Wrong = what
	}
}

func (m *Maker) address(r *Request, op *Operation, like Example) {
	r.Target = op.Path
	query := url.Values{}
	for _, p := range op.Parameters {
		switch p.In {
		case "path":
			value := like.Path[p.Name]
			if m.oneIn(4) {
				value = m.raw(p)
			}
			m.judge(r, p, value)
			r.Target = strings.Replace(r.Target, "{"+p.Name+"}", url.PathEscape(value), 1)
			r.Astray = r.Astray || value == "" || value == "." || value == ".." || strings.Contains(value, "/")
		case "query":
			query[p.Name] = m.parameter(r, p, like.Query[p.Name])
		}
	}
	if m.oneIn(12) {
		query.Add(pick(m, []string{"utm_source", "debug", "a[]", "", "__proto__"}), m.anyText())
	}
	encoded := query.Encode()
	if m.oneIn(20) {
		encoded += pick(m, []string{"&", "&&=", "&%zz=%", "&x;a=b", "&x", "&%00=%00", "&" + strings.Repeat("a=b&", 900)})
	}
	if encoded != "" {
		r.Target += "?" + encoded
	}
}

// parameter generates the values of a query parameter: usually one or none.
func (m *Maker) parameter(r *Request, p Parameter, known []string) []string {
	values := slices.Clone(known)
	if len(values) == 0 && (p.Required || m.oneIn(2)) || m.oneIn(4) {
		values = []string{m.raw(p)}
	}
	switch {
	case m.oneIn(12):
		values = nil
	case m.oneIn(10):
		values = append(values, m.raw(p))
	}
	if len(values) > 0 {
		m.judge(r, p, values[0])
	} else if p.Required {
		r.wrong("it lacks " + p.Name)
	}
	return values
}

// raw generates a value of a parameter, which fits its schema two times out of three.
func (m *Maker) raw(p Parameter) string {
	if m.oneIn(3) {
		return m.anyText()
	}
	return written(m.value(p.Schema))
}

func (m *Maker) anyText() string {
	if m.oneIn(4) {
		return strings.Repeat(string(pick(m, emails)), pick(m, lengths[:len(lengths)-1]))
	}
	return written(pick(m, strange))
}

// written is a value as it appears in a URL: JSON, and a text without quotation marks.
func written(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, _ := json.Marshal(value) // it comes from JSON values
	return string(text)
}

func (m *Maker) header(r *Request, p Parameter) {
	value := strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f { // net/http rejects them
			return -1
		}
		return c
	}, m.raw(p))
	m.judge(r, p, value)
	r.Header.Set(p.Name, value)
}

func (m *Maker) body(r *Request, op *Operation, like Example) {
	if op.Body == nil {
		return
	}
	kinds := slices.Sorted(maps.Keys(op.Body.Content))
	kind := kinds[0]
	if like.ContentType != "" {
		kind = like.ContentType
	}
	schema := op.Body.Content[kinds[0]].Schema
	if schema != nil && kind == jsonType {
		r.Body = m.json(r, schema, like.Body)
	} else {
		r.Body = m.bytes(like.Body)
	}
	if m.oneIn(15) {
		kind = pick(m, []string{"text/plain", "application/xml", "multipart/form-data", "application/json; charset=utf-16", "a/b/c", ";", ""})
	}
	if media, _, _ := strings.Cut(kind, ";"); len(r.Body) > 0 && media != "" && !slices.Contains(kinds, media) {
		r.wrong("it is " + kind)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if len(r.Body) == 0 && op.Body.Required {
		r.wrong("it has no body")
	}
}

const jsonType = "application/json"

func (m *Maker) json(r *Request, schema *jsonschema.Schema, like string) []byte {
	if m.oneIn(10) {
		text := []byte(pick(m, noJSON))
		m.judgeJSON(r, schema, text)
		return text
	}
	var value any
	if like == "" || m.oneIn(2) {
		value = m.value(schema)
	} else if err := json.Unmarshal([]byte(like), &value); err != nil {
		r.wrong("the example is not JSON")
	}
	for m.oneIn(2) {
		value = m.spoiled(value)
	}
	text, err := marshalled(value)
	if err != nil {
		r.wrong("it cannot be encoded: " + err.Error())
	}
	m.judgeJSON(r, schema, text)
	return text
}

// marshalled does not escape <, as clients do not.
func marshalled(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(text.Bytes()), err
}

// bytes inserts odd values into a body that is not JSON.
func (m *Maker) bytes(like string) []byte {
	text := []byte(like)
	for m.oneIn(2) {
		at := m.Chance.IntN(len(text) + 1)
		text = slices.Insert(text, at, []byte(written(pick(m, strange)))...)
	}
	return text
}
