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

// shelfOf is a Temporal that stores one history.
type shelfOf struct {
	events []*history.HistoryEvent
	err    error
}

func (s *shelfOf) GetWorkflowHistory(context.Context, string, string, bool, enums.HistoryEventFilterType) client.HistoryEventIterator {
	return &reading{shelf: s}
}

// shelved stores copies: whoever replays a history writes into it, as it may into what came over
// the wire.
func shelved(events []*history.HistoryEvent) *shelfOf {
	shelf := &shelfOf{}
	for _, event := range events {
		shelf.events = append(shelf.events, proto.CloneOf(event))
	}
	return shelf
}

type reading struct {
	shelf *shelfOf
	n     int
}

func (r *reading) HasNext() bool { return r.shelf.err != nil || r.n < len(r.shelf.events) }

func (r *reading) Next() (*history.HistoryEvent, error) {
	if r.shelf.err != nil {
		return nil, r.shelf.err
	}
	r.n++
	return r.shelf.events[r.n-1], nil
}

func recorded(t *testing.T, name string) []*history.HistoryEvent {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "workflows", "testdata", "histories", name))
	require.NoError(t, err)
	var stored history.History
	require.NoError(t, protojson.Unmarshal(text, &stored))
	return stored.Events
}

// Proves: F35
func TestReplayer(t *testing.T) {
	t.Parallel()
	done := recorded(t, "generation-done.json")
	other := recorded(t, "generation-done.json")
	for _, event := range other {
		if begun := event.GetWorkflowExecutionStartedEventAttributes(); begun != nil {
			begun.WorkflowType.Name = "Mail"
		}
	}
	for name, tt := range map[string]struct {
		events []*history.HistoryEvent
		passed bool
		says   string
	}{
		"a run that has ended":        {events: done, passed: true},
		"a run that is under way":     {events: done[:len(done)-4], passed: true},
		"a run that has just begun":   {events: done[:2], passed: true},
		"a run that went another way": {events: other, says: "TMPRL1100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check, err := worker.NewReplayer(shelved(tt.events)).Replay(t.Context(), "generation:1", "r1")
			require.NoError(t, err)
			require.Equal(t, tt.passed, check.Passed, check.Message)
			require.Equal(t, len(tt.events), check.Events)
			require.Contains(t, check.Message, tt.says)
			require.NotContains(t, strings.ToLower(check.Message), "payload", "what flows were given is not told")
			require.NotEmpty(t, check.Build)
			require.Equal(t, "r1", check.RunID)
		})
	}
}

func TestReplayerNamesWhatIsNotStored(t *testing.T) {
	t.Parallel()
	_, err := worker.NewReplayer(&shelfOf{err: serviceerror.NewNotFound("no rows")}).Replay(t.Context(), "chaos:cell", "r1")
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
	_, err = worker.NewReplayer(&shelfOf{err: serviceerror.NewUnavailable("away")}).Replay(t.Context(), "chaos:cell", "r1")
	require.Equal(t, problem.Internal, problem.CodeOf(err))
}
