package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"go.temporal.io/api/workflowservice/v1"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/config"
	"customerzero/worker"
)

// replayChoice selects one workflow's history, or all of them.
type replayChoice struct {
	workflowID, runID string
	all               bool
}

func replayCommand() *cobra.Command {
	var choice replayChoice
	cmd := &cobra.Command{
		Use: "replay", Short: "Replay stored workflow histories with this program's code",
		Long: "Fetch stored workflow histories from Temporal and replay them with this program's code.\n\n" +
			"A run whose history does not replay would break if this program continued it: the exit code is 1 then.",
		Example: "  customerzero replay --all\n  customerzero replay --workflow-id checkout:ord_1 --json",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			cfg = alone(cfg)
			temporal, err := dialTemporal(cmd.Context(), cfg, cfg.TemporalAddress)
			if err != nil {
				return err
			}
			defer temporal.Close()
			r := &replays{runs: temporal, replayer: worker.NewReplayer(temporal), print: func(result replayed) error {
				return printResult(cmd, result, "%s", result)
			}}
			err = r.replay(cmd.Context(), choice)
			if !wantsJSON(cmd) {
				_, _ = fmt.Fprintln(cmd.OutOrStdout(), r.summary())
			}
			return err
		}),
	}
	cmd.Flags().StringVar(&choice.workflowID, "workflow-id", "", "replay the latest run of this workflow")
	cmd.Flags().StringVar(&choice.runID, "run-id", "", "replay this run of --workflow-id")
	cmd.Flags().BoolVar(&choice.all, "all", false, "replay every run of the namespace, open ones included")
	cmd.MarkFlagsOneRequired("all", "workflow-id")
	cmd.MarkFlagsMutuallyExclusive("all", "workflow-id")
	cmd.MarkFlagsMutuallyExclusive("all", "run-id")
	return printsJSON(cmd, "one object a line: workflowId, runId, outcome (passed, failed or gone), events, message")
}

// replayed is the outcome of one history.
type replayed struct {
	WorkflowID string `json:"workflowId"`
	RunID      string `json:"runId"`
	Outcome    string `json:"outcome"`
	Events     int    `json:"events"`
	Message    string `json:"message,omitempty"` // of a failure
}

func (r replayed) String() string {
	line := fmt.Sprintf("%-6s  %s %s  %d events\n", r.Outcome, r.WorkflowID, r.RunID, r.Events)
	if r.Message != "" {
		line += "    " + r.Message + "\n"
	}
	return line
}

// replays replays histories one after the other and prints each outcome.
type replays struct {
	runs interface {
		ListWorkflow(ctx context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error)
	}
	replayer interface {
		Replay(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error)
	}
	print func(replayed) error

	passed, failed, gone int
}

func (r *replays) summary() string {
	return fmt.Sprintf("%d replayed, %d failed, %d no longer stored", r.passed+r.failed, r.failed, r.gone)
}

func (r *replays) replay(ctx context.Context, choice replayChoice) error {
	if err := r.replayChosen(ctx, choice); err != nil {
		return err
	}
	switch {
	case r.failed > 0:
		return fmt.Errorf("%d of %d histories do not replay with this program's code", r.failed, r.passed+r.failed)
	case !choice.all && r.passed == 0:
		return errors.New("no history of that run is stored")
	}
	return nil
}

func (r *replays) replayChosen(ctx context.Context, choice replayChoice) error {
	if !choice.all {
		return r.replayOne(ctx, choice.workflowID, choice.runID)
	}
	request := &workflowservice.ListWorkflowExecutionsRequest{}
	for {
		page, err := r.runs.ListWorkflow(ctx, request)
		if err != nil {
			return fmt.Errorf("the runs of the namespace cannot be listed: %w", err)
		}
		for _, run := range page.Executions {
			if err := r.replayOne(ctx, run.Execution.GetWorkflowId(), run.Execution.GetRunId()); err != nil {
				return err
			}
		}
		if request.NextPageToken = page.NextPageToken; len(page.NextPageToken) == 0 {
			return nil
		}
	}
}

// replayOne replays a history. A history that Temporal has deleted is not a failure.
func (r *replays) replayOne(ctx context.Context, workflowID, runID string) error {
	check, err := r.replayer.Replay(ctx, workflowID, runID)
	result := replayed{WorkflowID: workflowID, RunID: runID, Outcome: "passed", Events: check.Events}
	switch {
	case err != nil && problem.CodeOf(err) == problem.NotFound:
		r.gone++
		result.Outcome = "gone"
	case err != nil:
		return fmt.Errorf("the history of %s cannot be fetched: %w", workflowID, err)
	case check.Passed:
		r.passed++
	default:
		r.failed++
		result.Outcome, result.Message = "failed", check.Message
	}
	return r.print(result)
}
