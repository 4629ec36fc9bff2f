package verification

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

func TestCriteria(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		prompt string
		want   []string
	}{
		"nothing":                      {"", nil},
		"nothing but signs":            {" \n - \n ...\n 1.\n", nil},
		"one":                          {"Is the navigation there?", []string{"Is the navigation there?"}},
		"lines":                        {"the footer is there\r\nno errors\n\n", []string{"the footer is there", "no errors"}},
		"sentences":                    {"The footer is there. No errors! Is it fast? ok", []string{"The footer is there.", "No errors!", "Is it fast?", "ok"}},
		"a full stop that is no end":   {"a menu, e.g. for pages, in 3.5 s", []string{"a menu, e.g. for pages, in 3.5 s"}},
		"bullets":                      {"- one thing\n* two\n• three\n– four\n1. five\n2) six\n(3) seven\na) eight", []string{"one thing", "two", "three", "four", "five", "six", "seven", "eight"}},
		"boxes to tick":                {"- [ ] open\n- [x] done", []string{"open", "done"}},
		"a list in a line":             {"1. Is it blue? 2. Is it fast?", []string{"Is it blue?", "Is it fast?"}},
		"a number is no bullet":        {"3 columns\n1.5 s is enough", []string{"3 columns", "1.5 s is enough"}},
		"twice the same":               {"No errors\nno errors.\n- NO ERRORS", []string{"No errors"}},
		"invisible characters":         {"a\x00b\u202e \t c", []string{"a b c"}},
		"another alphabet, and no end": {"ナビゲーションはありますか？", []string{"ナビゲーションはありますか？"}},
		"no UTF-8":                     {"good\xff\xfe", []string{"good"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, Criteria(tt.prompt))
		})
	}
	t.Run("ten at most, of 200 characters", func(t *testing.T) {
		var lines []string
		for i := range 30 {
			lines = append(lines, strings.Repeat("ü", 300)+string(rune('a'+i)), string(rune('a'+i))+strings.Repeat("ü", 300))
		}
		got := Criteria(strings.Join(lines, "\n"))
		require.Len(t, got, 10)
		for _, one := range got {
			require.LessOrEqual(t, len([]rune(one)), 200)
			require.True(t, strings.HasSuffix(one, "…"))
		}
	})
}

// FuzzCriteria checks that criteria are bounded and each gets an answer.
func FuzzCriteria(f *testing.F) {
	for _, prompt := range []string{"", "- [ ] 1. a) Is it? No. no", "\u2028\xff…", "/api/stats /api/stats?limit"} {
		f.Add(prompt)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		asked := Criteria(prompt)
		require.LessOrEqual(t, len(asked), 10)
		c := Analyse(prompt, run(nil), measured())
		require.Len(t, c.Criteria, len(asked))
		for i, one := range asked {
			require.LessOrEqual(t, len([]rune(one)), 200)
			require.False(t, strings.ContainsFunc(one, unicode.IsControl), "%q", one)
			require.Equal(t, one, c.Criteria[i].Text)
			require.NotEmpty(t, c.Criteria[i].Why)
			require.NotEqual(t, CriterionFail, c.Criteria[i].Verdict, "nothing failed")
		}
	})
}

func TestSettle(t *testing.T) {
	t.Parallel()
	const silent = "The AI review does not answer this."
	asked := []string{"Is the footer there?", "No errors"}
	for name, tt := range map[string]struct {
		said, want []Criterion
	}{
		"as asked": {
			[]Criterion{{"Is the footer there?", CriterionPass, "I see it."}, {"No errors", CriterionFail, "A red box."}},
			[]Criterion{{asked[0], CriterionPass, "I see it."}, {asked[1], CriterionFail, "A red box."}},
		},
		"in another order, in capitals": {
			[]Criterion{{" NO ERRORS. ", CriterionFail, "b"}, {"is the footer there", CriterionPass, "a"}},
			[]Criterion{{asked[0], CriterionPass, "a"}, {asked[1], CriterionFail, "b"}},
		},
		"in other words":     {[]Criterion{{"Footer", CriterionPass, "a"}, {"Console", CriterionFail, "b"}}, []Criterion{{asked[0], CriterionPass, "a"}, {asked[1], CriterionFail, "b"}}},
		"one in other words": {[]Criterion{{"Footer", CriterionPass, "a"}, {"No errors", CriterionFail, "b"}}, []Criterion{{asked[0], CriterionPass, "a"}, {asked[1], CriterionFail, "b"}}},
		"in other words, and the place is taken": {
			[]Criterion{{"No errors", CriterionFail, "b"}, {"Footer", CriterionPass, "a"}},
			[]Criterion{{asked[0], CriterionUnclear, silent}, {asked[1], CriterionFail, "b"}},
		},
		"in other words, one too few": {[]Criterion{{"Footer", CriterionPass, "a"}}, []Criterion{{asked[0], CriterionUnclear, silent}, {asked[1], CriterionUnclear, silent}}},
		"more than was asked": {
			[]Criterion{{"Is it art?", CriterionPass, "x"}, {"No errors", CriterionPass, "b"}, {"Is the footer there?", CriterionPass, "a"}},
			[]Criterion{{asked[0], CriterionPass, "a"}, {asked[1], CriterionPass, "b"}},
		},
		"nothing":                    {nil, []Criterion{{asked[0], CriterionUnclear, silent}, {asked[1], CriterionUnclear, silent}}},
		"words that are no verdicts": {[]Criterion{{asked[0], "pass ", "a"}, {asked[1], "MOSTLY", "b"}}, []Criterion{{asked[0], CriterionPass, "a"}, {asked[1], CriterionUnclear, "b"}}},
		"twice, the first counts": {
			[]Criterion{{asked[1], CriterionFail, "b"}, {asked[1], CriterionPass, "c"}, {asked[0], CriterionPass, "a"}},
			[]Criterion{{asked[0], CriterionPass, "a"}, {asked[1], CriterionFail, "b"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, Settle(Comment{Criteria: tt.said}, asked).Criteria)
		})
	}
}

// Proves: F21
func TestSettleCutsAndCleans(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü\x1b[31m\u202e\n", 3000)
	c := Settle(Comment{
		By: "gpt\n", BuiltIn: true, Doubts: true, Text: long, Trouble: long,
		Criteria: []Criterion{{"a", CriterionPass, long}},
	}, []string{"a"})
	require.Equal(t, []any{"gpt", false, true}, []any{c.By, c.BuiltIn, c.Doubts})
	require.Len(t, []rune(c.Text), 2000)
	require.Len(t, []rune(c.Criteria[0].Why), 300)
	require.LessOrEqual(t, len([]rune(c.Trouble)), 300)
	for _, text := range []string{c.Text, c.Trouble, c.Criteria[0].Why} {
		require.False(t, strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }))
	}
	require.NotNil(t, Settle(Comment{Criteria: []Criterion{{"a", CriterionPass, ""}}}, nil).Criteria)
	require.Empty(t, Settle(Comment{Criteria: []Criterion{{"a", CriterionPass, ""}}}, nil).Criteria, "nothing was asked")
}
