package onboarding_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/problem"
)

func read(t *testing.T, text string) map[string]any {
	t.Helper()
	var given map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &given))
	return given
}

func TestTheQuestionnaireIsTheSpecifiedOne(t *testing.T) {
	t.Parallel()
	forms := map[onboarding.Form][]string{}
	for _, q := range onboarding.Questions {
		forms[q.Form] = append(forms[q.Form], q.ID)
		require.Equal(t, q.Form == onboarding.Text, len(q.Options) == 0, q.ID)
	}
	require.ElementsMatch(t, []string{
		"vision", "value_creation", "impressive_automation", "ai_future", "exciting_apis", "customer_zero_excitement", "legendary_factor",
	}, forms[onboarding.Text])
	require.ElementsMatch(t, []string{"build_preference", "first_feature"}, forms[onboarding.Choice])
	require.ElementsMatch(t, []string{"project_excitement", "collaboration_style"}, forms[onboarding.Choices])
	require.Equal(t, []string{"experience_level"}, forms[onboarding.Ratings])
	require.Equal(t, 12, onboarding.Partnership.Steps())
	require.Equal(t, 4, onboarding.Tour.Steps())
}

func TestAnswersThatFitAreKept(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ given, kept string }{
		"none at all":                    {`{}`, `{}`},
		"words":                          {`{"vision":"A bot that is honest."}`, `{"vision":"A bot that is honest."}`},
		"2000 wide characters":           {`{"vision":"` + strings.Repeat("字", 2000) + `"}`, `{"vision":"` + strings.Repeat("字", 2000) + `"}`},
		"blanks are no answer":           {`{"vision":" \n "}`, `{}`},
		"a choice":                       {`{"first_feature":"more_networks"}`, `{"first_feature":"more_networks"}`},
		"a choice taken back":            {`{"first_feature":""}`, `{}`},
		"choices, each once":             {`{"collaboration_style":["reviews","reviews"]}`, `{"collaboration_style":["reviews"]}`},
		"choices taken back":             {`{"collaboration_style":[]}`, `{}`},
		"the lowest and highest ratings": {`{"experience_level":{"ai_llm":1,"edge_workers":5}}`, `{"experience_level":{"ai_llm":1,"edge_workers":5}}`},
		"a rating written as 3.0":        {`{"experience_level":{"ai_llm":3.0}}`, `{"experience_level":{"ai_llm":3}}`},
		"no rating":                      {`{"experience_level":{}}`, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			answers, err := onboarding.ParseAnswers(onboarding.Partnership, read(t, tt.given))
			require.NoError(t, err)
			kept, err := json.Marshal(answers)
			require.NoError(t, err)
			require.JSONEq(t, tt.kept, string(kept))
		})
	}
}

func TestAnswersThatDoNotFitAreNamedAndNotRepeated(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for name, tt := range map[string]struct{ given, field string }{
		"an unknown question":     {`{"hunter2":"x"}`, "body.answers"},
		"a number as text":        {`{"vision":7}`, "body.answers.vision"},
		"a null as text":          {`{"vision":null}`, "body.answers.vision"},
		"2001 characters":         {`{"vision":"` + strings.Repeat("x", 2001) + `"}`, "body.answers.vision"},
		"an unknown option":       {`{"first_feature":"hunter2"}`, "body.answers.first_feature"},
		"a list as choice":        {`{"first_feature":["more_networks"]}`, "body.answers.first_feature"},
		"an unknown among many":   {`{"collaboration_style":["reviews","hunter2"]}`, "body.answers.collaboration_style"},
		"a word as choices":       {`{"collaboration_style":"reviews"}`, "body.answers.collaboration_style"},
		"a rating of nothing":     {`{"experience_level":{"ai_llm":0}}`, "body.answers.experience_level.ai_llm"},
		"a rating of six":         {`{"experience_level":{"ai_llm":6}}`, "body.answers.experience_level.ai_llm"},
		"half a rating":           {`{"experience_level":{"ai_llm":3.5}}`, "body.answers.experience_level.ai_llm"},
		"a rating beyond numbers": {`{"experience_level":{"ai_llm":1e300}}`, "body.answers.experience_level.ai_llm"},
		"a rating in words":       {`{"experience_level":{"ai_llm":"3"}}`, "body.answers.experience_level.ai_llm"},
		"an unknown skill":        {`{"experience_level":{"hunter2":3}}`, "body.answers.experience_level"},
		"one rating for all":      {`{"experience_level":3}`, "body.answers.experience_level"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := onboarding.ParseAnswers(onboarding.Partnership, read(t, tt.given))
			p, ok := errors.AsType[*problem.Error](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, problem.Invalid, p.Code)
			require.Len(t, p.Details, 1)
			require.Equal(t, tt.field, p.Details[0].Field)
			said, err := json.Marshal(p)
			require.NoError(t, err)
			require.NotContains(t, string(said), secret)
			require.Less(t, len(said), 300)
		})
	}
}

func TestEveryWrongFieldIsNamed(t *testing.T) {
	t.Parallel()
	_, err := onboarding.ParseAnswers(onboarding.Partnership, read(t, `{"vision":1,"ai_future":2,"legendary_factor":"fine"}`))
	p, ok := errors.AsType[*problem.Error](err)
	require.True(t, ok)
	require.Equal(t, []problem.Detail{
		{Field: "body.answers.ai_future", Reason: "expected text"}, {Field: "body.answers.vision", Reason: "expected text"},
	}, p.Details)
}

func TestTheTourAsksNothing(t *testing.T) {
	t.Parallel()
	answers, err := onboarding.ParseAnswers(onboarding.Tour, nil)
	require.NoError(t, err)
	require.Empty(t, answers)
	_, err = onboarding.ParseAnswers(onboarding.Tour, read(t, `{"vision":"x"}`))
	require.Equal(t, problem.Invalid, problem.CodeOf(err))
}

func TestStepsThatThereAre(t *testing.T) {
	t.Parallel()
	for kind, last := range map[onboarding.Kind]int{onboarding.Tour: 4, onboarding.Partnership: 12} {
		for step, there := range map[int]bool{-1: false, 0: false, 1: true, last: true, last + 1: false} {
			err := onboarding.CheckStep(kind, step)
			require.Equal(t, there, err == nil, "%s %d", kind, step)
			if err != nil {
				require.Equal(t, problem.Invalid, problem.CodeOf(err))
			}
		}
	}
}

// FuzzParseAnswers checks that accepted answers parse to themselves and refused ones are not returned.
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
