package run

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

func TestAFactShowsItsKindOfValueAndNoOther(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		show  show
		value string // JSON
		want  string
	}{
		"a word":                  {word, `"x_no_credits"`, "x_no_credits"},
		"a file of ours":          {word, `"public/og-image.png"`, "public/og-image.png"},
		"a sentence is no word":   {word, `"Ada wrote this"`, ""},
		"an address is no word":   {word, `"ada@example.com"`, ""},
		"a link is no word":       {word, `"https://example.com/secret"`, ""},
		"an IPv6 is no word":      {word, `"2001:db8::1"`, ""},
		"markup is no word":       {word, `"<b>"`, ""},
		"an essay is no word":     {word, `"` + strings.Repeat("x", 61) + `"`, ""},
		"a number is no word":     {word, `7`, ""},
		"an object is no word":    {word, `{"a":"b"}`, ""},
		"words":                   {words, `["a","b c","d"]`, "a, d"},
		"words that are none":     {words, `"a"`, ""},
		"a sentence is there":     {given, `"Ada wrote this"`, "yes"},
		"no sentence":             {given, `""`, ""},
		"true":                    {yesNo, `true`, "yes"},
		"false":                   {yesNo, `false`, "no"},
		"neither":                 {yesNo, `"true"`, ""},
		"nothing counted":         {count, `0`, "0"},
		"a count in words":        {count, `"7"`, ""},
		"half a count":            {count, `7.5`, ""},
		"a try":                   {positive, `2`, "2"},
		"no try":                  {positive, `0`, ""},
		"a measure":               {number, `99.25`, "99.25"},
		"nothing measured":        {number, `null`, ""},
		"a list is counted":       {size, `["secret","secret"]`, "2"},
		"an empty list":           {size, `[]`, "0"},
		"no list":                 {size, `null`, ""},
		"an amount":               {cents, `905`, "$9.05"},
		"less than nothing":       {cents, `-1`, ""},
		"a share":                 {percent, `25`, "25 %"},
		"a moment":                {millis, `234`, "234 ms"},
		"a time":                  {moment, `"2026-11-21T00:40:25.029755+01:00"`, "2026-11-20 23:40:25 UTC"},
		"no time yet":             {moment, `"0001-01-01T00:00:00Z"`, ""},
		"a time that says a word": {moment, `"soon"`, ""},
		"what is not there":       {word, ``, ""},
	} {
		t.Run(name, func(t *testing.T) {
			fields := []Field{{"outer.inner", "Name", tt.show}}
			payload := `{"outer":{"inner":` + tt.value + `}}`
			var want []Fact
			if tt.want != "" {
				want = []Fact{{"Name", tt.want}}
			}
			require.Equal(t, want, Facts([]byte(payload), fields))
		})
	}
	require.Empty(t, Facts([]byte(`"a word"`), []Field{{"a", "A", word}}))
	require.Empty(t, Facts(nil, []Field{{"a", "A", word}}))
	require.Empty(t, Facts([]byte(`{"a":"b"}`), nil), "fields that are not listed are not shown")
}

func TestInWords(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0 ms", 999 * time.Millisecond: "999 ms", 1540 * time.Millisecond: "1.5 s", 30 * time.Second: "30 s",
		90 * time.Second: "1.5 min", time.Hour: "1 h", 90 * time.Minute: "1.5 h", 24 * time.Hour: "24 h", 720 * time.Hour: "30 days",
	} {
		require.Equal(t, want, InWords(d))
	}
}

func TestEveryProblemHasAFixedSentence(t *testing.T) {
	t.Parallel()
	for _, code := range problem.Codes {
		require.NotEmpty(t, sentences[code], "there is no sentence for %s", code)
	}
	require.Equal(t, Failure, Why("dial tcp 10.0.0.3: refused"))
	require.Equal(t, Failure, Why(""))
}

func TestQuietFlowsHaveNoFacts(t *testing.T) {
	t.Parallel()
	for name, flow := range flows {
		if !flow.Quiet {
			continue
		}
		require.Empty(t, flow.Result, name)
		require.Empty(t, flow.Subject, name)
		require.Empty(t, flow.Standing, name)
		require.Equal(t, Unlisted, flow.Listing, name)
		for _, description := range flow.Updates {
			require.Empty(t, description.Out, name)
		}
	}
}

func TestPrivateFlowsAreUnlisted(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"ChaosRun", "Experiment", "GameDay", "Post", "RecurringPost", "SelfHeal", "Verification"}, Workflows(""))
	require.Equal(t, []string{"ChaosRun"}, Workflows("chaos"))
	require.Equal(t, []string{"Canary"}, Workflows("canary"), "housekeeping is listed on request")
	for _, word := range []string{"checkout", "refund", "email", "generation", "account-deletion", "Post", "none"} {
		require.Empty(t, Workflows(word), word)
	}
}

// Proves: V15.3.1
func TestPersonalDataIsNeverShown(t *testing.T) {
	t.Parallel()
	private := []string{"MemberID", "Text", "Email", "To", "URL", "Reason", "Message", "Detail", "Prompt", "Visits", "TimeOnSite", "UserType", "CouponID", "DecisionID", "Username"}
	see := func(where string, fields []Field) {
		for _, field := range fields {
			require.NotContains(t, private, field.Path[strings.LastIndex(field.Path, ".")+1:], where)
			require.NotEmpty(t, field.Name, where)
		}
	}
	for name, description := range Activities {
		require.NotEmpty(t, description.Stage, name)
		see(name, description.In)
		see(name, description.Out)
	}
	for name, flow := range flows {
		see(name, flow.Result)
		for _, description := range flow.Updates {
			see(name, description.Out)
		}
		for _, description := range flow.Children {
			see(name, description.Out)
		}
	}
}

// shownValue matches every possible fact: words, numbers with units, and times.
var shownValue = regexp.MustCompile(`\A([A-Za-z0-9][A-Za-z0-9_./-]{0,59}(, [A-Za-z0-9][A-Za-z0-9_./-]{0,59})*|-?[0-9]+(\.[0-9]+)?( (ms|s|min|h|days|%))?|\$[0-9]+\.[0-9]{2}|[0-9]{4,}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC)\z`)

// FuzzFacts checks for every format that no sentence of a payload is shown.
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

// everyField returns a field for every format.
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

// under returns a JSON object with the value at the path.
func under(path, value string) []byte { return []byte(`{"` + path + `":` + value + `}`) }
