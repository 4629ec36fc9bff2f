package contract

import (
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
	Words    []string // texts that the server knows; at least one for every pattern and format
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

// letters are one to four bytes long; some are invisible, and some are syntax in languages that a text passes through.
var letters = []rune("aZ09 _-.,:@#/\\'\"<>&%{}[]()\n\té世👍\u0301\u200b\u202e")

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
		text.WriteRune(pick(m, letters))
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
