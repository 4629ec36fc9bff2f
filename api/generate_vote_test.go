package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/problem"
)

// Proves: V8.2.3
func TestModelsAreHiddenUntilTheVote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.runs.texts = map[string]generation.End{
		"builtin-1":          end(generation.Done, "One.", "", ""),
		"builtin-brief-1":    generation.EndOf("**Two.**"),
		"openai:gpt-4o-mini": end(generation.Failed, "", problem.ModelTrouble, "openai:gpt-4o-mini cannot be reached. Check OPENAI_BASE_URL."),
	}
	ada := w.generator(t)
	rec := ada.post(t, "/api/ai/generations", threeModels)
	require.Equal(t, http.StatusCreated, rec.Code, rec.Body.String())
	var shown api.Generation
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &shown))
	path := "/api/ai/generations/" + shown.ID
	for _, text := range []string{rec.Body.String(), ada.get(t, path).Body.String()} {
		for _, word := range []string{"builtin", "openai", "OPENAI", "gpt", "tweet.v1"} {
			require.NotContains(t, text, word)
		}
	}
	require.True(t, shown.Blind)
	require.True(t, shown.Done)
	require.Equal(t, "run-"+shown.ID, shown.RunID)
	require.Equal(t, []string{"A", "B", "C"}, []string{shown.Candidates[0].Label, shown.Candidates[1].Label, shown.Candidates[2].Label})

	winner := candidate(t, shown, "One.")
	after := read[api.Generation](t, ada.post(t, path+"/vote", `{"candidateId":"`+winner.ID+`"}`), http.StatusOK)
	require.True(t, after.Voted)
	require.Equal(t, "builtin-1", candidate(t, after, "One.").Model)
	require.True(t, candidate(t, after, "One.").Chosen)
	require.Equal(t, "openai:gpt-4o-mini cannot be reached. Check OPENAI_BASE_URL.", candidate(t, after, "").Reason)

	second := ada.post(t, path+"/vote", `{"candidateId":"`+candidate(t, after, "**Two.**").ID+`"}`)
	require.Equal(t, http.StatusConflict, second.Code)
	require.Equal(t, problem.GenerationEnded, problemOf(t, second).Code)
	league := read[api.League](t, w.browser().get(t, "/api/ai/league"), http.StatusOK)
	require.Equal(t, api.League{Votes: 1, Models: []api.LeagueRow{
		{Model: "builtin-1", Wins: 1, Votes: 1, Percent: 100}, {Model: "builtin-brief-1", Votes: 1},
	}}, league, "a model without a text took no part")
}

// candidate is the one with a text.
func candidate(t *testing.T, shown api.Generation, content string) api.Candidate {
	t.Helper()
	for _, c := range shown.Candidates {
		if c.Content == content {
			return c
		}
	}
	require.Fail(t, "no such candidate", content)
	return api.Candidate{}
}

func TestVotesThatAreNotTaken(t *testing.T) {
	t.Parallel()
	done := end(generation.Done, "One.", "", "")
	failed := end(generation.Failed, "", problem.ModelTrouble, "It failed.")
	for name, tt := range map[string]struct {
		texts map[string]generation.End
		pick  string // the content; "other" for a candidate of nobody's
		code  problem.Code
	}{
		"while a model writes":     {map[string]generation.End{"builtin-1": done, "builtin-brief-1": done}, "One.", problem.Conflict},
		"for a model without text": {map[string]generation.End{"builtin-1": done, "builtin-brief-1": done, "openai:gpt-4o-mini": failed}, "", problem.Conflict},
		"for another's":            {nil, "other", problem.NotFound},
		"where only one text came": {map[string]generation.End{"builtin-1": done, "builtin-brief-1": failed, "openai:gpt-4o-mini": failed}, "One.", problem.GenerationEnded},
		"where none came":          {map[string]generation.End{"builtin-1": failed, "builtin-brief-1": failed, "openai:gpt-4o-mini": failed}, "", problem.GenerationEnded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.runs.texts = tt.texts
			ada := w.generator(t)
			shown := read[api.Generation](t, ada.post(t, "/api/ai/generations", threeModels), http.StatusCreated)
			id := "other"
			if tt.pick != "other" {
				id = candidate(t, shown, tt.pick).ID
			}
			rec := ada.post(t, "/api/ai/generations/"+shown.ID+"/vote", `{"candidateId":"`+id+`"}`)
			require.Equal(t, tt.code, problemOf(t, rec).Code, rec.Body.String())
			require.Zero(t, read[api.League](t, ada.get(t, "/api/ai/league"), http.StatusOK).Votes)
		})
	}
}

// Where there is nothing to compare, there is no reason to hide who failed.
func TestOneTextOfSeveralIsNotHidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.runs.texts = map[string]generation.End{
		"builtin-1": end(generation.Done, "One.", "", ""), "builtin-brief-1": end(generation.Failed, "", problem.ModelTrouble, "builtin-brief-1 failed."),
	}
	shown := read[api.Generation](t, w.generator(t).post(t, "/api/ai/generations", `{"prompt":"a","models":["builtin-1","builtin-brief-1"]}`), http.StatusCreated)
	require.False(t, shown.Blind)
	require.Equal(t, "builtin-1", candidate(t, shown, "One.").Model)
	require.Equal(t, "builtin-brief-1 failed.", candidate(t, shown, "").Reason)
}
