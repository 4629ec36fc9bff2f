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

// Histories is where histories are stored. A Temporal client implements it.
type Histories interface {
	GetWorkflowHistory(
		ctx context.Context, workflowID, runID string, isLongPoll bool, filter enums.HistoryEventFilterType,
	) client.HistoryEventIterator
}

// NewReplayer replays what is stored there.
func NewReplayer(stored Histories) *Replayer {
	return &Replayer{stored: stored, build: Build(), now: time.Now}
}

// fewest is how many events a history has in which our code was asked anything.
const fewest = 3

// Replay fetches a history and says whether it replays. Returns NotFound when there is none. A
// run that is under way is replayed as far as it has come.
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
			return nil, problem.New(problem.NotFound, "The history of this run is not stored any more.")
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

// longestMessage is how much of a failure is told. What flows were given and what came of it,
// which follows, is not.
const longestMessage = 300

// inShort says where a replay went another way.
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

// revision is the linker's word where there is no repository: in an image.
var revision = "unknown"

// Build names the commit that this program was built from.
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
