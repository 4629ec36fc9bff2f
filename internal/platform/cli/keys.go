package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"customerzero/internal/platform/config"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
	"customerzero/worker"
)

func keysCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "keys", Short: "The keys that seal stored secrets", Args: cobra.NoArgs}
	cmd.AddCommand(
		&cobra.Command{
			Use: "new", Short: "Print a new key for SECRET_KEYS", Args: cobra.NoArgs, RunE: withConfig(newKey),
		},
		&cobra.Command{
			Use: "add", Short: "Put a new key in front of those in the data directory", Args: cobra.NoArgs, RunE: withConfig(addKey),
		},
		&cobra.Command{
			Use: "list", Short: "Say which keys seal how many secrets", Args: cobra.NoArgs, RunE: withConfig(withKeys(listKeys)),
		},
		&cobra.Command{
			Use: "rotate", Short: "Seal every stored secret with the first key", Args: cobra.NoArgs,
			Long: "Seal every stored secret with the first key of SECRET_KEYS.\n\n" +
				"First give every process the ring \"new,old\": add the new key at the end, restart them all, then put it in front.\n" +
				"A single customerzero up needs only: keys add, then keys rotate, while it runs.",
			RunE: withConfig(withKeys(rotateKeys)),
		},
	)
	return cmd
}

func newKey(cmd *cobra.Command, _ config.Config, _ []string) error {
	key, err := keyring.New(keyID(time.Now()))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), key)
	return err
}

func addKey(cmd *cobra.Command, cfg config.Config, _ []string) error {
	if cfg.SecretKeys != "" {
		return errors.New("SECRET_KEYS is set, so the keys are not in the data directory: customerzero keys new prints one to put in front of it")
	}
	text, err := os.ReadFile(secretKeysFile(cfg))
	if err != nil {
		return fmt.Errorf("there are no keys in %s yet; customerzero up makes the first", cfg.DataDir)
	}
	key, err := keyring.New(keyID(time.Now()))
	if err != nil {
		return err
	}
	ring := key + "," + strings.TrimSpace(string(text))
	if _, err := keyring.Parse(ring); err != nil {
		return err
	}
	if err := saveSecretKeys(cfg, ring); err != nil {
		return err
	}
	id, _, _ := strings.Cut(key, ":")
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "the key %s is first now; customerzero keys rotate seals everything with it\n", id)
	return err
}

// withKeys opens the database with its keys before a subcommand runs.
func withKeys(
	run func(cmd *cobra.Command, db *store.DB, ring *keyring.Ring) error,
) func(*cobra.Command, config.Config, []string) error {
	return func(cmd *cobra.Command, cfg config.Config, _ []string) error {
		ring, err := openKeys(cfg)
		if err != nil {
			return err
		}
		db, err := openStore(cmd.Context(), cfg)
		if err != nil {
			return err
		}
		defer func() { _ = db.Close() }()
		if err := db.CheckSchema(cmd.Context()); err != nil {
			return err
		}
		db.UseKeys(ring)
		if err := db.CheckKeys(cmd.Context()); err != nil {
			return err
		}
		return run(cmd, db, ring)
	}
}

func listKeys(cmd *cobra.Command, db *store.DB, ring *keyring.Ring) error {
	uses, err := db.KeyUses(cmd.Context())
	if err != nil {
		return err
	}
	sealed := map[string]int{}
	for _, use := range uses {
		sealed[use.KeyID] = use.Secrets
	}
	for i, id := range ring.IDs() {
		first := ""
		if i == 0 {
			first = ", seals what comes"
		}
		if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %d secrets%s\n", id, sealed[id], first); err != nil {
			return err
		}
	}
	return nil
}

func rotateKeys(cmd *cobra.Command, db *store.DB, ring *keyring.Ring) error {
	n, err := db.RotateKeys(cmd.Context())
	if err != nil {
		return fmt.Errorf("%d secrets were sealed anew, then: %w; run it again", n, err)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d secrets sealed anew; every one is sealed with %s now, and other keys may be dropped\n", n, ring.Primary())
	return err
}

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
