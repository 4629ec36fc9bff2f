package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"customerzero/internal/platform/keyring"
)

// lockDir keeps other clusters, and `customerzero up`, out of the directory.
func (c *Cluster) lockDir() error {
	lock := flock.New(filepath.Join(c.options.Dir, "up.lock"))
	free, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("the directory %s cannot be written; mend its permissions or choose another (%w)", c.options.Dir, err)
	}
	if !free {
		return fmt.Errorf("another cluster, or customerzero up, runs on %s; stop it, or choose another directory", c.options.Dir)
	}
	c.later(func() { _ = lock.Unlock() })
	_ = os.Remove(c.file("up.json")) // of one that was killed: the product would believe it
	return nil
}

func (c *Cluster) file(name string) string { return filepath.Join(c.options.Dir, name) }

// makeSecrets makes what a new directory lacks, where every process of the product looks for it.
func (c *Cluster) makeSecrets() error {
	sealing, err := keyring.New("k1")
	if err != nil {
		return err
	}
	for name, secret := range map[string]string{
		"admin-key": rand.Text(), "secret-keys": sealing, "target/key": rand.Text(), postgresPassword: rand.Text(),
	} {
		if err := c.makeSecret(name, secret); err != nil {
			return err
		}
	}
	c.AdminKey, err = c.secret("admin-key")
	for _, setting := range c.options.Settings {
		if key, ok := strings.CutPrefix(setting, "ADMIN_KEY="); ok {
			c.AdminKey = key
		}
	}
	return err
}

func (c *Cluster) makeSecret(name, secret string) error {
	if _, err := os.Stat(c.file(name)); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.file(name)), 0o700); err != nil {
		return err
	}
	return os.WriteFile(c.file(name), []byte(secret+"\n"), 0o600)
}

func (c *Cluster) secret(name string) (string, error) {
	text, err := os.ReadFile(c.file(name))
	return strings.TrimSpace(string(text)), err
}

// saveAddresses tells the product's commands where we are, as up does.
func (c *Cluster) saveAddresses(context.Context) error {
	text, err := json.MarshalIndent(map[string]string{
		"url": c.URL, "temporal": c.TemporalAddress, "temporalUrl": c.TemporalURL,
		"x": c.SandboxURL, "stripe": c.SandboxURL, "mail": c.SandboxURL, "smtp": c.SMTP,
		"target": c.TargetURL, "targetControl": c.TargetControlURL,
	}, "", "  ")
	if err != nil {
		return err
	}
	c.later(func() { _ = os.Remove(c.file("up.json")) })
	return os.WriteFile(c.file("up.json"), append(text, '\n'), 0o600)
}

// suffix tells our databases from those of other clusters on the same server.
func (c *Cluster) suffix() string {
	if c.options.Postgres == "" {
		return ""
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(c.options.Dir))
	return fmt.Sprintf("_%08x", sum.Sum32())
}

// Root finds the repository, from inside of it.
func Root() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			err = errors.New("run this inside the repository")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}

// Programs gives options with the repository's programs. TEMPORAL_BIN and CRASH_PRODUCT name others; without
// CRASH_PRODUCT the product is built into dir.
func Programs(ctx context.Context, dir string) (o Options, err error) {
	root, err := Root()
	if err != nil {
		return o, err
	}
	bin := filepath.Join(root, "bin")
	o = Options{
		Temporald: cmp.Or(os.Getenv("TEMPORAL_BIN"), filepath.Join(bin, "temporald")), Caddy: filepath.Join(bin, "caddy"),
		Caddyfile: filepath.Join(root, "deploy", "Caddyfile"), Product: os.Getenv("CRASH_PRODUCT"),
	}
	if o.Product == "" {
		o.Product, err = Build(ctx, dir)
	}
	return o, err
}

// Build makes the product from the sources as they are, with the flags of make build, so that most of it is in
// the compiler's cache.
func Build(ctx context.Context, dir string, flags ...string) (program string, err error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, "customerzero")
	args := append([]string{"build", "-tags", "nomsgpack,testify_yaml_fail", "-trimpath", "-ldflags", "-s -w", "-o", program}, flags...)
	compile := exec.CommandContext(ctx, "go", append(args, ".")...)
	compile.Dir, compile.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := compile.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the product: %w\n%s", err, output)
	}
	return program, nil
}
