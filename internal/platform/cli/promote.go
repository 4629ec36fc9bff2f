package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"customerzero/internal/platform/config"
	"customerzero/worker"
)

func promoteCommand() *cobra.Command {
	var all bool
	var wait time.Duration
	cmd := &cobra.Command{
		Use: "promote", Short: "Let this build of the worker carry on all flows", Args: cobra.NoArgs,
		Long: "Replay open runs with this program's code, wait until a worker of this build (WORKER_BUILD) works, and make it the current\n" +
			"build of WORKER_DEPLOYMENT: it begins new runs, and carries on open ones from their next step.\n\n" +
			"A run that does not replay would break in this build: nothing is changed, and the exit code is 1.",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
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
			p := newPromotion(cfg, temporal, deployment, cmd.OutOrStdout())
			p.All, p.Wait = all, wait
			return p.Promote(cmd.Context())
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "replay every open run; otherwise the newest and the oldest of each flow")
	cmd.Flags().DurationVar(&wait, "wait", 2*time.Minute, "how long to wait for workers of the build")
	return cmd
}

func newPromotion(cfg config.Config, c client.Client, deployment worker.Deployment, out io.Writer) *worker.Promotion {
	return &worker.Promotion{
		Deployment: deployment, Runs: newRuns(cfg, c), Replayer: worker.NewReplayer(c),
		Report: func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) },
	}
}

// settle lets a deployment that has no current build yet have that of this worker.
func settle(ctx context.Context, cfg config.Config, c client.Client) {
	deployment, err := worker.NewDeployment(cfg.WorkerDeployment, cfg.WorkerBuild)
	if err == nil && deployment.Name != "" { // an error has kept the worker from starting
		newPromotion(cfg, c, deployment, io.Discard).Settle(ctx)
	}
}
