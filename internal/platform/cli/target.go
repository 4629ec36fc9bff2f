package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"customerzero/internal/platform/config"
	"customerzero/internal/target/golden"
	"customerzero/internal/target/instance"
	"customerzero/internal/target/probe"
	"customerzero/internal/target/supervisor"
)

// File descriptors of the listeners that up passes to its chaos target.
const (
	pagesFile   = 3
	controlFile = 4
)

// targetFlags override the settings of the chaos target.
type targetFlags struct {
	dir, addr, control, product string
	child                       bool // started by up: the listeners are inherited, and it stops with up
}

func targetCommand() *cobra.Command {
	var flags targetFlags
	cmd := &cobra.Command{
		Use: "target", Short: "Run the chaos target: a supervisor and the instance that visitors break",
		Long:    "Run the chaos target: a supervisor and the instance that visitors break. \"customerzero up\" starts one by itself.",
		Example: "  customerzero target\n  customerzero target --dir /var/lib/customerzero/target --addr 127.0.0.1:9085",
		RunE:    withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error { return runTarget(cmd, cfg, flags) }),
	}
	cmd.Flags().StringVar(&flags.dir, "dir", "", "`directory` of its files and its database (default: target in DATA_DIR)")
	cmd.Flags().StringVar(&flags.addr, "addr", "", "listen `address` of its pages (default: CHAOS_TARGET_ADDR)")
	cmd.Flags().StringVar(&flags.control, "control", "", "listen `address` of its supervisor (default: CHAOS_TARGET_CONTROL_ADDR)")
	cmd.Flags().StringVar(&flags.product, "product", "", "`URL` of the product, for links (default: PUBLIC_URL)")
	cmd.Flags().BoolVar(&flags.child, "child", false, "started by up")
	_ = cmd.Flags().MarkHidden("child")
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}

func runTarget(cmd *cobra.Command, cfg config.Config, flags targetFlags) error {
	spareMemory()
	defer rest().Stop()
	ctx := cmd.Context()
	if flags.child {
		ctx = untilParentExits(ctx, cmd.InOrStdin())
		cfg.OpsAddr = "" // up listens there
	}
	ops, err := newOpsServer(cfg)
	if err != nil {
		return err
	}
	defer ops.close()
	cfg.TargetAddr, cfg.TargetControlAddr = cmp.Or(flags.addr, cfg.TargetAddr), cmp.Or(flags.control, cfg.TargetControlAddr)
	dir := cmp.Or(flags.dir, targetDir(cfg))
	lock, err := takeTarget(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if cfg.TargetKey, err = takeTargetKey(cfg, dir); err != nil {
		return err
	}
	pages, control, err := targetListeners(cfg, flags.child)
	if err != nil {
		return err
	}
	defer func() { _, _ = pages.Close(), control.Close() }()
	command, err := instanceCommandLine(dir, cmp.Or(flags.product, publicURL(cfg)))
	if err != nil {
		return err
	}
	// STRIPE_BASE_URL is invalid without the secret key.
	environment := append(config.WithoutSecrets(os.Environ()), "STRIPE_BASE_URL=")
	kept, err := supervisor.New(supervisor.Options{
		Dir: dir, Listener: pages, Command: command, Env: environment, Golden: golden.FS, Key: cfg.TargetKey, Output: cmd.ErrOrStderr(),
	})
	if err != nil {
		return err
	}
	ops.watchTarget(ctx, kept)
	slog.Info("chaos target is running", "pages", pages.Addr(), "control", control.Addr(), "dir", dir)
	// Commands are served before the instance runs, which may need them.
	work, working := errgroup.WithContext(ctx)
	work.Go(func() error {
		return serve(working, httpServer(kept.Handler(), control.Addr(), cfg.TargetControlURL), control)
	})
	work.Go(func() error { return kept.Run(working) })
	return work.Wait()
}

// takeTarget locks the directory, so that a chaos target has one supervisor. The supervisor of a killed
// up stops soon.
func takeTarget(ctx context.Context, dir string) (*flock.Flock, error) {
	awaitOrphan(ctx, targetLock(dir))
	return takeDir(dir, targetLock(dir)+".lock", fmt.Sprintf("the directory %s of the chaos target", dir), "--dir or DATA_DIR",
		fmt.Sprintf("another supervisor runs the chaos target in %s; stop it, or choose another directory with --dir", dir))
}

func targetListeners(cfg config.Config, child bool) (pages, control net.Listener, err error) {
	if child {
		if pages, err = inherited(pagesFile); err != nil {
			return nil, nil, err
		}
		control, err = inherited(controlFile)
		return pages, control, err
	}
	if pages, err = listenFor("CHAOS_TARGET_ADDR", cfg.TargetAddr); err != nil {
		return nil, nil, err
	}
	if control, err = listenFor("CHAOS_TARGET_CONTROL_ADDR", cfg.TargetControlAddr); err != nil {
		_ = pages.Close()
	}
	return pages, control, err
}

// instanceCommandLine starts the instance with the same program.
func instanceCommandLine(dir, product string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, "instance", "--dir", dir, "--product", product}, err
}

func instanceCommand() *cobra.Command {
	var options instance.Options
	cmd := &cobra.Command{
		Use: "instance", Short: "Run the instance of a chaos target; only its supervisor starts it", Hidden: true,
		Example: "  customerzero instance --dir data/target",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) (err error) {
			spareMemory()
			options.URL = cfg.TargetURL
			if options.Listener, err = inherited(3); err != nil {
				return err
			}
			return instance.Run(untilParentExits(cmd.Context(), cmd.InOrStdin()), options)
		}),
	}
	cmd.Flags().StringVar(&options.Dir, "dir", "", "`directory` of the chaos target")
	cmd.Flags().StringVar(&options.ProductURL, "product", "", "`URL` of the product, for links")
	_ = cmd.MarkFlagRequired("dir")
	return cmd
}

// inherited opens a listener that the parent process passed on.
func inherited(fd uintptr) (net.Listener, error) {
	file := os.NewFile(fd, "listener")
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("no listener was passed on; this command is started by customerzero only (%w)", err)
	}
	return listener, file.Close() // the listener has a copy
}

// untilParentExits also ends when the parent process, which holds the other end of gate, exits.
func untilParentExits(ctx context.Context, gate io.Reader) context.Context {
	ctx, leave := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, gate)
		leave()
	}()
	return ctx
}

func targetDir(cfg config.Config) string { return filepath.Join(cfg.DataDir, "target") }
func targetLock(dir string) string       { return filepath.Join(dir, "supervisor") }
func targetKeyFile(dir string) string    { return filepath.Join(dir, "key") }

// newProber also reports whether there is a chaos target: CHAOS_TARGET_KEY or a key file in DATA_DIR. Without
// one, all probes fail with that reason.
func newProber(cfg config.Config) (prober *probe.Prober, exists bool) {
	generated, _ := readKey(targetKeyFile(targetDir(cfg))) // an unreadable key counts as none
	key := cmp.Or(cfg.TargetKey, generated)
	return probe.New(targetURL(cfg), targetControlURL(cfg), key), key != ""
}

func targetURL(cfg config.Config) string { return cmp.Or(cfg.TargetURL, fromHere(cfg.TargetAddr)) }

func targetControlURL(cfg config.Config) string {
	return cmp.Or(cfg.TargetControlURL, fromHere(cfg.TargetControlAddr))
}

// fromHere returns the URL at which this machine reaches a listen address, which may be unspecified.
func fromHere(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip, bad := netip.ParseAddr(host); err == nil && (host == "" || bad == nil && ip.IsUnspecified()) {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + address
}

// takeTargetKey returns the configured key, or one that is generated in the directory once. A generated
// key is allowed only if no other machine reaches the chaos target.
func takeTargetKey(cfg config.Config, dir string) (string, error) {
	if cfg.TargetKey != "" {
		return cfg.TargetKey, nil
	}
	for _, address := range []string{cfg.TargetAddr, cfg.TargetControlAddr} {
		if !onlyHere(address) {
			return "", fmt.Errorf("CHAOS_TARGET_KEY is required, because other machines reach the chaos target at %s; set the same key for the worker", address)
		}
	}
	file, err := os.OpenFile(targetKeyFile(dir), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		if key, err := readKey(targetKeyFile(dir)); err != nil || key != "" {
			return key, err
		}
		return "", fmt.Errorf("the chaos target's key in %s is empty; remove that file", targetKeyFile(dir))
	}
	if err != nil {
		return "", fmt.Errorf("the chaos target's key cannot be written: %w", err)
	}
	key := rand.Text()
	_, err = fmt.Fprintln(file, key)
	return key, errors.Join(err, file.Close())
}

// onlyHere reports whether only this machine reaches a listen address.
func onlyHere(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
