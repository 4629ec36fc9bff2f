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

// lockDir locks the directory against other clusters and `customerzero up`.
func (c *Cluster) lockDir() error {
	lock := flock.New(filepath.Join(c.options.Dir, "up.lock"))
	free, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("the directory %s cannot be written; correct its permissions or choose another (%w)", c.options.Dir, err)
	}
	if !free {
		return fmt.Errorf("another cluster, or customerzero up, runs on %s; stop it, or choose another directory", c.options.Dir)
	}
	c.later(func() { _ = lock.Unlock() })
	_ = os.Remove(c.file("up.json")) // left by a killed cluster; its addresses are no longer valid
	return nil
}

func (c *Cluster) file(name string) string { return filepath.Join(c.options.Dir, name) }

// makeSecrets creates the secrets that are missing, in the files where the product reads them.
func (c *Cluster) makeSecrets() error {
	key, err := keyring.New("k1")
	if err != nil {
		return err
	}
	for name, secret := range map[string]string{
		"admin-key": rand.Text(), "secret-keys": key, "target/key": rand.Text(), postgresPassword: rand.Text(),
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

// saveAddresses writes up.json, from which the product's commands read the addresses.
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

// suffix makes the name of the database unique among clusters on the same server.
func (c *Cluster) suffix() string {
	if c.options.Postgres == "" {
		return ""
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(c.options.Dir))
	return fmt.Sprintf("_%08x", sum.Sum32())
}

// Root returns the repository's root, from any directory inside it.
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

// Programs returns options with the repository's programs. TEMPORAL_BIN and CRASH_PRODUCT override two of them;
// without CRASH_PRODUCT the product is built into dir.
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

// Build builds the product from the current sources with the flags of make build, to use the compiler's cache.
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
