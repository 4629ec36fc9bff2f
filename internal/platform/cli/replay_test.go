package cli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

// namespace lists its runs one a page; its values are the outcomes of their replays.
type namespace map[string]chaos.HistoryCheck

func (n namespace) ListWorkflow(
	_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest,
) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	names := []string{"a", "b", "c"}
	at := 0
	if len(r.NextPageToken) > 0 {
		at = int(r.NextPageToken[0])
	}
	page := &workflowservice.ListWorkflowExecutionsResponse{Executions: []*workflow.WorkflowExecutionInfo{
		{Execution: &common.WorkflowExecution{WorkflowId: names[at], RunId: "r"}},
	}}
	if at++; at < len(names) {
		page.NextPageToken = []byte{byte(at)}
	}
	return page, nil
}

func (n namespace) Replay(_ context.Context, workflowID, _ string) (chaos.HistoryCheck, error) {
	check, stored := n[workflowID]
	if !stored {
		return check, problem.New(problem.NotFound, "The history of this run is no longer stored.")
	}
	if check.Build == "away" {
		return check, errors.New("no Temporal")
	}
	return check, nil
}

func TestReplay(t *testing.T) {
	t.Parallel()
	passed, failed := chaos.HistoryCheck{Passed: true, Events: 9}, chaos.HistoryCheck{Events: 7, Message: "another way"}
	for name, tt := range map[string]struct {
		stored  namespace
		choice  replayChoice
		says    string
		refused string
	}{
		"all of them pass": {
			namespace{"a": passed, "b": passed, "c": passed}, replayChoice{all: true}, "3 replayed, 0 failed, 0 no longer stored", "",
		},
		"one fails, and the others are replayed too": {
			namespace{"a": passed, "b": failed, "c": passed},
			replayChoice{all: true},
			"passed  a r  9 events\nfailed  b r  7 events\n    another way\npassed  c r  9 events\n", "1 of 3 histories do not replay with this program's code",
		},
		"one has been deleted": {
			namespace{"a": passed, "c": passed}, replayChoice{all: true}, "2 replayed, 0 failed, 1 no longer stored", "",
		},
		"one cannot be fetched": {
			namespace{"a": {Build: "away"}}, replayChoice{all: true}, "", "the history of a cannot be fetched: no Temporal",
		},
		"one is named":                    {namespace{"a": passed}, replayChoice{workflowID: "a"}, "1 replayed, 0 failed", ""},
		"one is named that is not stored": {namespace{}, replayChoice{workflowID: "a"}, "gone", "no history of that run is stored"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			r := &replays{runs: tt.stored, replayer: tt.stored, print: func(result replayed) error { out.WriteString(result.String()); return nil }}
			err := r.replay(t.Context(), tt.choice)
			require.Contains(t, out.String()+r.summary(), tt.says)
			if tt.refused == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, tt.refused)
			}
		})
	}
}
