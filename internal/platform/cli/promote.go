package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"customerzero/internal/platform/config"
	"customerzero/worker"
	"customerzero/workflows"
)

// promoteWithin is how long workers of a build are waited for, unless told otherwise.
const promoteWithin = 2 * time.Minute

// promoteChoice is which build is made current, and how.
type promoteChoice struct {
	to          string
	all, status bool
	wait        time.Duration
}

func (c promoteChoice) check() error {
	switch {
	case c.status && (c.to != "" || c.all):
		return errors.New("--status changes nothing; leave --to and --all out")
	case c.to != "" && c.all:
		return errors.New("--all replays with this program's code, and --to names another; leave one of them out")
	}
	return nil
}

func promoteCommand() *cobra.Command {
	var choice promoteChoice
	cmd := &cobra.Command{
		Use: "promote", Short: "Let this build of the worker carry on all flows", Args: cobra.NoArgs,
		Long: "Replay open runs with this program's code, wait until workers of this build (WORKER_BUILD) ask at every queue, and make it the\n" +
			"current build of WORKER_DEPLOYMENT: it begins new runs, and carries on open ones from their next step.\n\n" +
			"A run that does not replay would break in this build: nothing is changed, and the exit code is 1.",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			if err := choice.check(); err != nil {
				return err
			}
			cfg = alone(cfg)
			deployment, err := worker.NewDeployment(cfg.WorkerDeployment, cfg.WorkerBuild)
			if err != nil {
				return err
			}
			if deployment.Name == "" {
				return errors.New("there are no builds to choose from; set WORKER_DEPLOYMENT for the workers and here")
			}
			temporal, err := dialTemporal(cmd.Context(), cfg, cfg.TemporalAddress)
			if err != nil {
				return err
			}
			defer temporal.Close()
			return choice.carryOut(cmd.Context(), newPromotion(cfg, temporal, deployment, cmd.OutOrStdout()), cmd.OutOrStdout())
		}),
	}
	cmd.Flags().StringVar(&choice.to, "to", "", "make this build current, which runs already, and not this program's; its runs are not replayed")
	cmd.Flags().BoolVar(&choice.all, "all", false, "replay every open run; otherwise the newest and the oldest of each flow")
	cmd.Flags().BoolVar(&choice.status, "status", false, "only say which builds there are")
	cmd.Flags().DurationVar(&choice.wait, "wait", promoteWithin, "how long to wait for workers of the build")
	return cmd
}

func newPromotion(cfg config.Config, c client.Client, deployment worker.Deployment, out io.Writer) *worker.Promotion {
	return &worker.Promotion{
		Deployment: deployment, Runs: newRuns(cfg, c), Replayer: worker.NewReplayer(c), Wait: promoteWithin,
		Tell: func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) },
	}
}

func (c promoteChoice) carryOut(ctx context.Context, p *worker.Promotion, out io.Writer) error {
	p.All, p.Wait = c.all, c.wait
	switch {
	case c.status:
		return promoteStatus(ctx, p, out)
	case c.to != "" && c.to != p.Deployment.Build:
		return p.Return(ctx, c.to)
	}
	return p.Promote(ctx)
}

// settle lets a deployment that has no current build yet have that of this worker.
func settle(ctx context.Context, cfg config.Config, c client.Client) {
	deployment, err := worker.NewDeployment(cfg.WorkerDeployment, cfg.WorkerBuild)
	if err == nil && deployment.Name != "" { // an error has kept the worker from starting
		newPromotion(cfg, c, deployment, io.Discard).Settle(ctx)
	}
}

// promoteStatus lists the builds, the newest first.
func promoteStatus(ctx context.Context, p *worker.Promotion, out io.Writer) error {
	seen, err := p.Runs.Builds(ctx, p.Deployment.Name)
	if err != nil {
		return fmt.Errorf("the builds of %s cannot be listed: %w", p.Deployment.Name, err)
	}
	if len(seen.Known) == 0 {
		return fmt.Errorf("no worker of the deployment %s was ever started; start one with WORKER_DEPLOYMENT=%s", p.Deployment.Name, p.Deployment.Name)
	}
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "build\tstate\tfirst seen\tworkers\tnobody asks at")
	for _, build := range seen.Known {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", build.Name, buildState(seen, build),
			build.MadeAt.UTC().Format(time.RFC3339), len(build.Workers), missingQueues(build))
	}
	return table.Flush()
}

func buildState(seen workflows.Builds, build workflows.KnownBuild) string {
	switch {
	case build.Name == seen.Current:
		return "current since " + seen.Since.UTC().Format(time.RFC3339)
	case build.Draining:
		return "draining"
	}
	return "not current"
}

func missingQueues(build workflows.KnownBuild) string {
	if len(build.Workers) == 0 {
		return "any queue"
	}
	return strings.Join(build.Missing, ", ")
}
