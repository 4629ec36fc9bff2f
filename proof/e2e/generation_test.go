package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/generation"
	"customerzero/workflows"
)

// TestGenerationEndings tells endings of texts that models write.
func TestGenerationEndings(t *testing.T) {
	tell(t, map[string]ending{
		"two models write: both texts are there":           {"generation-done", patient, bothWrite},
		"a model that is not there: the other one's stays": {"generation-failed", patient, oneIsMissing},
	})
}

// asked writes down what models are asked, as the API does, and starts the run.
func (w *world) asked(t *testing.T, models ...string) (id, runID string) {
	g := generation.Generation{
		ID: xid.New().String(), Voice: "engineer", Topic: "our queue", Blind: len(models) > 1, CreatedAt: time.Now(),
		Facts: []generation.Fact{{Kind: generation.Quota, Text: "Of 500 posts 12 are spent."}},
	}
	candidates := generation.Blank(g.ID, models, strings.ToLower, func() string { return xid.New().String() })
	require.NoError(t, w.db.Generations.BeginGeneration(t.Context(), g, candidates, g.ID))
	runID, err := w.runs.StartGeneration(t.Context(), g.ID)
	require.NoError(t, err)
	return g.ID, runID
}

func (w *world) generated(t *testing.T, id string) generation.Listed {
	return fetch(t, w.db.Generations.Generation, id)
}

func bothWrite(t *testing.T, w *world) string {
	id, runID := w.asked(t, "builtin-1", "builtin-brief-1")
	require.NoError(t, w.runs.AwaitGeneration(t.Context(), id, runID))

	asked := w.generated(t, id)
	require.Equal(t, runID, asked.RunID)
	require.True(t, strings.HasPrefix(asked.Candidates[0].Text, "Topic of the day: our queue. Of 500 posts 12 are spent."))
	for _, c := range asked.Candidates {
		require.Equal(t, generation.Done, c.State)
		call := fetch(t, w.db.ModelCalls.Call, *c.CallID)
		require.Equal(t, c.Text, call.Answer)
	}
	history := string(w.portable(t, workflows.GenerationID(id)))
	for _, word := range []string{"builtin", "queue. Of", "tweet.v1"} {
		require.NotContains(t, history, word, "a run may be read while people vote")
	}
	return workflows.GenerationID(id)
}

func oneIsMissing(t *testing.T, w *world) string {
	id, runID := w.asked(t, "builtin-1", "openai:gpt-9")
	require.NoError(t, w.runs.AwaitGeneration(t.Context(), id, runID))
	asked := w.generated(t, id)
	require.Equal(t, generation.Failed, asked.Candidates[1].State)
	require.Equal(t, "This model is not in LLM_MODELS.", asked.Candidates[1].Reason)
	require.Equal(t, generation.Done, asked.Candidates[0].State)
	return workflows.GenerationID(id)
}
