package workflows_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	sdklog "go.temporal.io/sdk/log"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/workflows"
)

// TestReplay fails if a deploy would break open runs: guard the change with workflow.GetVersion, and record
// a new history beside the old ones.
// Proves: F26
func TestReplay(t *testing.T) {
	t.Parallel()
	histories := must(filepath.Glob("testdata/histories/*.json"))
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

// TestEveryFlowHasAHistory checks that TestReplay covers every workflow.
// Proves: F26
func TestEveryFlowHasAHistory(t *testing.T) {
	t.Parallel()
	recorded := map[string]bool{}
	histories := must(filepath.Glob("testdata/histories/*.json"))
	for _, path := range histories {
		recorded[flowOf(t, path)] = true
	}
	var known flows
	workflows.Register(&known)
	require.NotEmpty(t, known.names)
	for _, name := range known.names {
		require.True(t, recorded[name], "no history of %s is in testdata/histories: add a test that ends it, and make history", name)
	}
}

type flows struct {
	sdkworker.WorkflowRegistry
	names []string
}

func (f *flows) RegisterWorkflow(flow any) {
	name := runtime.FuncForPC(reflect.ValueOf(flow).Pointer()).Name()
	f.names = append(f.names, name[strings.LastIndex(name, ".")+1:])
}

var workflowType = regexp.MustCompile(`"workflowType":\s*\{\s*"name":\s*"(\w+)"`)

func flowOf(t *testing.T, path string) string {
	t.Helper()
	found := workflowType.FindSubmatch(must(os.ReadFile(path)))
	require.NotNil(t, found, path)
	return string(found[1])
}
