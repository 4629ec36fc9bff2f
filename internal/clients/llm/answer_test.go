package llm

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/model"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range knownAnswers(t) {
		for _, name := range []string{openAIName, ollamaName} {
			t.Run(tt.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				answer, call, err := newStub(t, saying(tt.Says)).models(t).Ask(t.Context(), priceQuestion(t), name)
				require.Equal(t, bounded(tt.Says), call.Answer)
				require.Equal(t, 200, call.TokensIn)
				require.Equal(t, 30, call.TokensOut)
				if tt.Read == "" {
					failure := failureOf(t, answer, call, err)
					require.Equal(t, model.Malformed, failure.Outcome)
					require.True(t, failure.Retry)
					return
				}
				require.NoError(t, err)
				require.Equal(t, tt.Read, string(answer))
				require.Equal(t, model.Answered, call.Outcome)
				require.Empty(t, call.Detail)
			})
		}
	}
}

// FuzzAnswer proves that whatever a model says, what the rules get is a whole number and a
// reason of at most 300 characters, and that reading it twice changes nothing.
// Proves: F20, LLM03
func FuzzAnswer(f *testing.F) {
	for _, answer := range knownAnswers(f) {
		f.Add(answer.Says)
	}
	f.Add(strings.Repeat("[", 20_000))
	f.Add(strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000))
	f.Add(`{"discount_percent":1,"reason":"` + strings.Repeat("é", 300) + `"}`)
	f.Add(`{"discount_percent":1,"reason":"` + strings.Repeat("é", 301) + `"}`)
	schema, err := compile(priceQuestion(f))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, says string) {
		answer, err := read(schema, says)
		if err != nil {
			require.Nil(t, answer)
			return
		}
		var fields map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(answer, &fields))
		require.Len(t, fields, 2)
		var got struct {
			DiscountPercent *int64  `json:"discount_percent"`
			Reason          *string `json:"reason"`
		}
		require.NoError(t, json.Unmarshal(answer, &got))
		require.NotNil(t, got.DiscountPercent)
		require.NotEmpty(t, *got.Reason)
		require.LessOrEqual(t, utf8.RuneCountInString(*got.Reason), 300)
		require.NotContains(t, *got.Reason, "\x00")
		require.True(t, utf8.Valid(answer))
		again, err := read(schema, string(answer))
		require.NoError(t, err)
		require.Equal(t, string(answer), string(again))
	})
}

func TestReasonOfThreeHundredCharacters(t *testing.T) {
	t.Parallel()
	schema, err := compile(priceQuestion(t))
	require.NoError(t, err)
	_, err = read(schema, `{"discount_percent":1,"reason":"`+strings.Repeat("é", 300)+`"}`)
	require.NoError(t, err)
	_, err = read(schema, `{"discount_percent":1,"reason":"`+strings.Repeat("é", 301)+`"}`)
	require.Error(t, err)
}

func TestBounded(t *testing.T) {
	t.Parallel()
	require.Equal(t, "aéb", bounded("aé\x00b"))
	require.Equal(t, "a\uFFFD", bounded("a\xff"))
	require.Equal(t, strings.Repeat("a", maxKept), bounded(strings.Repeat("a", maxKept+1)))
	cut := bounded("a" + strings.Repeat("é", maxKept))
	require.Len(t, cut, maxKept-1, "half a character is left away")
	require.True(t, utf8.ValidString(cut))
}
