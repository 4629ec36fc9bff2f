package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	generationapi "customerzero/api/generation"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/problem"
)

// generation stores a generation without a workflow.
func (w *world) generation(t *testing.T, accountID *string) string {
	g := generation.Generation{ID: xid.New().String(), AccountID: accountID, Voice: "founder", Topic: "hers", CreatedAt: w.now}
	candidates := generation.Blank(g.ID, []string{"openai:gpt-5"}, strings.ToLower, func() string { return xid.New().String() })
	require.NoError(t, w.db.Generations.BeginGeneration(t.Context(), g, candidates, "test"))
	return g.ID
}

const threeModels = `{"prompt":"hello","models":["openai:gpt-5","ollama:llama3.2","openai:gpt-4o-mini"]}`

func end(state generation.State, text string, code problem.Code, reason string) generation.End {
	return generation.End{State: state, Text: text, Code: code, Reason: reason}
}

func TestGenerateReturnsOneText(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	got := read[generationapi.GenerateReply](t, ada.post(t, "/api/ai/generate", `{"content_type":"tweet","prompt":"hello","context":["quota"]}`), ok)
	require.Equal(t, []any{true, "What A wrote."}, []any{got.Success, got.Content})
	require.Equal(t, "openai:gpt-5", got.Model, "the default model")
	require.Equal(t, []any{"tweet.v1", false}, []any{got.Prompt, got.Template})

	id := w.accountOf(t, "ada")
	c := must(w.db.Generations.CandidateForPost(t.Context(), got.CandidateID, &id))(t)
	require.Equal(t, got.Content, c.Text)
	asked := must(w.db.Generations.Generation(t.Context(), c.GenerationID))(t)
	require.Equal(t, []generation.Fact{{
		Kind: "quota", Text: "Of the 500 posts that members share in 2026-11, 0 are spent, 0 are reserved and 500 are free.",
	}}, asked.Facts, "facts are stored as in the prompt")
}

func TestGenerateExplainsItsErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		body  string
		texts map[string]generation.End
		down  bool
		code  problem.Code
		says  string
	}{
		"a text that is too long": {
			texts: map[string]generation.End{"openai:gpt-5": generation.EndOf(strings.Repeat("x", 612))},
			code:  problem.AnswerUnfit, says: "The text has 612 of 280 characters.",
		},
		"a model that fails": {
			texts: map[string]generation.End{"openai:gpt-5": end(generation.Failed, "", problem.ModelTrouble, "openai:gpt-5 did not answer in time.")},
			code:  problem.ModelTrouble, says: "did not answer in time",
		},
		"a model that is still writing": {
			texts: map[string]generation.End{}, code: problem.Unavailable, says: "still writing",
		},
		"no Temporal":                {down: true, code: problem.Unavailable, says: "is unavailable"},
		"an unknown model":           {body: `{"content_type":"tweet","prompt":"a","model":"gpt-9"}`, code: problem.ModelUnknown, says: "Unknown model"},
		"a fact that is unavailable": {body: `{"content_type":"tweet","prompt":"a","context":["last_chaos"]}`, code: problem.Invalid, says: "No chaos runs are stored yet."},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.runs.texts, w.runs.down = tt.texts, tt.down
			body := tt.body
			if body == "" {
				body = `{"content_type":"tweet","prompt":"hello"}`
			}
			p := refused(t, w.newMember(t, "ada").post(t, "/api/ai/generate", body), tt.code)
			require.Contains(t, p.Message, tt.says)
			if tt.code == problem.ModelUnknown || tt.code == problem.Invalid {
				require.NotEmpty(t, p.Details)
			}
			if tt.down { // no workflow would end it
				require.Zero(t, w.count(t, "SELECT count(*) FROM generation_candidates WHERE ended_at IS NULL"))
			}
		})
	}
}

func TestAModelIsAskedOnce(t *testing.T) {
	w := newWorld(t)
	ada, before := w.newMember(t, "ada"), w.rows(t)
	rec := ada.post(t, "/api/ai/generations", `{"prompt":"hello","models":["openai:gpt-5","ollama:llama3.2","openai:gpt-5"]}`)
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code, rec.Body)
	require.Equal(t, []problem.Detail{{Field: "body.models[2]", Reason: "each model can be listed only once"}}, problemOf(t, rec).Details)
	require.Equal(t, before, w.rows(t))
}

// Proves: V8.2.2
func TestAGenerationIsItsAskersOwn(t *testing.T) {
	w := newWorld(t)
	ada, eve, grace := w.newMember(t, "ada"), w.newMember(t, "eve"), w.founder(t)
	hers := read[generationapi.Generation](t, ada.post(t, "/api/ai/generations", threeModels), http.StatusCreated)
	programs := read[generationapi.Generation](t, w.send(t, http.MethodPost, "/api/ai/generations", threeModels), http.StatusCreated)
	for name, tt := range map[string]struct {
		send        sending
		hers, other int
	}{
		"ada": {ada.send, ok, nothing}, "eve": {eve.send, nothing, nothing}, "a founder": {grace.send, ok, ok}, "a program": {w.send, nothing, ok},
	} {
		require.Equal(t, tt.hers, tt.send(t, http.MethodGet, "/api/ai/generations/"+hers.ID, "").Code, name)
		require.Equal(t, tt.other, tt.send(t, http.MethodGet, "/api/ai/generations/"+programs.ID, "").Code, name)
	}
	require.Equal(t, nothing, eve.post(t, "/api/ai/generations/"+hers.ID+"/vote", `{"candidateId":"`+hers.Candidates[0].ID+`"}`).Code)
}

func TestAGenerationWithoutARunEndsOnRead(t *testing.T) {
	w := newWorld(t)
	w.runs.texts = map[string]generation.End{}
	ada := w.newMember(t, "ada")
	path := "/api/ai/generations/" + read[generationapi.Generation](t, ada.post(t, "/api/ai/generations", threeModels), http.StatusCreated).ID
	w.now = now.Add(3 * time.Minute)
	require.False(t, read[generationapi.Generation](t, ada.get(t, path), ok).Done)
	w.now = now.Add(3*time.Minute + time.Second)
	shown := read[generationapi.Generation](t, ada.get(t, path), ok)
	require.True(t, shown.Done)
	for _, c := range shown.Candidates {
		require.Equal(t, "failed", c.State)
		require.Contains(t, c.Reason, "worker")
	}
}

func TestGenerationChoices(t *testing.T) {
	w := newWorld(t)
	choices := read[generationapi.Choices](t, w.browser().get(t, "/api/ai/models"), ok)
	require.Len(t, choices.Voices, 5)
	require.Equal(t, []string{"openai:gpt-5", "ollama:llama3.2", "openai:gpt-4o-mini"}, choices.Models)
	require.Equal(t, []string{"template-1"}, choices.Templates, "a template is no model")
	fact := func(kind string) generationapi.ModelFact {
		facts := read[generationapi.Choices](t, w.browser().get(t, "/api/ai/models"), ok).Facts
		return facts[slices.IndexFunc(facts, func(f generationapi.ModelFact) bool { return f.Kind == kind })]
	}
	require.Equal(t, "There is 1 public experiment: 1 running, 0 completed.", fact("experiments").Text)
	require.Equal(t, generationapi.ModelFact{Kind: "last_chaos", Label: fact("last_chaos").Label, Unavailable: "No chaos runs are stored yet."}, fact("last_chaos"))
	w.healed(t)
	require.Contains(t, fact("last_chaos").Text, "crash-api")

	w.server.Writers = nil
	w.handler = w.server.Handler()
	require.Empty(t, read[generationapi.Choices](t, w.browser().get(t, "/api/ai/models"), ok).Models)
	rec := w.newMember(t, "ada").post(t, "/api/ai/generate", `{"content_type":"tweet","prompt":"hello"}`)
	refused(t, rec, problem.Unavailable)
}

// Proves: V8.2.3
func TestModelsAreHiddenUntilTheVote(t *testing.T) {
	w := newWorld(t)
	w.runs.texts = map[string]generation.End{
		"openai:gpt-5":       end(generation.Done, "One.", "", ""),
		"ollama:llama3.2":    generation.EndOf("**Two.**"),
		"openai:gpt-4o-mini": end(generation.Failed, "", problem.ModelTrouble, "openai:gpt-4o-mini cannot be reached. Check OPENAI_BASE_URL."),
	}
	ada := w.newMember(t, "ada")
	rec := ada.post(t, "/api/ai/generations", threeModels)
	require.Equal(t, http.StatusCreated, rec.Code, rec.Body.String())
	var shown generationapi.Generation
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &shown))
	path := "/api/ai/generations/" + shown.ID
	for _, text := range []string{rec.Body.String(), ada.get(t, path).Body.String()} {
		for _, word := range []string{"ollama", "openai", "OPENAI", "gpt", "tweet.v1"} {
			require.NotContains(t, text, word)
		}
	}
	require.Equal(t, []any{true, true, "run-" + shown.ID}, []any{shown.Blind, shown.Done, shown.RunID})
	require.Equal(t, []string{"A", "B", "C"}, []string{shown.Candidates[0].Label, shown.Candidates[1].Label, shown.Candidates[2].Label})

	winner := candidate(t, shown, "One.")
	after := read[generationapi.Generation](t, ada.post(t, path+"/vote", `{"candidateId":"`+winner.ID+`"}`), ok)
	require.True(t, after.Voted)
	require.Equal(t, "openai:gpt-5", candidate(t, after, "One.").Model)
	require.True(t, candidate(t, after, "One.").Chosen)
	require.Equal(t, "openai:gpt-4o-mini cannot be reached. Check OPENAI_BASE_URL.", candidate(t, after, "").Reason)

	second := ada.post(t, path+"/vote", `{"candidateId":"`+candidate(t, after, "**Two.**").ID+`"}`)
	refused(t, second, problem.GenerationEnded)
	leaderboard := read[generationapi.Leaderboard](t, w.browser().get(t, "/api/ai/leaderboard"), ok)
	require.Equal(t, generationapi.Leaderboard{Votes: 1, Models: []generationapi.LeaderboardRow{
		{Model: "openai:gpt-5", Wins: 1, Votes: 1, Percent: 100}, {Model: "ollama:llama3.2", Votes: 1},
	}}, leaderboard, "a model without a text took no part")
}

// candidate returns the candidate with a text.
func candidate(t *testing.T, shown generationapi.Generation, content string) generationapi.Candidate {
	i := slices.IndexFunc(shown.Candidates, func(c generationapi.Candidate) bool { return c.Content == content })
	require.GreaterOrEqual(t, i, 0, content)
	return shown.Candidates[i]
}
