package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"go.temporal.io/api/workflowservice/v1"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/config"
	"customerzero/worker"
)

// replayChoice is whose histories are replayed.
type replayChoice struct {
	workflowID, runID string
	all               bool
}

func (c replayChoice) check() error {
	switch {
	case c.all && (c.workflowID != "" || c.runID != ""):
		return errors.New("--all is every run there is; leave --workflow-id and --run-id out")
	case !c.all && c.workflowID == "":
		return errors.New("say which histories: --workflow-id, or --all")
	}
	return nil
}

func replayCommand() *cobra.Command {
	var choice replayChoice
	cmd := &cobra.Command{
		Use: "replay", Short: "Replay stored workflow histories with this program's code", Args: cobra.NoArgs,
		Long: "Fetch stored workflow histories from Temporal and replay them with this program's code.\n\n" +
			"A history that does not replay belongs to a run that would break if this program carried it on: the exit code is 1 then.",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			if err := choice.check(); err != nil {
				return err
			}
			cfg = alone(cfg)
			temporal, err := dialTemporal(cmd.Context(), cfg, cfg.TemporalAddress)
			if err != nil {
				return err
			}
			defer temporal.Close()
			r := &replaying{runs: temporal, replayer: worker.NewReplayer(temporal), out: cmd.OutOrStdout()}
			return r.replay(cmd.Context(), choice)
		}),
	}
	cmd.Flags().StringVar(&choice.workflowID, "workflow-id", "", "the runs of this workflow; its latest, unless --run-id names one")
	cmd.Flags().StringVar(&choice.runID, "run-id", "", "this run of the workflow")
	cmd.Flags().BoolVar(&choice.all, "all", false, "every run of the namespace, those under way as well")
	return cmd
}

// replaying replays histories, one after the other, and says what came of each.
type replaying struct {
	runs interface {
		ListWorkflow(ctx context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error)
	}
	replayer interface {
		Replay(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error)
	}
	out io.Writer

	passed, failed, gone int
}

func (r *replaying) replay(ctx context.Context, choice replayChoice) error {
	if err := r.replayChosen(ctx, choice); err != nil {
		return err
	}
	r.say("%d replayed, %d failed, %d not stored any more\n", r.passed+r.failed, r.failed, r.gone)
	switch {
	case r.failed > 0:
		return fmt.Errorf("%d of %d histories do not replay with this program's code", r.failed, r.passed+r.failed)
	case !choice.all && r.passed == 0:
		return errors.New("no history of that run is stored")
	}
	return nil
}

func (r *replaying) replayChosen(ctx context.Context, choice replayChoice) error {
	if !choice.all {
		return r.one(ctx, choice.workflowID, choice.runID, "")
	}
	request := &workflowservice.ListWorkflowExecutionsRequest{}
	for n := 0; ; {
		page, err := r.runs.ListWorkflow(ctx, request)
		if err != nil {
			return fmt.Errorf("the runs of the namespace cannot be listed: %w", err)
		}
		for _, run := range page.Executions {
			n++
			if err := r.one(ctx, run.Execution.GetWorkflowId(), run.Execution.GetRunId(), fmt.Sprintf("%d  ", n)); err != nil {
				return err
			}
		}
		if request.NextPageToken = page.NextPageToken; len(page.NextPageToken) == 0 {
			return nil
		}
	}
}

// one replays a history. One that was deleted meanwhile is no failure.
func (r *replaying) one(ctx context.Context, workflowID, runID, counted string) error {
	check, err := r.replayer.Replay(ctx, workflowID, runID)
	switch {
	case problem.CodeOf(err) == problem.NotFound && err != nil:
		r.gone++
		r.say("%sgone    %s %s\n", counted, workflowID, runID)
	case err != nil:
		return fmt.Errorf("the history of %s cannot be fetched: %w", workflowID, err)
	case check.Passed:
		r.passed++
		r.say("%spassed  %s %s  %d events\n", counted, workflowID, runID, check.Events)
	default:
		r.failed++
		r.say("%sFAILED  %s %s  %d events\n    %s\n", counted, workflowID, runID, check.Events, check.Message)
	}
	return nil
}

func (r *replaying) say(format string, args ...any) { _, _ = fmt.Fprintf(r.out, format, args...) }
