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
	cmd := &cobra.Command{
		Use: "keys", Short: "Manage the keys that encrypt stored secrets",
		Example: "  customerzero keys add && customerzero keys rotate\n  customerzero keys list --json",
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "new", Short: "Print a new key for SECRET_KEYS", RunE: withConfig(newKey),
			Long:    "Print a new key for SECRET_KEYS. Nothing is stored: the output is the secret itself, so there is no --json.",
			Example: "  SECRET_KEYS=$(customerzero keys new)",
		},
		printsJSON(&cobra.Command{
			Use: "add", Short: "Add a new key in front of those in the data directory", RunE: withConfig(addKey),
			Example: "  customerzero keys add",
		}, "keyId"),
		printsJSON(&cobra.Command{
			Use: "list", Short: "List the keys and how many secrets each encrypts", RunE: withConfig(withKeys(listKeys)),
			Example: "  customerzero keys list",
		}, "one object a line: keyId, secrets, primary"),
		printsJSON(&cobra.Command{
			Use: "rotate", Short: "Re-encrypt every stored secret with the first key", RunE: withConfig(withKeys(rotateKeys)),
			Long: "Re-encrypt every stored secret with the first key of SECRET_KEYS.\n\n" +
				"With several processes, add the new key at the end of SECRET_KEYS, restart them all, move it to the front, restart\n" +
				"them again, then rotate. A single \"customerzero up\" needs only: keys add, then keys rotate, while it runs.",
			Example: "  customerzero keys rotate",
		}, "rotated, keyId"),
	)
	return cmd
}

func newKey(cmd *cobra.Command, _ config.Config, _ []string) error {
	key, err := keyring.New(keyID(time.Now()))
	if err != nil {
		return err
	}
	return printResult(cmd, nil, "%s\n", key)
}

func addKey(cmd *cobra.Command, cfg config.Config, _ []string) error {
	if cfg.SecretKeys != "" {
		return errors.New("SECRET_KEYS is set, so the keys are not in the data directory; print one with customerzero keys new and add it to SECRET_KEYS")
	}
	text, err := os.ReadFile(secretKeysFile(cfg))
	if err != nil {
		return fmt.Errorf("no keys found in %s; customerzero up generates the first", cfg.DataDir)
	}
	id := keyID(time.Now())
	key, err := keyring.New(id)
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
	return printResult(cmd, map[string]any{"keyId": id}, "added key %s; run customerzero keys rotate to re-encrypt all secrets with it\n", id)
}

// withKeys opens the database and its keys before a subcommand runs.
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
	secrets := map[string]int{}
	for _, use := range uses {
		secrets[use.KeyID] = use.Secrets
	}
	for i, id := range ring.IDs() {
		note := ""
		if i == 0 {
			note = ", encrypts new secrets"
		}
		row := map[string]any{"keyId": id, "secrets": secrets[id], "primary": i == 0}
		if err := printResult(cmd, row, "%s: %d secrets%s\n", id, secrets[id], note); err != nil {
			return err
		}
	}
	return nil
}

func rotateKeys(cmd *cobra.Command, db *store.DB, ring *keyring.Ring) error {
	n, err := db.RotateKeys(cmd.Context())
	if err != nil {
		return fmt.Errorf("%d secrets were re-encrypted before an error: %w; run it again", n, err)
	}
	return printResult(cmd, map[string]any{"rotated": n, "keyId": ring.Primary()},
		"%d secrets re-encrypted; all of them now use %s, so the other keys can be removed\n", n, ring.Primary())
}

func promoteCommand() *cobra.Command {
	var all bool
	var wait time.Duration
	cmd := &cobra.Command{
		Use: "promote", Short: "Make this worker build current, after a replay check",
		Long: "Replay open runs with this program's code, wait until a worker of this build (WORKER_BUILD) runs, and make it the\n" +
			"current build of WORKER_DEPLOYMENT: it starts new runs and continues open runs from their next step.\n\n" +
			"If a run does not replay, nothing is changed and the exit code is 1.",
		Example: "  customerzero promote\n  customerzero promote --all --wait 10m",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			cfg = alone(cfg)
			deployment, err := worker.NewDeployment(cfg.WorkerDeployment, cfg.WorkerBuild)
			if err != nil {
				return err
			}
			if deployment.Name == "" {
				return errors.New("worker versioning is off; set WORKER_DEPLOYMENT for the workers and for this command")
			}
			temporal, err := dialTemporal(cmd.Context(), cfg, cfg.TemporalAddress)
			if err != nil {
				return err
			}
			defer temporal.Close()
			out := cmd.OutOrStdout()
			if wantsJSON(cmd) {
				out = cmd.ErrOrStderr()
			}
			p := newPromotion(cfg, temporal, deployment, out)
			p.All, p.Wait = all, wait
			if err := p.Promote(cmd.Context()); err != nil {
				return err
			}
			return printResult(cmd, map[string]any{"deployment": deployment.Name, "build": deployment.Build}, "")
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "replay every open run (default: the newest and oldest 25 of each workflow)")
	cmd.Flags().DurationVar(&wait, "wait", 2*time.Minute, "maximum time to wait for a worker of this build")
	return printsJSON(cmd, "deployment, build; the replayed runs go to standard error")
}

func newPromotion(cfg config.Config, c client.Client, deployment worker.Deployment, out io.Writer) *worker.Promotion {
	return &worker.Promotion{
		Deployment: deployment, Runs: newRuns(cfg, c), Replayer: worker.NewReplayer(c),
		Report: func(format string, args ...any) { _, _ = fmt.Fprintf(out, format, args...) },
	}
}

// settle makes this worker's build current in a deployment that has none yet.
func settle(ctx context.Context, cfg config.Config, c client.Client) {
	deployment, err := worker.NewDeployment(cfg.WorkerDeployment, cfg.WorkerBuild)
	if err == nil && deployment.Name != "" { // with an error, the worker did not start
		newPromotion(cfg, c, deployment, io.Discard).Settle(ctx)
	}
}
