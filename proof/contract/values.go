package contract

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// Maker generates requests.
type Maker struct {
	Chance   *rand.Rand
	Contract *Contract
	Words    []string // texts that the server accepts; at least one for every pattern and format
}

func pick[T any](m *Maker, list []T) T { return list[m.Chance.IntN(len(list))] }

func (m *Maker) oneIn(n int) bool { return m.Chance.IntN(n) == 0 }

// value generates a value that fits the schema, often at its limits.
func (m *Maker) value(s *jsonschema.Schema) any {
	s = m.Contract.target(s)
	if len(s.Enum) > 0 {
		return pick(m, s.Enum)
	}
	switch kindOf(s) {
	case "object":
		return m.object(s)
	case "array":
		return m.list(s)
	case "string":
		return m.text(s)
	case "integer":
		return m.whole(s)
	case "number":
		return float64(m.whole(s)) / 4
	case "boolean":
		return m.oneIn(2)
	}
	return pick(m, strange)
}

func kindOf(s *jsonschema.Schema) string {
	if len(s.Types) > 0 {
		return s.Types[0]
	}
	return s.Type
}

func (m *Maker) object(s *jsonschema.Schema) map[string]any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || m.oneIn(2) {
			object[name] = m.value(s.Properties[name])
		}
	}
	return object
}

func (m *Maker) list(s *jsonschema.Schema) []any {
	least, most := orElse(s.MinItems, 0), orElse(s.MaxItems, 4)
	length := least + m.Chance.IntN(min(most-least, 4)+1)
	if m.oneIn(6) {
		length = min(most, 100)
	}
	list := []any{}
	for range length {
		one := m.value(s.Items)
		if s.UniqueItems && slices.ContainsFunc(list, func(other any) bool { return jsonschema.Equal(one, other) }) {
			continue // there may not be enough distinct values
		}
		list = append(list, one)
	}
	return list
}

// emails are one to four bytes long; some are invisible, and some are syntax in languages that a text passes through.
var emails = []rune("aZ09 _-.,:@#/\\'\"<>&%{}[]()\n\té世👍\u0301\u200b\u202e")

func (m *Maker) text(s *jsonschema.Schema) string {
	least, most := orElse(s.MinLength, 0), orElse(s.MaxLength, 40)
	if s.Pattern != "" || s.Format != "" || m.oneIn(2) {
		if word, ok := m.word(s, least, most); ok {
			return word
		}
	}
	length := least + m.Chance.IntN(most-least+1)
	if m.oneIn(4) {
		length = pick(m, []int{least, most})
	}
	var text strings.Builder
	for range length {
		text.WriteRune(pick(m, emails))
	}
	return text.String()
}

// word picks one of Words that fits.
func (m *Maker) word(s *jsonschema.Schema, least, most int) (string, bool) {
	form := regexp.MustCompile(s.Pattern)
	var fit []string
	for _, word := range m.Words {
		if n := utf8.RuneCountInString(word); n >= least && n <= most && form.MatchString(word) && isOf(s.Format, word) {
			fit = append(fit, word)
		}
	}
	if len(fit) == 0 {
		return "", false
	}
	return pick(m, fit), true
}

func (m *Maker) whole(s *jsonschema.Schema) int64 {
	least, most := int64(-3), int64(1000)
	if s.Minimum != nil {
		least = int64(*s.Minimum)
		most = max(most, least)
	}
	if s.Maximum != nil {
		most = int64(*s.Maximum)
		least = min(least, most)
	}
	switch {
	case m.oneIn(4):
		return pick(m, []int64{least, most})
	case s.Maximum == nil && m.oneIn(8):
		return pick(m, []int64{math.MaxInt64, math.MaxInt32, math.MaxInt32 + 1, 1<<53 + 1})
	}
	return least + m.Chance.Int64N(most-least+1)
}

func orElse(bound *int, usual int) int {
	if bound == nil {
		return usual
	}
	return *bound
}

// strange are values that fit almost no schema.
var strange = []any{
	nil, true, false, "", " ", 0, -1, 0.5, int64(1)<<53 + 1, json.Number("-0"), json.Number("1e999"), json.Number("1e-999"),
	json.Number("99999999999999999999"), json.Number("-9223372036854775809"), "NaN", "-1", "1", "null",
	[]any{},
	[]any{nil},
	map[string]any{},
	map[string]any{"": nil},
	deep(64), slices.Repeat([]any{0}, 2000),
	"\x00", "a\x00b", "\u202etxt.exe", "\u200b", "\ufeff", "\ufffd", "e" + strings.Repeat("\u0301", 300), "\u2028", "a\r\nSet-Cookie: b=c",
	"../../../etc/passwd", "' OR '1'='1", "%s%n%x", "%00", "${7*7}", "<script>alert(1)</script>", "{{7*7}}", "\\", "\"", "`",
	"https://evil.example/?a=b#c", "javascript:alert(1)", "//evil.example", "file:///etc/passwd", "a@b.c", "=1+1",
	"0000-00-00T00:00:00Z", "9999-12-31T23:59:59Z", "2026-02-30T12:00:00Z", "2026-11-20T12:00:00+99:99", "0001-01-01T00:00:00Z",
}

// lengths of texts are on both sides of likely limits.
var lengths = []int{1, 15, 16, 20, 21, 40, 41, 80, 81, 100, 101, 200, 201, 254, 255, 280, 281, 300, 301, 500, 501, 1000, 1001, 2000, 2001, 4000, 4001, 8000, 8001, 60_000}

func deep(n int) any {
	var inner any = "the end"
	for range n {
		inner = []any{inner}
	}
	return inner
}

// spoiled is a value in which one thing was changed, removed or added. The result may still fit its schema.
func (m *Maker) spoiled(value any) any {
	switch value := value.(type) {
	case map[string]any:
		return m.spoiledObject(maps.Clone(value))
	case []any:
		if len(value) > 0 && !m.oneIn(4) {
			list := slices.Clone(value)
			i := m.Chance.IntN(len(list))
			list[i] = m.spoiled(list[i])
			return list
		}
	}
	if m.oneIn(3) {
		return strings.Repeat(string(pick(m, emails)), pick(m, lengths))
	}
	return pick(m, strange)
}

func (m *Maker) spoiledObject(object map[string]any) any {
	names := slices.Sorted(maps.Keys(object))
	switch {
	case m.oneIn(12):
		return pick(m, strange)
	case len(names) == 0 || m.oneIn(6):
		object[pick(m, []string{"admin", "__proto__", "", "ID", "\x00", strings.Repeat("n", 5000)})] = pick(m, strange)
	case m.oneIn(5):
		delete(object, pick(m, names))
	case m.oneIn(10):
		name := pick(m, names)
		object[strings.ToUpper(name)] = object[name]
	default:
		name := pick(m, names)
		object[name] = m.spoiled(object[name])
	}
	return object
}

// noJSON are bodies that no JSON encoder produces.
var noJSON = []string{
	"", " ", "{", "}", "null", "[]", `""`, "0", "true", "NaN", "Infinity", `{"a":NaN}`, "{}{}", "{} x", `{"a":1,"a":2}`, `{"a":"` + "\xff\xfe" + `"}`,
	"\ufeff{}", `{"a":"\ud800"}`, `{"a":"\u0000"}`, "{'a':1}", "{a:1}", `{"a":1,}`, "/* */{}", "\x1f\x8b\x08\x00", "a=b&c=d", "<a/>",
	strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 5_000) + "1" + strings.Repeat("}", 5_000), `"` + strings.Repeat("x", 70<<10) + `"`,
	"{" + strings.Repeat(`"a":1,`, 11_000) + `"b":2}`, "-", "1e999999999", strings.Repeat("9", 5000), "\x00",
}

// oddHeaders are headers that clients, proxies and attackers add, with their values.
var oddHeaders = []struct {
	name   string
	values []string
}{
	{"Accept", []string{"text/html", "application/xml;q=0.1", ",,;q=x", "*/*;q=0"}},
	{"Accept-Encoding", []string{"br, zstd", "identity"}},
	{"Accept-Language", []string{strings.Repeat("de,", 900)}},
	{"If-None-Match", []string{"*", `W/"a", "b`}},
	{"If-Match", []string{`"x"`}},
	{"If-Modified-Since", []string{"Sat, 21 Nov 2026 12:00:00 GMT", "yesterday"}},
	{"If-Unmodified-Since", []string{"Thu, 01 Jan 1970 00:00:00 GMT"}},
	{"If-Range", []string{"x"}},
	{"Range", []string{"bytes=0-5", "bytes=9-1,,"}},
	{"X-Forwarded-For", []string{"1.2.3.4, unknown, ::1", "\x7f"}},
	{"X-Real-Ip", []string{"fe80::1%eth0"}},
	{"Forwarded", []string{`for="_x";by=`}},
	{"X-Forwarded-Host", []string{"evil.example"}},
	{"X-Forwarded-Proto", []string{"gopher"}},
	{"X-Original-Url", []string{"/api/admin/secrets"}},
	{"X-Rewrite-Url", []string{"/api/admin/secrets"}},
	{"X-Http-Method-Override", []string{"DELETE"}},
	{"X-Request-Id", []string{"mine"}},
	{"Traceparent", []string{"00-zz", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}},
	{"Tracestate", []string{strings.Repeat("a=b,", 100)}},
	{"Baggage", []string{"a=%zz,=,;"}},
	{"Cookie", []string{"sessions", "a=b; ; =c; session=\"d", "visitor=\xff; login=\xfe", strings.Repeat("a=b; ", 500)}},
	{"Origin", []string{"null", "https://evil.example"}},
	{"Sec-Fetch-Site", []string{"cross-site", "same-origin"}},
	{"Referer", []string{"::"}},
	{"Content-Encoding", []string{"gzip"}},
	{"Content-Language", []string{"de"}},
	{"Expect", []string{"100-continue"}},
	{"Upgrade", []string{"websocket"}},
	{"Connection", []string{"Upgrade, close"}},
	{"User-Agent", []string{strings.Repeat("Mozilla/5.0 (", 500), "\xff\xfe"}},
	{"Dnt", []string{"1"}},
	{"Sec-Gpc", []string{"1"}},
	{"Prefer", []string{"respond-async"}},
	{"Authorization", []string{"Basic YTpi", "Bearer", "Bearer x", "OAuth a=\"b\""}},
	{"X-Admin-Key", []string{"guess", ""}},
	{"Last-Event-Id", []string{"x"}},
	{"Max-Forwards", []string{"-1"}},
	{"Te", []string{"trailers"}},
}
