package contract

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

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
		return strings.Repeat(string(pick(m, letters)), pick(m, lengths))
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
