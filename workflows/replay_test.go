package workflows_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	sdklog "go.temporal.io/sdk/log"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/workflows"
)

// A red test here means that runs which are under way would break on deploy: guard the
// change with workflow.GetVersion, and record a new history beside the old ones.
func TestReplay(t *testing.T) {
	t.Parallel()
	histories, err := filepath.Glob("testdata/histories/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, histories, "make history records them")

	quiet := sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler))
	for _, path := range histories {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			replayer := sdkworker.NewWorkflowReplayer()
			workflows.Register(replayer)
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(quiet, path))
		})
	}
}
