// Package cli implements the subcommands, one file each: read the configuration, build, run, shut down.
// It is the only package that imports all others.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/suggest"
	"customerzero/internal/platform/config"
	"customerzero/internal/platform/telemetry"
	"customerzero/internal/store"
	"customerzero/worker"
)

const about = `Run a social bot you can audit: every post, price and repair is a workflow run that anyone can inspect.

Settings are environment variables; docs/configuration.md lists them, and "customerzero doctor" shows
their values. Results go to standard output; progress, logs and errors go to standard error. Commands that
print a result accept --json.

Exit codes:
  0  success
  1  failure; the last line on standard error names the reason
  2  wrong usage: unknown command or flag, or wrong arguments; nothing was done`

// Main runs the program and returns its exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	syscall.Umask(0o077) // databases, logs and keys are for this user only
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the next signal ends the program immediately

	root, started := newRoot(), false
	prepare(root, &started)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	if store.OutOfSpace(err) || errors.Is(err, problem.ErrNoRoom) {
		err = fmt.Errorf("the disk is full; free some space and run the command again (%w)", err)
	}
	_, _ = fmt.Fprintln(stderr, "customerzero:", err)
	if started {
		return 1
	}
	_, _ = fmt.Fprintf(stderr, "Run %q for usage.\n", cmd.CommandPath()+" --help")
	return 2
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "customerzero", Short: "Run a social bot you can audit", Long: about, SilenceUsage: true, SilenceErrors: true,
		Example: "  customerzero up\n  customerzero post \"Hello, world\"\n  customerzero import --dry-run examples/posts.csv",
	}
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetFlagErrorFunc(explainFlag)
	root.AddCommand(upCommand(), apiCommand(), workerCommand(), migrateCommand(), doctorCommand(),
		postCommand(), importCommand(), memberCommand(), sandboxCommand(), keysCommand(), healthCommand(), replayCommand(), settingsCommand(),
		targetCommand(), instanceCommand(), promoteCommand(), backupCommand(), restoreCommand())
	return root
}

// prepare gives every subcommand the default check of its arguments, and sets started when one runs:
// an error before that is wrong usage.
func prepare(parent *cobra.Command, started *bool) {
	for _, cmd := range parent.Commands() {
		if cmd.Args == nil {
			cmd.Args = noArgs
		}
		run := cmd.RunE
		if cmd.HasSubCommands() {
			run = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*started = true
			return run(cmd, args)
		}
		prepare(cmd, started)
	}
}

// noArgs refuses arguments. Those of a command with subcommands are misspelled subcommands.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	if len(names) > 0 {
		return fmt.Errorf("unknown command %q for %q.%s", args[0], cmd.CommandPath(), suggest.DidYouMean(args[0], names))
	}
	return fmt.Errorf("%q takes no arguments; got %q", cmd.CommandPath(), args[0])
}

// oneArg requires one argument, which the error describes.
func oneArg(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%q takes 1 argument, %s; got %d", cmd.CommandPath(), name, len(args))
		}
		return nil
	}
}

// explainFlag suggests the nearest flag for one that does not exist.
func explainFlag(cmd *cobra.Command, err error) error {
	unknown, is := errors.AsType[*pflag.NotExistError](err)
	if !is || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	flag := "--" + unknown.GetSpecifiedName()
	return fmt.Errorf("unknown flag %s.%s", flag, suggest.DidYouMean(flag, names))
}

// printsJSON adds --json to a command. Its fields are an interface: add some, never rename one.
func printsJSON(cmd *cobra.Command, fields string) *cobra.Command {
	cmd.Flags().Bool("json", false, "print JSON: "+fields)
	return cmd
}

func wantsJSON(cmd *cobra.Command) bool {
	on, _ := cmd.Flags().GetBool("json")
	return on
}

// printResult writes a result as one line of JSON if --json is set, else as text.
func printResult(cmd *cobra.Command, result any, text string, args ...any) error {
	if wantsJSON(cmd) {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(result)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), text, args...)
	return err
}

// withConfig reads the settings and sets up the log before a subcommand runs.
func withConfig(run func(cmd *cobra.Command, cfg config.Config, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := config.Load()
		if err != nil {
			return err
		}
		slog.SetDefault(telemetry.NewLog(cmd.ErrOrStderr(), cfg.LogFormat, cfg.Level()))
		quiet = telemetry.NewLog(cmd.ErrOrStderr(), cfg.LogFormat, max(cfg.Level(), slog.LevelWarn))
		if cmd.Name() != "doctor" { // which reports them
			for _, warning := range config.MisspelledIn(".env") {
				quiet.Warn(warning)
			}
		}
		return run(cmd, cfg, args)
	}
}

func settingsCommand() *cobra.Command {
	var table bool
	cmd := &cobra.Command{
		Use: "settings", Short: "Print every setting as .env.example, or as the table of docs/configuration.md", Hidden: true,
		Example: "  customerzero settings > .env.example\n  customerzero settings --table",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if table {
				return printResult(cmd, nil, "%s", config.Table())
			}
			return printResult(cmd, nil, "%s", config.Example())
		},
	}
	cmd.Flags().BoolVar(&table, "table", false, "print a Markdown table")
	return cmd
}

// trace exports traces to the configured collector until stop is called. A collector that cannot be
// used is logged and does not keep the process from starting.
func trace(ctx context.Context, cfg config.Config, process string) (stop func()) {
	stop, err := telemetry.Start(ctx, telemetry.Options{
		Endpoint: cfg.OTLPEndpoint, Share: cfg.TraceShare, Service: "customerzero-" + process, Version: worker.Build(),
		Quiet: []string{"SelfHeal", "Canary"}, // their traces would never end
	})
	if err != nil {
		slog.Warn("tracing is off", "error", err)
		return func() {}
	}
	return stop
}
