package worker

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// Replayer replays stored histories with the code of this program.
type Replayer struct {
	stored Histories
	build  string
	now    func() time.Time
}

// Histories reads stored histories. A Temporal client implements it.
type Histories interface {
	GetWorkflowHistory(
		ctx context.Context, workflowID, runID string, isLongPoll bool, filter enums.HistoryEventFilterType,
	) client.HistoryEventIterator
}

// NewReplayer replays histories read from stored.
func NewReplayer(stored Histories) *Replayer {
	return &Replayer{stored: stored, build: Build(), now: time.Now}
}

// fewest is the minimum number of events of a history that involves workflow code.
const fewest = 3

// Replay fetches a history and checks whether it replays. It returns a not-found problem if there is
// none. An open run is replayed as far as it has come.
func (r *Replayer) Replay(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error) {
	stored, err := r.fetch(ctx, workflowID, runID)
	if err != nil {
		return chaos.HistoryCheck{}, err
	}
	check := chaos.HistoryCheck{
		WorkflowID: workflowID, RunID: runID, Passed: true, Events: len(stored.Events), Build: r.build, CheckedAt: r.now().UTC(),
	}
	if len(stored.Events) < fewest {
		return check, nil
	}
	if err := replay(stored, workflowID, runID); err != nil {
		check.Passed, check.Message = false, inShort(err)
	}
	return check, nil
}

func (r *Replayer) fetch(ctx context.Context, workflowID, runID string) (*history.History, error) {
	stored := &history.History{}
	events := r.stored.GetWorkflowHistory(ctx, workflowID, runID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
			return nil, problem.New(problem.NotFound, "The history of this run is no longer stored.")
		}
		if err != nil {
			return nil, err
		}
		stored.Events = append(stored.Events, event)
	}
	return stored, nil
}

func replay(stored *history.History, workflowID, runID string) error {
	replayer := worker.NewWorkflowReplayer()
	workflows.Register(replayer)
	return replayer.ReplayWorkflowHistoryWithOptions(sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)), stored,
		worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: workflowID, RunID: runID}})
}

// longestMessage bounds a failure's text. Payloads, which may follow, are cut off.
const longestMessage = 300

// inShort returns where a replay diverged.
func inShort(err error) string {
	text, _, _ := strings.Cut(err.Error(), "\n")
	for _, detail := range []string{", Input:", ", Result:", ", Details:", ", Header:", " input:", " payloads:"} {
		text, _, _ = strings.Cut(text, detail)
	}
	if len(text) > longestMessage {
		text = strings.ToValidUTF8(text[:longestMessage], "") + "…"
	}
	return text
}

// revision is set by the linker when a build has no repository, as in an image.
var revision = "unknown"

// Build returns the commit that this program was built from.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return revision
	}
	revision, changed := revision, ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return revision + changed
}
