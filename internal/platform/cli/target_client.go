package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"customerzero/internal/platform/config"
	"customerzero/internal/target/probe"
)

func cellDir(cfg config.Config) string { return filepath.Join(cfg.DataDir, "target") }

func cellLock(dir string) string { return filepath.Join(dir, "keeper") }

func cellKeyFile(dir string) string { return filepath.Join(dir, "key") }

// newProber is the prober of the chaos target that is configured, or that up or customerzero cell keep
// on the same data directory. It is nil when there is none: nobody has a key for it.
func newProber(cfg config.Config) *probe.Prober {
	key := findCellKey(cfg)
	if key == "" {
		return nil
	}
	return probe.New(cellURL(cfg), cellControlURL(cfg), key)
}

// cellProber is the same for activities. Where there is no chaos target it sees none, so that a run that
// somebody asks for ends with that reason.
func cellProber(cfg config.Config) *probe.Prober {
	if there := newProber(cfg); there != nil {
		return there
	}
	return probe.New(cellURL(cfg), cellControlURL(cfg), "")
}

func cellURL(cfg config.Config) string { return orElse(cfg.TargetURL, fromHere(cfg.TargetAddr)) }

func cellControlURL(cfg config.Config) string {
	return orElse(cfg.TargetControlURL, fromHere(cfg.TargetControlAddr))
}

// fromHere is how this machine reaches what listens at an address, which may be all of them.
func fromHere(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip, bad := netip.ParseAddr(host); err == nil && (host == "" || bad == nil && ip.IsUnspecified()) {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + address
}

func findCellKey(cfg config.Config) string {
	if cfg.TargetKey != "" {
		return cfg.TargetKey
	}
	text, err := os.ReadFile(cellKeyFile(cellDir(cfg)))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// takeCellKey is the key of a supervisor: as configured, or as it was made in the directory once. A
// made one is good for this machine alone.
func takeCellKey(cfg config.Config, dir string) (string, error) {
	if cfg.TargetKey != "" {
		return cfg.TargetKey, nil
	}
	for _, address := range []string{cfg.TargetAddr, cfg.TargetControlAddr} {
		if !onlyHere(address) {
			return "", fmt.Errorf("the cell would listen at %s, where others reach it: set CHAOS_TARGET_KEY, and the same for the worker", address)
		}
	}
	file, err := os.OpenFile(cellKeyFile(dir), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		text, err := os.ReadFile(cellKeyFile(dir))
		if key := strings.TrimSpace(string(text)); err != nil || key != "" {
			return key, err
		}
		return "", fmt.Errorf("the key of the cell in %s is empty; remove that file", cellKeyFile(dir))
	}
	if err != nil {
		return "", fmt.Errorf("the key of the cell cannot be written: %w", err)
	}
	key := rand.Text()
	_, err = fmt.Fprintln(file, key)
	return key, errors.Join(err, file.Close())
}

// onlyHere says whether nobody but this machine reaches an address to listen at.
func onlyHere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
