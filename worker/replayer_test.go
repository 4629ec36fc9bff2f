package worker_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"customerzero/internal/domain/problem"
	"customerzero/worker"
)

// stored is a fake Temporal with one history.
type stored struct {
	client.HistoryEventIterator
	events []*history.HistoryEvent
	err    error
}

func (s *stored) GetWorkflowHistory(context.Context, string, string, bool, enums.HistoryEventFilterType) client.HistoryEventIterator {
	return &stored{events: s.events, err: s.err}
}

func (s *stored) HasNext() bool { return s.err != nil || len(s.events) > 0 }

// Next returns a copy, because a replay writes into events.
func (s *stored) Next() (*history.HistoryEvent, error) {
	if s.err != nil {
		return nil, s.err
	}
	event := s.events[0]
	s.events = s.events[1:]
	return proto.CloneOf(event), nil
}

func recorded(t *testing.T, name string) []*history.HistoryEvent {
	t.Helper()
	text := must(os.ReadFile(filepath.Join("..", "workflows", "testdata", "histories", name)))
	var stored history.History
	require.NoError(t, protojson.Unmarshal(text, &stored))
	return stored.Events
}

// Proves: F35
func TestReplayer(t *testing.T) {
	t.Parallel()
	done := recorded(t, "generation-done.json")
	other := recorded(t, "generation-done.json")
	other[0].GetWorkflowExecutionStartedEventAttributes().WorkflowType.Name = "Email"
	for name, tt := range map[string]struct {
		events []*history.HistoryEvent
		passed bool
		says   string
	}{
		"a run that has ended":        {events: done, passed: true},
		"an open run":                 {events: done[:len(done)-4], passed: true},
		"a run that has just started": {events: done[:2], passed: true},
		"a run that diverges":         {events: other, says: "TMPRL1100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check, err := worker.NewReplayer(&stored{events: tt.events}).Replay(t.Context(), "generation:1", "r1")
			require.NoError(t, err)
			require.Equal(t, tt.passed, check.Passed, check.Message)
			require.Equal(t, len(tt.events), check.Events)
			require.Contains(t, check.Message, tt.says)
			require.NotContains(t, strings.ToLower(check.Message), "payload", "payloads are not shown")
			require.NotEmpty(t, check.Build)
			require.Equal(t, "r1", check.RunID)
		})
	}
}

func TestReplayerWithoutHistory(t *testing.T) {
	t.Parallel()
	for code, answer := range map[problem.Code]error{
		problem.NotFound: serviceerror.NewNotFound("no rows"), problem.Internal: serviceerror.NewUnavailable("away"),
	} {
		_, err := worker.NewReplayer(&stored{err: answer}).Replay(t.Context(), "chaos:chaos-target", "r1")
		require.Equal(t, code, problem.CodeOf(err))
	}
}
