package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"customerzero/activities"
	"customerzero/internal/clients/blob"
	"customerzero/internal/platform/backup"
	"customerzero/internal/platform/config"
	"customerzero/internal/store"
	"customerzero/worker"
)

func backupCommand() *cobra.Command {
	var verify bool
	cmd := &cobra.Command{
		Use: "backup FILE", Short: "Write everything into one file, while everything runs (- is the standard output)", Args: cobra.ExactArgs(1),
		Long: "Write the database, the pictures, and the file of up's own Temporal server into one file, while everything runs.\n\n" +
			"The keys are not in it: keep SECRET_KEYS, or DATA_DIR/secret-keys, somewhere else. customerzero restore reads the file again.",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, args []string) error {
			if verify {
				return verifyBackup(cmd, args[0])
			}
			return writeBackup(cmd, cfg, args[0])
		}),
	}
	cmd.Flags().BoolVar(&verify, "verify", false, "read a backup and check all of it, without a database")
	return cmd
}

func verifyBackup(cmd *cobra.Command, name string) error {
	found, err := checkBackup(cmd, name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is whole: %s, taken at %s\n", name, contents(found.Manifest), found.TakenAt.Format(time.RFC3339))
	return err
}

func checkBackup(cmd *cobra.Command, name string) (found backup.Contents, err error) {
	file, err := os.Open(name)
	if err != nil {
		return found, fmt.Errorf("the backup cannot be read: %w", err)
	}
	defer func() { _ = file.Close() }()
	found, err = backup.Verify(bufio.NewReaderSize(file, 1<<20), &backup.Progress{Out: cmd.ErrOrStderr(), What: "checking"})
	if err != nil {
		err = fmt.Errorf("%s cannot be used: %w", name, err)
	}
	return found, err
}

func writeBackup(cmd *cobra.Command, cfg config.Config, name string) error {
	ctx := cmd.Context()
	if path := store.SQLitePath(cfg.DatabaseURL); path != "" {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("there is no database at %s; correct DATA_DIR or DATABASE_URL", path)
		}
	}
	db, err := openStore(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	source := backup.Source{
		DB: db, ChaosRuns: activities.PicturedRuns, Files: liveFiles(cfg), Program: worker.Build(), Spool: os.TempDir(),
		Progress: &backup.Progress{Out: cmd.ErrOrStderr(), What: "backing up"}, Now: time.Now,
	}
	if _, err := os.Stat(blobFolder(cfg)); err == nil {
		if source.Pictures, err = blob.Open(blobFolder(cfg)); err != nil {
			return err
		}
	}
	if name == "-" {
		written, err := backup.Write(ctx, source, cmd.OutOrStdout())
		if err != nil {
			return fmt.Errorf("the backup was not written: %w", err)
		}
		return sayBackup(cmd.ErrOrStderr(), cfg, "the standard output", written)
	}
	source.Spool = filepath.Dir(name)
	written, err := writeFile(ctx, source, name)
	if err != nil {
		return fmt.Errorf("the backup was not written: %w", err)
	}
	return sayBackup(cmd.OutOrStdout(), cfg, name, written)
}

// writeFile writes FILE.partial, which becomes FILE when all of it is on the disk.
func writeFile(ctx context.Context, source backup.Source, name string) (written backup.Manifest, err error) {
	partial := name + ".partial"
	if err := isFree(name); err != nil {
		return written, err
	}
	lock := flock.New(partial) // one that was cut off left the file, but no lock
	alone, err := lock.TryLock()
	if err != nil {
		return written, err
	}
	defer func() { _ = lock.Close() }()
	if !alone {
		return written, fmt.Errorf("another backup is being written to %s; wait for it, or choose another name", partial)
	}
	file, err := os.OpenFile(partial, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return written, err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(partial)
		}
	}()
	written, err = backup.Write(ctx, source, file)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return written, err
	}
	if err := isFree(name); err != nil {
		return written, err
	}
	return written, errors.Join(os.Rename(partial, name), syncFolder(filepath.Dir(name)))
}

func isFree(name string) error {
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("%s is there already, and backups are never overwritten; choose another name", name)
	}
	return nil
}

func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// restorable are the files of a data directory that a backup holds beside the database and the
// pictures.
func restorable() []string { return []string{temporalFile, xSandboxFile, stripeSandboxFile} }

// liveFiles are those that are there. A cluster's Temporal keeps its own books elsewhere.
func liveFiles(cfg config.Config) []backup.LiveFile {
	var files []backup.LiveFile
	for _, name := range restorable() {
		path := filepath.Join(cfg.DataDir, name)
		if _, err := os.Stat(path); err != nil || name == temporalFile && cfg.TemporalAddress != "" {
			continue
		}
		files = append(files, backup.LiveFile{Name: name, Path: path, SQLite: name == temporalFile})
	}
	return files
}

func sayBackup(out io.Writer, cfg config.Config, name string, m backup.Manifest) error {
	text := fmt.Sprintf("%s: %s\n%s\n", name, contents(m), aboutKeys(cfg, m))
	if n := len(m.Blobs.Missing); n > 0 {
		text += fmt.Sprintf("%d pictures that rows name were lost before, and are not in it\n", n)
	}
	_, err := io.WriteString(out, text)
	return err
}

// contents says what a backup holds.
func contents(m backup.Manifest) string {
	temporal := "without a Temporal: its runs begin anew from the rows"
	if m.Has(temporalFile) {
		temporal = "with the file of up's Temporal"
	}
	return fmt.Sprintf("%d rows of %d tables, %d pictures (%d KiB), %s", m.Rows(), len(m.Tables), m.Blobs.Count, m.Blobs.Bytes>>10, temporal)
}

func aboutKeys(cfg config.Config, m backup.Manifest) string {
	ids := make([]string, len(m.Keys))
	for i, key := range m.Keys {
		ids[i] = key.KeyID
	}
	where := "SECRET_KEYS"
	if cfg.SecretKeys == "" {
		where = secretKeysFile(cfg)
	}
	if len(ids) == 0 {
		return "No secret is in it yet. The keys never are: keep " + where + " somewhere else, and never beside it."
	}
	return "The keys are not in it, and without " + strings.Join(ids, ", ") + " its secrets stay closed: keep " + where + " somewhere else, and never beside it."
}

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
