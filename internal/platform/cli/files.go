package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"customerzero/internal/platform/config"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
)

// prepareDataDir creates and locks the data directory.
func prepareDataDir(dir string) (*flock.Flock, error) {
	return takeDir(dir, filepath.Join(dir, "up.lock"), "the data directory "+dir, "DATA_DIR",
		fmt.Sprintf("another customerzero up uses the data directory %s; stop it, or choose another one with DATA_DIR", dir))
}

// takeDir creates a directory and locks it. taken is the error if another process holds the lock.
func takeDir(dir, file, name, setting, taken string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("%s cannot be created; choose another one with %s (%w)", name, setting, err)
	}
	if err := makePrivate(dir); err != nil {
		return nil, fmt.Errorf("other users can read %s, which holds secrets; choose another one with %s, or run chmod -R go= on it (%w)", name, setting, err)
	}
	lock := flock.New(file)
	free, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written; fix its permissions, or choose another one with %s (%w)", name, setting, err)
	}
	if !free {
		return nil, errors.New(taken)
	}
	return lock, nil
}

// makePrivate takes a directory and its files from other users: an older version, or the operator, may have created
// them. It leaves a directory that is for all users, such as /tmp, as it is.
func makePrivate(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSticky != 0 {
		return errors.New("the directory is shared by all users")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	failed := tighten(dir, info)
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && (info.Mode().IsRegular() || info.IsDir()) {
			failed = errors.Join(failed, tighten(filepath.Join(dir, entry.Name()), info))
		}
	}
	return failed
}

func tighten(path string, info fs.FileInfo) error {
	const others = 0o077
	if info.Mode().Perm()&others == 0 {
		return nil
	}
	return os.Chmod(path, info.Mode().Perm()&^others)
}

func adminKeyFile(cfg config.Config) string   { return filepath.Join(cfg.DataDir, "admin-key") }
func secretKeysFile(cfg config.Config) string { return filepath.Join(cfg.DataDir, "secret-keys") }
func addressFile(cfg config.Config) string    { return filepath.Join(cfg.DataDir, "up.json") }

// findAdminKey returns ADMIN_KEY, or the key that up has stored in the data directory, or an empty string.
func findAdminKey(cfg config.Config) (string, error) {
	if cfg.AdminKey != "" {
		return cfg.AdminKey, nil
	}
	return readKey(adminKeyFile(cfg))
}

// readKey returns an empty string if the file does not exist.
func readKey(file string) (string, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

func makeAdminKey(cfg config.Config) (string, error) {
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return "", err
	}
	key := hex.EncodeToString(secret)
	return key, os.WriteFile(adminKeyFile(cfg), []byte(key+"\n"), 0o600)
}

// openKeys returns the keys of SECRET_KEYS, or those in the data directory. A running process reads the
// latter again when it needs a key that it does not know.
func openKeys(cfg config.Config) (*keyring.Ring, error) {
	if cfg.SecretKeys != "" {
		return keyring.Parse(cfg.SecretKeys)
	}
	return keyring.Open(func() (string, error) {
		text, err := readKey(secretKeysFile(cfg))
		if text == "" && err == nil {
			return "", errors.New("SECRET_KEYS is missing; print one with customerzero keys new, and set the same for every process")
		}
		return text, err
	})
}

// makeSecretKeys generates the first key of a new data directory. If the database already has encrypted values, their
// keys were lost, and a new one would hide that.
func makeSecretKeys(ctx context.Context, cfg config.Config, db *store.DB) error {
	if _, err := os.Stat(secretKeysFile(cfg)); cfg.SecretKeys != "" || err == nil {
		return nil
	}
	uses, err := db.KeyUses(ctx)
	if err == nil && len(uses) > 0 { // a new database has no tables
		return fmt.Errorf("the database has values that are encrypted with key %q, and %s is missing; put your copy of it back, or set SECRET_KEYS (nothing was changed)",
			uses[0].KeyID, secretKeysFile(cfg))
	}
	key, err := keyring.New(keyID(time.Now()))
	if err != nil {
		return err
	}
	return saveSecretKeys(cfg, key)
}

// keyID consists of the date and a random part.
func keyID(at time.Time) string {
	return "k" + at.UTC().Format("20060102") + "-" + strings.ToLower(rand.Text()[:6])
}

// saveSecretKeys replaces the file atomically: without its keys, no secret can be decrypted.
func saveSecretKeys(cfg config.Config, text string) error {
	file := secretKeysFile(cfg)
	if err := os.WriteFile(file+".new", []byte(text+"\n"), 0o600); err != nil { //nolint:gosec // the operator sets the path
		return err
	}
	return os.Rename(file+".new", file)
}

// addresses is up.json: the addresses of a running up, whose ports may differ from the defaults.
type addresses struct {
	URL           string `json:"url"`
	Temporal      string `json:"temporal"`
	TemporalURL   string `json:"temporalUrl"`
	X             string `json:"x"`
	SMTP          string `json:"smtp"`
	Mail          string `json:"mail"`   // the mail sandbox's inbox
	Stripe        string `json:"stripe"` // the Stripe sandbox; empty with the real Stripe
	Target        string `json:"target"`
	TargetControl string `json:"targetControl"` // its supervisor
}

func (a addresses) save(cfg config.Config) error {
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(addressFile(cfg), append(text, '\n'), 0o600)
}

// findAddresses returns the addresses of a running up, or the configured ones.
func findAddresses(cfg config.Config) addresses {
	found := addresses{
		URL: publicURL(cfg), Temporal: cmp.Or(cfg.TemporalAddress, "127.0.0.1:7233"), TemporalURL: cfg.TemporalUIURL, X: cfg.XBaseURL, SMTP: cfg.SMTPURL,
	}
	if text, err := os.ReadFile(addressFile(cfg)); err == nil {
		_ = json.Unmarshal(text, &found) // a damaged file leaves the defaults
	}
	return found
}

// besideProgram returns the path of a file in the directory of this program.
func besideProgram(name string) string {
	program, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(program), name)
}

func publicURL(cfg config.Config) string {
	if cfg.PublicURL != "" {
		return strings.TrimRight(cfg.PublicURL, "/")
	}
	return "http://" + strings.Replace(cfg.Addr, "0.0.0.0", "127.0.0.1", 1)
}
