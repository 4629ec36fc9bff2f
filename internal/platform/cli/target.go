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

// The listeners that up hands to its chaos target, after the standard files.
const (
	pagesFile   = 3
	controlFile = 4
)

// targetFlags say where a chaos target is. What is empty is as configured.
type targetFlags struct {
	dir, addr, control, product string
	child                       bool // up started it: the listeners are there, and it leaves with up
}

func targetCommand() *cobra.Command {
	var flags targetFlags
	cmd := &cobra.Command{
		Use: "target", Short: "Run the chaos target: the supervisor and the instance that visitors break", Args: cobra.NoArgs,
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error { return runTarget(cmd, cfg, flags) }),
	}
	cmd.Flags().StringVar(&flags.dir, "dir", "", "where its files and its database are; empty: target in DATA_DIR")
	cmd.Flags().StringVar(&flags.addr, "addr", "", "listen `address` of its pages; default CHAOS_TARGET_ADDR")
	cmd.Flags().StringVar(&flags.control, "control", "", "listen `address` of its supervisor; default CHAOS_TARGET_CONTROL_ADDR")
	cmd.Flags().StringVar(&flags.product, "product", "", "where the product is, for links; empty: PUBLIC_URL")
	cmd.Flags().BoolVar(&flags.child, "child", false, "up has started it")
	_ = cmd.Flags().MarkHidden("child")
	return cmd
}

func runTarget(cmd *cobra.Command, cfg config.Config, flags targetFlags) error {
	spareMemory()
	defer rest().Stop()
	ctx := cmd.Context()
	if flags.child {
		ctx = untilLeft(ctx, cmd.InOrStdin())
		cfg.OpsAddr = "" // up has taken it
	}
	desk, err := openDesk(cfg)
	if err != nil {
		return err
	}
	defer desk.close()
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
	command, err := replicaOf(dir, cmp.Or(flags.product, publicURL(cfg)))
	if err != nil {
		return err
	}
	// Where Stripe is goes with its key: one without the other is a mistake.
	environment := append(config.WithoutSecrets(os.Environ()), "STRIPE_BASE_URL=")
	kept, err := supervisor.New(supervisor.Options{
		Dir: dir, Listener: pages, Command: command, Env: environment, Golden: golden.FS, Key: cfg.TargetKey, Output: cmd.ErrOrStderr(),
	})
	if err != nil {
		return err
	}
	desk.keeps(ctx, kept)
	slog.Info("the chaos target is kept", "pages", pages.Addr(), "orders", control.Addr(), "dir", dir)
	return keep(ctx, kept, control)
}

// keep works until ctx ends: orders are taken before the replica runs, which may need them.
func keep(ctx context.Context, kept *supervisor.Supervisor, control net.Listener) error {
	work, working := errgroup.WithContext(ctx)
	work.Go(func() error { return serve(working, httpServer(kept.Handler()), control) })
	work.Go(func() error { return kept.Run(working) })
	return work.Wait()
}

// takeTarget makes sure that a chaos target has one supervisor. That of an up that was killed leaves soon.
func takeTarget(ctx context.Context, dir string) (*flock.Flock, error) {
	awaitOrphan(ctx, targetLock(dir))
	return takeDir(dir, targetLock(dir)+".lock", fmt.Sprintf("the directory %s of the chaos target", dir), "--dir or DATA_DIR",
		fmt.Sprintf("another supervisor has the chaos target in %s; stop it, or choose another directory with --dir", dir))
}

// targetListeners are those of whoever started us, or our own.
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

// replicaOf is how the replica is started: by the same program.
func replicaOf(dir, product string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, "instance", "--dir", dir, "--product", product}, err
}

// replicaCommand is the half of a chaos target that its supervisor starts, kills and starts again.
func replicaCommand() *cobra.Command {
	var options instance.Options
	cmd := &cobra.Command{
		Use: "instance", Short: "Run the chaos target's instance; its supervisor starts it", Args: cobra.NoArgs, Hidden: true,
		RunE: withConfig(func(cmd *cobra.Command, _ config.Config, _ []string) (err error) {
			spareMemory()
			if options.Listener, err = inherited(3); err != nil {
				return err
			}
			return instance.Run(untilLeft(cmd.Context(), cmd.InOrStdin()), options)
		}),
	}
	cmd.Flags().StringVar(&options.Dir, "dir", "", "the directory of the chaos target")
	cmd.Flags().StringVar(&options.ProductURL, "product", "", "where the product is, for links")
	_ = cmd.MarkFlagRequired("dir")
	return cmd
}

// inherited is a listener that the process which started us holds too.
func inherited(fd uintptr) (net.Listener, error) {
	file := os.NewFile(fd, "listener")
	listener, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("no listener was handed over: this command is started by another one, not by people (%w)", err)
	}
	return listener, file.Close() // the listener has a copy
}

// untilLeft ends also when whoever holds the other end of gate leaves, however that happens.
func untilLeft(ctx context.Context, gate io.Reader) context.Context {
	ctx, leave := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, gate)
		leave()
	}()
	return ctx
}

func targetDir(cfg config.Config) string { return filepath.Join(cfg.DataDir, "target") }

func targetLock(dir string) string { return filepath.Join(dir, "supervisor") }

func targetKeyFile(dir string) string { return filepath.Join(dir, "key") }

// newProber is the prober of the chaos target that is configured, or that up or customerzero target keep
// on the same data directory. It is nil when there is none: nobody has a key for it.
func newProber(cfg config.Config) *probe.Prober {
	key := findTargetKey(cfg)
	if key == "" {
		return nil
	}
	return probe.New(targetURL(cfg), targetControlURL(cfg), key)
}

// targetProber is the same for activities. Where there is no chaos target it sees none, so that a run that
// somebody asks for ends with that reason.
func targetProber(cfg config.Config) *probe.Prober {
	if there := newProber(cfg); there != nil {
		return there
	}
	return probe.New(targetURL(cfg), targetControlURL(cfg), "")
}

func targetURL(cfg config.Config) string { return cmp.Or(cfg.TargetURL, fromHere(cfg.TargetAddr)) }

func targetControlURL(cfg config.Config) string {
	return cmp.Or(cfg.TargetControlURL, fromHere(cfg.TargetControlAddr))
}

// fromHere is how this machine reaches what listens at an address, which may be all of them.
func fromHere(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip, bad := netip.ParseAddr(host); err == nil && (host == "" || bad == nil && ip.IsUnspecified()) {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + address
}

func findTargetKey(cfg config.Config) string {
	made, _ := readKey(targetKeyFile(targetDir(cfg))) // one that cannot be read is as good as none
	return cmp.Or(cfg.TargetKey, made)
}

// takeTargetKey is the key of a supervisor: as configured, or as it was made in the directory once. A
// made one is good for this machine alone.
func takeTargetKey(cfg config.Config, dir string) (string, error) {
	if cfg.TargetKey != "" {
		return cfg.TargetKey, nil
	}
	for _, address := range []string{cfg.TargetAddr, cfg.TargetControlAddr} {
		if !onlyHere(address) {
			return "", fmt.Errorf("the chaos target would listen at %s, where others reach it: set CHAOS_TARGET_KEY, and the same for the worker", address)
		}
	}
	file, err := os.OpenFile(targetKeyFile(dir), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		if key, err := readKey(targetKeyFile(dir)); err != nil || key != "" {
			return key, err
		}
		return "", fmt.Errorf("the key of the chaos target in %s is empty; remove that file", targetKeyFile(dir))
	}
	if err != nil {
		return "", fmt.Errorf("the key of the chaos target cannot be written: %w", err)
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
