package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"customerzero/internal/clients/blob"
	"customerzero/internal/platform/backup"
	"customerzero/internal/platform/config"
	"customerzero/internal/store"
)

// restoring is what an operator chose.
type restoring struct{ withoutTemporal, asItWas bool }

func restoreCommand() *cobra.Command {
	var how restoring
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Fill an empty database and data directory with a backup", Args: cobra.ExactArgs(1),
		Long: "Fill an empty database and data directory with a backup. Nothing else may use them meanwhile.\n\n" +
			"Put the keys into their place first: SECRET_KEYS, or DATA_DIR/secret-keys. Posts that may have gone out since the backup\n" +
			"are looked for on the timeline before they are sent.",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, args []string) error {
			found, err := checkBackup(cmd, args[0])
			if err != nil {
				return err
			}
			if err := restoreBackup(cmd, cfg, args[0], found, how); err != nil {
				return fmt.Errorf("nothing was restored: %w", err)
			}
			return sayRestored(cmd, found, how, cfg)
		}),
	}
	cmd.Flags().BoolVar(&how.withoutTemporal, "without-temporal", false, "leave the file of up's Temporal out: its runs begin anew from the rows")
	cmd.Flags().BoolVar(&how.asItWas, "as-it-was", false, "leave every row as it is in the backup, to compare; start no product on it")
	return cmd
}

func restoreBackup(cmd *cobra.Command, cfg config.Config, name string, found backup.Contents, how restoring) error {
	if err := fitKeys(cfg, found); err != nil {
		return err
	}
	lock, err := prepareDataDir(cfg.DataDir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	pictures, err := blob.Open(blobFolder(cfg))
	if err != nil {
		return err
	}
	db, err := openUnfinished(cmd.Context(), cfg, found)
	if err != nil {
		return err
	}
	to := backup.Target{
		DB: db.DB, Pictures: pictures, Dir: cfg.DataDir, Files: filesToRestore(cfg, how), AsItWas: how.asItWas,
		Progress: &backup.Progress{Out: cmd.ErrOrStderr(), What: "restoring"},
	}
	if err := restoreInto(cmd.Context(), to, name, found); err != nil {
		return errors.Join(err, db.Drop())
	}
	// The database last: while it is not there, nothing is, and a restore can be run again.
	if err := to.Finish(); err != nil {
		return errors.Join(err, db.Drop())
	}
	return db.Finish()
}

func restoreInto(ctx context.Context, to backup.Target, name string, found backup.Contents) error {
	if err := to.Check(ctx, found); err != nil {
		return err
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return backup.Restore(ctx, bufio.NewReaderSize(file, 1<<20), found, to)
}

func openUnfinished(ctx context.Context, cfg config.Config, found backup.Contents) (*store.Unfinished, error) {
	if !cfg.SQLite() { // says in one sentence what is wrong with it
		db, err := openStore(ctx, cfg)
		if err != nil {
			return nil, err
		}
		_ = db.Close()
	}
	return store.OpenUnfinished(ctx, cfg.DatabaseURL, found.Schema)
}

// fitKeys makes sure that the keys at hand open what is sealed in the backup.
func fitKeys(cfg config.Config, found backup.Contents) error {
	if len(found.Keys) == 0 {
		return nil
	}
	ring, err := openKeys(cfg)
	if err != nil {
		return fmt.Errorf("the backup holds sealed secrets, and its keys are not here; set SECRET_KEYS, or put secret-keys into %s", cfg.DataDir)
	}
	return found.CheckKeys(ring)
}

// filesToRestore leaves Temporal's file out where a cluster has its own.
func filesToRestore(cfg config.Config, how restoring) []string {
	files := restorable()
	if how.withoutTemporal || cfg.TemporalAddress != "" {
		files = slices.DeleteFunc(files, func(name string) bool { return name == temporalFile })
	}
	return files
}

func sayRestored(cmd *cobra.Command, found backup.Contents, how restoring, cfg config.Config) error {
	runs := "The runs begin anew from the rows."
	if found.Has(temporalFile) && slices.Contains(filesToRestore(cfg, how), temporalFile) {
		runs = "Temporal's file is in its place, and its runs go on."
	}
	keys := "It holds no sealed secret."
	if len(found.Keys) > 0 {
		keys = "The keys that are here open its secrets."
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "restored: %d rows of %d tables, every table as its sum in the backup says, and %d pictures. %s %s\n",
		found.Rows(), len(found.Tables), found.Blobs.Count, runs, keys)
	return err
}

func blobFolder(cfg config.Config) string { return filepath.Join(cfg.DataDir, "blobs") }
