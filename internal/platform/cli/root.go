// Package cli wires the product together, one file a subcommand: read the
// configuration, build, run, shut down. It is the only package that knows all others.
package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"customerzero/internal/platform/config"
	"customerzero/internal/platform/telemetry"
	"customerzero/worker"
)

// Main runs the program and says how it should exit.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the next signal ends at once

	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		_, _ = fmt.Fprintln(stderr, "customerzero:", err)
		return 1
	}
	return 0
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "customerzero", Short: "A social bot you can audit",
		SilenceUsage: true, SilenceErrors: true, CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.AddCommand(upCommand(), apiCommand(), workerCommand(), migrateCommand(), doctorCommand(),
		postCommand(), importCommand(), sandboxCommand(), keysCommand(), healthCommand(), replayCommand(), settingsCommand(),
		targetCommand(), replicaCommand(), promoteCommand(), backupCommand(), restoreCommand())
	return root
}

// withConfig reads the settings and sets up the log before a subcommand runs.
func withConfig(run func(cmd *cobra.Command, cfg config.Config, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := config.Load()
		if err != nil {
			return err
		}
		var level slog.Level
		if err := level.UnmarshalText([]byte(cfg.LogLevel)); err != nil {
			return fmt.Errorf("LOG_LEVEL is not debug, info, warn or error")
		}
		slog.SetDefault(telemetry.NewLog(cmd.ErrOrStderr(), cfg.LogFormat, level))
		return run(cmd, cfg, args)
	}
}

func settingsCommand() *cobra.Command {
	var table bool
	cmd := &cobra.Command{
		Use: "settings", Short: "Print every setting as .env.example, or as the table of docs/configuration.md", Args: cobra.NoArgs, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text := config.Example()
			if table {
				text = config.Table()
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().BoolVar(&table, "table", false, "as a Markdown table")
	return cmd
}

// endless flows are not traced: one is always under way, and its trace would never end.
var endless = []string{"SelfHeal", "Canary"}

// trace lets this process tell its collector what it does, until the function that it gives is
// called. Without a collector, or with one that cannot be used, everything else works.
func trace(ctx context.Context, cfg config.Config, process string) (stop func()) {
	stop, err := telemetry.Start(ctx, telemetry.Options{
		Endpoint: cfg.OTLPEndpoint, Share: cfg.TraceShare, Service: "customerzero-" + process, Version: worker.Build(), Quiet: endless,
	})
	if err != nil {
		slog.Warn("nothing is traced", "error", err)
		return func() {}
	}
	return stop
}
