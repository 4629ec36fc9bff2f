package journeys_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"customerzero/internal/store/testdb"
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

// ending is a journey to one ending of a flow. It gives the ID of the workflow.
type ending struct {
	name    string        // of its history
	send    time.Duration // how long X may take to answer
	journey func(t *testing.T, w *world) (workflowID string)
}

// tell runs journeys at the same time, each on one of the databases, or on both under PROOF. Each
// records a history for the replay test if -record is given.
func tell(t *testing.T, endings map[string]ending) {
	t.Helper()
	for name, tt := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, kind := range testdb.Either(t) {
				t.Run(kind, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, server, kind, tt.send)
					workflowID := tt.journey(t, w)
					if *record && i == 0 {
						w.save(t, tt.name, workflowID)
					}
				})
			}
		})
	}
}

// save records the latest run of a workflow for the replay test. What was recorded before
// stays as it is: runs like it may be alive.
func (w *world) save(t *testing.T, name, workflowID string) {
	t.Helper()
	dir := filepath.Join("..", "..", "workflows", "testdata", "histories")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	file, err := os.OpenFile(filepath.Join(dir, name+".json"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	require.NoError(t, err)
	_, err = file.Write(w.portable(t, workflowID))
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// portable is a history as text, without the name of the machine that it is from.
func (w *world) portable(t *testing.T, workflowID string) []byte {
	t.Helper()
	wire, err := protojson.Marshal(w.history(t.Context(), t, workflowID))
	require.NoError(t, err)
	machine, err := os.Hostname() // names the worker's own queue, and is nobody's business
	require.NoError(t, err)
	wire = bytes.ReplaceAll(wire, []byte(`"`+machine+`:`), []byte(`"machine:`))
	var text bytes.Buffer
	require.NoError(t, json.Indent(&text, wire, "", " "))
	text.WriteByte('\n')
	return text.Bytes()
}
