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

func TestGenerationEndings(t *testing.T) {
	runEndings(t, map[string]ending{"two templates, two texts": {"generation-done", longSend, bothWrite}})
}

// bothWrite stores a generation, as the API does, and starts the run.
func bothWrite(t *testing.T, w *world) string {
	g := generation.Generation{
		ID: xid.New().String(), Voice: "engineer", Topic: "our queue", Blind: true, CreatedAt: time.Now(),
		Facts: []generation.Fact{{Kind: generation.Quota, Text: "Of 500 posts 12 are spent."}},
	}
	candidates := generation.Blank(g.ID, []string{"template-1", "template-brief-1"}, strings.ToLower, func() string { return xid.New().String() })
	require.NoError(t, w.db.Generations.BeginGeneration(t.Context(), g, candidates, g.ID))
	runID, err := w.runs.StartGeneration(t.Context(), g.ID)
	require.NoError(t, err)
	require.NoError(t, w.runs.AwaitGeneration(t.Context(), g.ID, runID))

	asked := fetch(t, w.db.Generations.Generation, g.ID)
	require.Equal(t, runID, asked.RunID)
	require.True(t, strings.HasPrefix(asked.Candidates[0].Text, "Topic of the day: our queue. Of 500 posts 12 are spent."))
	for _, c := range asked.Candidates {
		require.Equal(t, generation.Done, c.State)
		require.Equal(t, []any{"", (*string)(nil)}, []any{c.Prompt, c.CallID}, "no model was called")
	}
	history := string(w.portable(t, workflows.GenerationID(g.ID)))
	for _, word := range []string{"template", "queue. Of"} {
		require.NotContains(t, history, word, "a run is public before the vote")
	}
	return workflows.GenerationID(g.ID)
}
