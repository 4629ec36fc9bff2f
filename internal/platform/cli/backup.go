package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
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
		Use: "backup FILE", Short: "Write a backup to one file, while the product runs", Args: oneArg("the file to write, or - for standard output"),
		Long: "Write the database, the screenshots and up's own Temporal database to one file, while the product runs.\n\n" +
			"The keys are not included: keep SECRET_KEYS, or DATA_DIR/secret-keys, in another place. \"customerzero restore\" reads the file.",
		Example:           "  customerzero backup backup.tar.gz\n  customerzero backup --verify backup.tar.gz\n  customerzero backup - | ssh host 'cat > backup.tar.gz'",
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, args []string) error {
			if verify {
				return verifyBackup(cmd, cfg, args[0])
			}
			return writeBackup(cmd, cfg, args[0])
		}),
	}
	cmd.Flags().BoolVar(&verify, "verify", false, "read a backup and check all of it; needs no database, and keys only to detect a forgery")
	return printsJSON(cmd, manifestFields+"; with - it goes to standard error")
}

// verified is the result of a check.
type verified struct {
	backup.Manifest
	Authenticated bool `json:"authenticated"`
}

// verifyBackup needs no keys, but without them it finds only damage, not a forgery.
func verifyBackup(cmd *cobra.Command, cfg config.Config, name string) error {
	found, err := checkBackup(cmd, name)
	if err != nil {
		return err
	}
	ring, _ := openKeys(cfg) // nil without keys
	state := "intact and authentic"
	if err = found.Authenticate(ring); errors.Is(err, backup.ErrKeyMissing) {
		state = "intact, but " + err.Error()
	} else if err != nil {
		return fmt.Errorf("%s cannot be used: %w", name, err)
	}
	return printResult(cmd, verified{found.Manifest, err == nil}, "%s is %s: %s, taken at %s\n",
		name, state, contents(found.Manifest, found.Has(temporalFile)), found.TakenAt.Format(time.RFC3339))
}

func checkBackup(cmd *cobra.Command, name string) (found backup.Contents, err error) {
	file, err := os.Open(name)
	if err != nil {
		return found, fmt.Errorf("the backup cannot be opened: %w", err)
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
			return fmt.Errorf("no database found at %s; correct DATA_DIR or DATABASE_URL", path)
		}
	}
	db, err := openStore(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	ring, err := openKeys(cfg)
	if err != nil {
		return fmt.Errorf("the backup was not written, because it could not be authenticated: %w", err)
	}
	source := backup.Source{
		DB: db, Keys: ring, ChaosRuns: activities.PicturedRuns, Files: liveFiles(cfg), Program: worker.Build(), Spool: os.TempDir(),
		Progress: &backup.Progress{Out: cmd.ErrOrStderr(), What: "backing up"}, Now: time.Now,
	}
	if _, err := os.Stat(blobFolder(cfg)); err == nil {
		if source.Pictures, err = blob.Open(blobFolder(cfg)); err != nil {
			return err
		}
	}
	var written backup.Manifest
	if name == "-" {
		written, err = backup.Write(ctx, source, cmd.OutOrStdout())
		cmd.SetOut(cmd.ErrOrStderr()) // the result must not end up in the backup
	} else {
		source.Spool = filepath.Dir(name)
		written, err = writeFile(ctx, source, name)
	}
	if err != nil {
		return fmt.Errorf("the backup was not written: %w", err)
	}
	return printResult(cmd, written, "%s: %s\n%s\n", name, contents(written, written.Has(temporalFile)), aboutKeys(cfg, ring.Primary(), written))
}

// writeFile writes FILE.partial and renames it to FILE once it is on the disk.
func writeFile(ctx context.Context, source backup.Source, name string) (written backup.Manifest, err error) {
	partial := name + ".partial"
	if err := isFree(name); err != nil {
		return written, err
	}
	lock := flock.New(partial) // an aborted backup leaves the file, but not the lock
	alone, err := lock.TryLock()
	if err != nil {
		return written, err
	}
	defer func() { _ = lock.Close() }()
	if !alone {
		return written, fmt.Errorf("another backup is being written to %s; wait for it to finish, or choose another name", partial)
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
		return fmt.Errorf("%s already exists, and backups are never overwritten; choose another name", name)
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

// restorable lists the files of a data directory that a backup contains besides the database and the
// screenshots.
func restorable() []string { return []string{temporalFile, xSandboxFile, stripeSandboxFile} }

// liveFiles lists the restorable files that exist. A Temporal cluster has its database elsewhere.
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

// manifestFields documents --json; see backup.Manifest.
const manifestFields = "the backup's manifest: takenAt, schema, tables, blobs, files, keys and others"

// contents describes a backup. withRuns: up's Temporal database is included.
func contents(m backup.Manifest, withRuns bool) string {
	runs := map[bool]string{true: "with up's Temporal database", false: "without Temporal: workflow runs restart from the rows"}[withRuns]
	text := fmt.Sprintf("%d rows of %d tables, %d screenshots (%d KiB), %s", m.Rows(), len(m.Tables), m.Blobs.Count, m.Blobs.Bytes>>10, runs)
	if n := len(m.Blobs.Missing); n > 0 {
		text += fmt.Sprintf("; %d screenshots were already lost", n)
	}
	return text
}

// aboutKeys lists the keys that a restore needs: the one that authenticates the backup, and those of its secrets.
func aboutKeys(cfg config.Config, primary string, m backup.Manifest) string {
	where, needs := secretKeysFile(cfg), []string{primary}
	if cfg.SecretKeys != "" {
		where = "SECRET_KEYS"
	}
	for _, key := range m.Keys {
		needs = append(needs, key.KeyID)
	}
	slices.Sort(needs)
	return "The keys are not included, and a restore needs " + strings.Join(slices.Compact(needs), " ") + ". Keep " + where + " in another place than the backup."
}

// restoreOptions are the flags of restore.
type restoreOptions struct{ withoutTemporal, asItWas bool }

func restoreCommand() *cobra.Command {
	var options restoreOptions
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Restore a backup into an empty database and data directory", Args: oneArg("the backup file"),
		Long: "Restore a backup into an empty database and data directory. Stop every other process that uses them first.\n\n" +
			"Put the keys in place before: SECRET_KEYS, or DATA_DIR/secret-keys. Posts that may have been published since the\n" +
			"backup are looked up on X's timeline before they are sent.",
		Example:           "  customerzero restore backup.tar.gz\n  customerzero restore --without-temporal backup.tar.gz",
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, args []string) error {
			found, err := checkBackup(cmd, args[0])
			if err != nil {
				return err
			}
			if err := restoreBackup(cmd, cfg, args[0], found, options); err != nil {
				return fmt.Errorf("nothing was restored: %w", err)
			}
			runs := found.Has(temporalFile) && slices.Contains(filesToRestore(cfg, options), temporalFile)
			return printResult(cmd, found.Manifest, "restored %s; every table matches its checksum\n", contents(found.Manifest, runs))
		}),
	}
	cmd.Flags().BoolVar(&options.withoutTemporal, "without-temporal", false, "leave out up's Temporal database: workflow runs restart from the rows")
	cmd.Flags().BoolVar(&options.asItWas, "as-it-was", false, "restore the rows unchanged, to compare them; do not start the product on them")
	return printsJSON(cmd, manifestFields)
}

func restoreBackup(cmd *cobra.Command, cfg config.Config, name string, found backup.Contents, options restoreOptions) error {
	if err := checkBackupKeys(cfg, found); err != nil {
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
		DB: db.DB, Pictures: pictures, Dir: cfg.DataDir, Files: filesToRestore(cfg, options), AsItWas: options.asItWas,
		Progress: &backup.Progress{Out: cmd.ErrOrStderr(), What: "restoring"},
	}
	if err := restoreInto(cmd.Context(), to, name, found); err != nil {
		return errors.Join(err, db.Drop())
	}
	// The database comes last: until it exists, the restore can be run again.
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
	if !cfg.SQLite() { // for its error message
		db, err := openStore(ctx, cfg)
		if err != nil {
			return nil, err
		}
		_ = db.Close()
	}
	return store.OpenUnfinished(ctx, cfg.DatabaseURL, found.Schema)
}

// checkBackupKeys checks that the backup is authentic, and that the configured keys decrypt its secrets.
func checkBackupKeys(cfg config.Config, found backup.Contents) error {
	ring, err := openKeys(cfg)
	if err != nil {
		return fmt.Errorf("the keys that authenticate the backup and decrypt its secrets are missing; set SECRET_KEYS, or copy secret-keys to %s", cfg.DataDir)
	}
	if err := found.Authenticate(ring); err != nil {
		return err
	}
	return found.CheckKeys(ring)
}

// filesToRestore leaves out Temporal's database if Temporal runs elsewhere.
func filesToRestore(cfg config.Config, options restoreOptions) []string {
	files := restorable()
	if options.withoutTemporal || cfg.TemporalAddress != "" {
		files = slices.DeleteFunc(files, func(name string) bool { return name == temporalFile })
	}
	return files
}

func blobFolder(cfg config.Config) string { return filepath.Join(cfg.DataDir, "blobs") }
