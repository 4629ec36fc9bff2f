package command

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"customerzero/internal/config"
)

// prepareDataDir makes the data directory and makes sure that nobody else uses it.
func prepareDataDir(dir string) (*flock.Flock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be made; choose another with DATA_DIR (%w)", dir, err)
	}
	lock := flock.New(filepath.Join(dir, "up.lock"))
	free, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the data directory %s cannot be written; mend its permissions or choose another with DATA_DIR (%w)", dir, err)
	}
	if !free {
		return nil, fmt.Errorf("another customerzero up runs on the data directory %s; stop it, or choose another with DATA_DIR", dir)
	}
	return lock, nil
}

func adminKeyFile(cfg config.Config) string { return filepath.Join(cfg.DataDir, "admin-key") }

// findAdminKey is the founders' key: as configured, or as up left it in the data directory.
func findAdminKey(cfg config.Config) (string, error) {
	if cfg.AdminKey != "" {
		return cfg.AdminKey, nil
	}
	text, err := os.ReadFile(adminKeyFile(cfg))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return strings.TrimSpace(string(text)), err
}

// makeAdminKey makes the founders' key of a new data directory, for their eyes only.
func makeAdminKey(cfg config.Config) (string, error) {
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return "", err
	}
	key := hex.EncodeToString(secret)
	return key, os.WriteFile(adminKeyFile(cfg), []byte(key+"\n"), 0o600)
}

// addresses are where a running up can be reached: its ports may not be the usual ones.
type addresses struct {
	URL         string `json:"url"`
	Temporal    string `json:"temporal"`
	TemporalURL string `json:"temporalUrl"`
	X           string `json:"x"`
}

func addressFile(cfg config.Config) string { return filepath.Join(cfg.DataDir, "up.json") }

func (a addresses) save(cfg config.Config) error {
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(addressFile(cfg), append(text, '\n'), 0o600)
}

// findAddresses reads where up runs; the defaults when it does not.
func findAddresses(cfg config.Config) addresses {
	found := addresses{
		URL: publicURL(cfg), Temporal: temporalAddress(cfg), TemporalURL: cfg.TemporalUIURL, X: cfg.XBaseURL,
	}
	if text, err := os.ReadFile(addressFile(cfg)); err == nil {
		_ = json.Unmarshal(text, &found) // a torn file: the defaults are as good a guess
	}
	return found
}

func publicURL(cfg config.Config) string {
	if cfg.PublicURL != "" {
		return strings.TrimRight(cfg.PublicURL, "/")
	}
	return "http://" + strings.Replace(cfg.Addr, "0.0.0.0", "127.0.0.1", 1)
}

func temporalAddress(cfg config.Config) string {
	if cfg.TemporalAddress != "" {
		return cfg.TemporalAddress
	}
	return "127.0.0.1:7233"
}
