package journey_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// found lists the runs that a query of the console finds.
func (w *world) found(ctx context.Context, t require.TestingT, query string) []*workflow.WorkflowExecutionInfo {
	var runs []*workflow.WorkflowExecutionInfo
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: query}
	for {
		page, err := w.temporal.ListWorkflow(ctx, request)
		require.NoError(t, err)
		runs = append(runs, page.Executions...)
		if request.NextPageToken = page.NextPageToken; len(page.NextPageToken) == 0 {
			return runs
		}
	}
}

// histories reads every history of the world.
func (w *world) histories(ctx context.Context, t *testing.T) []*history.History {
	t.Helper()
	var all []*history.History
	for _, run := range w.found(ctx, t, "") {
		all = append(all, w.historyOf(ctx, t, run.Execution.WorkflowId, run.Execution.RunId))
	}
	return all
}

// history reads the latest run of a workflow.
func (w *world) history(ctx context.Context, t *testing.T, workflowID string) *history.History {
	t.Helper()
	return w.historyOf(ctx, t, workflowID, "")
}

func (w *world) historyOf(ctx context.Context, t *testing.T, workflowID, runID string) *history.History {
	t.Helper()
	all := &history.History{}
	events := w.temporal.GetWorkflowHistory(ctx, workflowID, runID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		all.Events = append(all.Events, event)
	}
	return all
}

// save records the latest run of a workflow for the replay test.
func (w *world) save(t *testing.T, ending, workflowID string) {
	t.Helper()
	wire, err := protojson.Marshal(w.history(t.Context(), t, workflowID))
	require.NoError(t, err)
	machine, err := os.Hostname() // names the worker's own queue, and is nobody's business
	require.NoError(t, err)
	wire = bytes.ReplaceAll(wire, []byte(`"`+machine+`:`), []byte(`"machine:`))
	var text bytes.Buffer
	require.NoError(t, json.Indent(&text, wire, "", " "))
	text.WriteByte('\n')
	dir := filepath.Join("..", "..", "workflows", "testdata", "histories")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ending+".json"), text.Bytes(), 0o600))
}
