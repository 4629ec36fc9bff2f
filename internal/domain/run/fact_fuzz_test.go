package run

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// shownValue is all that a fact can ever say: our words, numbers with their units, and times.
var shownValue = regexp.MustCompile(`\A([A-Za-z0-9][A-Za-z0-9_./-]{0,59}(, [A-Za-z0-9][A-Za-z0-9_./-]{0,59})*|-?[0-9]+(\.[0-9]+)?( (ms|s|min|h|days|%))?|\$[0-9]+\.[0-9]{2}|[0-9]{4,}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC)\z`)

// Whatever stands in a history, strangers are told a word, a number or a time of it, for every field
// on the allow-list. A sentence that somebody wrote gets through none of them.
func FuzzFacts(f *testing.F) {
	for _, payload := range []string{
		`{"Status":"published","Attempts":2,"TweetID":"123"}`, `{"Status":"Ada wrote this","Code":"ada@example.com"}`, `{"Status":{"Status":"a"}}`, `[]`, `null`, ``, `{"Status":`,
		`{"Attempts":1e999}`, `{"Attempts":99999999999999999999}`, `{"HealMS":-9223372036854775808}`, `{"Share":1e300}`, `{"Cents":9223372036854775807}`, `{"DueAt":"0000-01-01T00:00:00Z"}`,
		`{"PostIDs":["a","b c",1,null]}`, `{"Status":"` + "\xff" + `"}`, `{"a":1}{"b":2}`,
	} {
		f.Add([]byte(payload), payload)
	}
	fields := everyField()
	f.Fuzz(func(t *testing.T, payload []byte, value string) {
		for _, field := range fields {
			for _, fact := range append(Facts(payload, []Field{field}), Facts(under(field.Path, value), []Field{field})...) {
				require.Regexp(t, shownValue, fact.Value, field.Path)
			}
		}
		if said := Word(payload, "Status"); said != "" {
			require.Regexp(t, aWord, said)
		}
	})
}

// everyField is each way of showing a value, with the path of one field that has it.
func everyField() []Field {
	return []Field{
		{"Status", "S", word},
		{"PostIDs", "P", words},
		{"Reason", "G", given},
		{"Last", "Y", yesNo},
		{"Attempts", "C", count},
		{"Attempt", "P", positive},
		{"Share", "N", number},
		{"PostIDs", "S", size},
		{"Cents", "C", cents},
		{"Percent", "P", percent},
		{"HealMS", "M", millis},
		{"DueAt", "T", moment},
	}
}

// under is a value of JSON where the path says.
func under(path, value string) []byte { return []byte(`{"` + path + `":` + value + `}`) }
