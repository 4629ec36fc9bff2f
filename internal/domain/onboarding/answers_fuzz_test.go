package onboarding_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/problem"
)

// Answers that are taken fit their questions, and are taken as they are the next time. Those that
// are refused are not repeated.
func FuzzParseAnswers(f *testing.F) {
	for _, given := range []string{
		`{}`, `{"vision":"more of this"}`, `{"vision":""}`, `{"vision":7}`, `{"build_preference":"plan_first"}`, `{"build_preference":"none of these"}`, `{"collaboration_style":["reviews","reviews"]}`,
		`{"collaboration_style":[null]}`, `{"collaboration_style":{}}`, `{"experience_level":{"ai_llm":5}}`, `{"experience_level":{"ai_llm":5.5}}`, `{"experience_level":{"ai_llm":1e300,"x":1}}`,
		`{"experience_level":[]}`, `{"unknown":1}`, `{"vision":"` + strings.Repeat("é", 2001) + `"}`, `{"":null}`, `{"vision":null}`,
	} {
		f.Add(given)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var given map[string]any
		if json.Unmarshal([]byte(text), &given) != nil {
			return
		}
		_, err := onboarding.ParseAnswers(onboarding.Tour, given)
		require.Equal(t, len(given) > 0, err != nil, "the tour asks nothing")
		answers, err := onboarding.ParseAnswers(onboarding.Partnership, given)
		if err != nil {
			require.Equal(t, problem.Invalid, problem.CodeOf(err))
			require.Empty(t, answers)
			return
		}
		again, err := onboarding.ParseAnswers(onboarding.Partnership, answers)
		require.NoError(t, err)
		require.Equal(t, answers, again)
		for id, answer := range answers {
			require.Contains(t, given, id)
			if said, ok := answer.(string); ok {
				require.LessOrEqual(t, utf8.RuneCountInString(said), onboarding.LongestText)
			}
		}
	})
}
