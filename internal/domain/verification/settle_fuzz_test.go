package verification

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Whatever a model answers, each question that was asked has one answer, in texts that can be
// shown; nobody hears of questions that were not asked.
func FuzzSettle(f *testing.F) {
	f.Add(`{"by":"m","text":"fine","criteria":[{"text":"Is there a heading?","verdict":"PASS","why":"yes"}]}`, "Is there a heading?\nIs it dark?")
	f.Add(`{"criteria":[{"text":"other words","verdict":"pass "},{"text":"","verdict":"MAYBE"}]}`, "a\nb")
	f.Add(`{"criteria":[{"text":"a","verdict":"FAIL"},{"text":"a","verdict":"PASS"}]}`, "a\na")
	f.Add(`{"text":"`+strings.Repeat("é", 2100)+`","trouble":"\u202e\u0000"}`, "?")
	f.Add(`{"criteria":null}`, "")
	f.Fuzz(func(t *testing.T, answer, prompt string) {
		var said Comment
		if json.Unmarshal([]byte(answer), &said) != nil {
			return
		}
		asked := Criteria(prompt)
		c := Settle(said, asked)
		require.Equal(t, said.Doubts, c.Doubts)
		require.False(t, c.BuiltIn)
		require.Len(t, c.Criteria, len(asked))
		isTidy(t, c.By, longestName)
		isTidy(t, c.Text, longestText)
		isTidy(t, c.Trouble, longestTrouble)
		for i, one := range c.Criteria {
			require.Equal(t, asked[i], one.Text)
			require.Contains(t, []CriterionVerdict{CriterionPass, CriterionFail, CriterionUnclear}, one.Verdict)
			isTidy(t, one.Why, longestWhy)
		}
		said.Criteria = c.Criteria
		require.Equal(t, c.Criteria, Settle(said, asked).Criteria, "settled is settled")
	})
}

func isTidy(t *testing.T, text string, most int) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	require.LessOrEqual(t, utf8.RuneCountInString(text), most)
	require.False(t, strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }), "%q", text)
}
