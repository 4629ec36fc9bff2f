package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"customerzero/internal/platform/config"
	"customerzero/internal/platform/ports"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/workflows"
)

func upCommand() *cobra.Command {
	return &cobra.Command{
		Use: "up", Short: "Run the whole product on this machine", RunE: withConfig(runUp),
		Long: "Run the API, a worker, a Temporal server, a chaos target and the sandboxes of X, Stripe and mail on this machine.\n\n" +
			"Services that are configured, such as DATABASE_URL or X_CONSUMER_KEY, are used in place of the built-in ones. Ports that\n" +
			"are in use are replaced by free ones; DATA_DIR/up.json has the addresses.",
		Example: "  customerzero up\n  DATA_DIR=/var/lib/customerzero ADDR=127.0.0.1:9080 customerzero up",
	}
}

// spareMemory lowers GOGC to 50, because on a laptop memory is scarcer than CPU time. A GOGC that the
// operator has set wins.
func spareMemory() {
	const usual, sparing = 100, 50
	if set := debug.SetGCPercent(sparing); set != usual {
		debug.SetGCPercent(set)
	}
}

// rest returns the memory of the start to the system.
func rest() *time.Timer { return time.AfterFunc(restAfter, debug.FreeOSMemory) }

const restAfter = 3 * time.Second

func runUp(cmd *cobra.Command, cfg config.Config, _ []string) error {
	spareMemory()
	lock, err := prepareDataDir(cfg.DataDir)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Unlock() }()

	defer trace(cmd.Context(), cfg, "up")()
	up := &upProcess{process: process{cfg: cfg}, out: cmd.OutOrStdout()}
	defer up.stop()
	if err := up.start(cmd.Context()); err != nil {
		return err
	}
	return up.run(cmd.Context())
}

// upProcess runs the whole product. It stops everything in reverse order of the start.
type upProcess struct {
	process
	out      io.Writer
	newKey   bool
	closers  []func()
	listener net.Listener
	stage    sandboxes
}

func (u *upProcess) start(ctx context.Context) error {
	if err := u.takeAddresses(); err != nil {
		return err
	}
	// The database comes first: it opens fast, and its error is the most useful one.
	var err error
	if u.db, err = openStore(ctx, u.cfg); err != nil {
		return err
	}
	if err := checkIntact(ctx, u.cfg, u.db); err != nil {
		return err
	}
	if err := u.takeKey(ctx); err != nil {
		return err
	}
	if err := u.startTarget(ctx); err != nil {
		return err
	}
	start, starting := errgroup.WithContext(ctx)
	var broken error
	start.Go(func() error { broken = u.prepareStore(ctx); return broken })
	start.Go(func() error { return u.startTemporal(starting) })
	if err := start.Wait(); err != nil {
		return cmp.Or(broken, err)
	}
	return addresses{
		URL: publicURL(u.cfg), Temporal: u.cfg.TemporalAddress, TemporalURL: u.cfg.TemporalUIURL, X: u.cfg.XBaseURL,
		SMTP: u.cfg.SMTPURL, Mail: u.stage.mailPages(), Stripe: stripePages(u.cfg),
		Target: targetURL(u.cfg), TargetControl: targetControlURL(u.cfg),
	}.save(u.cfg)
}

func (u *upProcess) prepareStore(ctx context.Context) error {
	if err := u.db.Migrate(ctx); err != nil {
		return err
	}
	return unlock(ctx, u.cfg, u.db)
}

func (u *upProcess) takeAddresses() error {
	var err error
	if u.ops, err = newOpsServer(u.cfg); err != nil {
		return err
	}
	u.later(u.ops.close)
	if u.listener, err = listenNear(u.cfg.Addr); err != nil {
		return err
	}
	u.later(func() { _ = u.listener.Close() })
	u.cfg.Addr = u.listener.Addr().String()
	if missing := u.cfg.Missing(); len(missing) > 0 {
		return missingSecrets(missing)
	}
	if u.cfg.XBaseURL == "" || u.cfg.SMTPURL == "" || u.cfg.StripeSecretKey == "" {
		return u.startSandboxes()
	}
	return nil
}

func (u *upProcess) takeKey(ctx context.Context) error {
	if err := makeSecretKeys(ctx, u.cfg, u.db); err != nil {
		return err
	}
	key, err := findAdminKey(u.cfg)
	if err == nil && key == "" {
		u.newKey = true
		key, err = makeAdminKey(u.cfg)
	}
	u.cfg.AdminKey = key
	return err
}

func (u *upProcess) run(ctx context.Context) error {
	runs := newRuns(u.cfg, u.temporal)
	stop, err := u.startWorker(ctx)
	if err != nil {
		return err
	}
	u.later(stop)
	u.ops.watchStore(u.cfg, u.db)
	go newDispatcher(u.cfg, u.db, runs).Run(ctx)
	u.greet()
	defer rest().Stop()
	server, err := newServer(u.cfg, u.db, runs, u.stage.mailPages())
	if err != nil {
		return err
	}
	return server.Health.Drain.Serve(ctx, httpServer(u.ops.watchAPI(server), u.listener.Addr(), apiNames(u.cfg, u.listener.Addr())...), u.listener)
}

func (u *upProcess) greet() {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(u.out, format+"\n", args...) }
	say("Customer Zero is running.")
	say("  pages and API      %s", publicURL(u.cfg))
	say("  Temporal console   %s", u.cfg.TemporalUIURL)
	if u.stage.x != nil {
		say("  X sandbox          %s/sandbox/x   (nothing is sent to the real X)", publicURL(u.cfg))
	}
	if u.stage.stripe != nil {
		say("  Stripe sandbox     %s/sandbox/stripe   (no card is charged)", publicURL(u.cfg))
	}
	if u.stage.mail != nil {
		say("  mail sandbox       %s/sandbox/mail   (no email leaves this machine)", publicURL(u.cfg))
	}
	say("  chaos target       %s   (visitors break this one)", targetURL(u.cfg))
	say("  data               %s", u.cfg.DataDir)
	if u.newKey {
		say("  admin key          %s   (shown once; stored in %s)", u.cfg.AdminKey, adminKeyFile(u.cfg))
	}
	say("Try: customerzero import examples/posts.csv    Stop: Ctrl-C")
}

func (u *upProcess) later(f func()) { u.closers = append(u.closers, f) }

// stop stops requests first, then workflows, then the databases.
func (u *upProcess) stop() {
	for i := len(u.closers) - 1; i >= 0; i-- {
		u.closers[i]()
	}
	if u.temporal != nil {
		u.temporal.Close()
	}
	if u.db != nil {
		_ = u.db.Close()
	}
	_ = os.Remove(addressFile(u.cfg))
}

// listenNear listens at the address, or at a free port of the same host if the port is in use.
func listenNear(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err == nil {
		return listener, nil
	}
	host, port, _ := net.SplitHostPort(address)
	other, otherErr := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if otherErr != nil {
		return nil, fmt.Errorf("cannot listen on %s; choose another address (%w)", address, err)
	}
	slog.Warn("the port is in use; listening on a free one", "wanted", port, "address", other.Addr().String())
	return other, nil
}

// temporalFile contains the server's minor version, because its SQLite schema has no migrations.
const temporalFile = "temporal-1.32.db"

// startTemporal starts a server, unless a cluster is configured.
func (u *upProcess) startTemporal(ctx context.Context) error {
	if u.cfg.TemporalAddress == "" {
		if err := u.startTemporald(ctx); err != nil {
			return err
		}
	}
	temporal, err := dialTemporal(ctx, u.cfg, u.cfg.TemporalAddress, u.ops.instrument)
	u.temporal = temporal
	return err
}

func (u *upProcess) startTemporald(ctx context.Context) error {
	bin, err := temporalBin(u.cfg)
	if err != nil {
		return err
	}
	file := filepath.Join(u.cfg.DataDir, temporalFile)
	awaitOrphan(ctx, file)
	logs, err := os.OpenFile(filepath.Join(u.cfg.DataDir, "temporal.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	options := launcher.Options{
		Bin: bin, DBFile: file, Namespace: u.cfg.TemporalNamespace, SearchAttributes: workflows.SearchAttributes(),
		Env: config.WithoutSecrets(os.Environ()), Logs: logs,
		OnRestart: func(cause error) { slog.Warn("the Temporal server ended and is restarted", "cause", cause) },
	}
	server, err := startNear(ctx, options)
	if err != nil {
		_ = logs.Close()
		return err
	}
	u.later(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Stop(ctx)
		_ = logs.Close()
	})
	u.cfg.TemporalAddress = server.Address()
	if u.cfg.TemporalUIURL == "" {
		u.cfg.TemporalUIURL = server.UIURL()
	}
	return nil
}

// startNear starts the server on its default ports, or on free ones if they are in use. Another program
// can take a port between the check and the start, so a failed start is repeated once on ports that no
// other customerzero process gets.
func startNear(ctx context.Context, o launcher.Options) (*launcher.Server, error) {
	o.Port, o.UIPort = freePort(7233), freePort(8233)
	server, err := launcher.Start(ctx, o)
	if err == nil || ctx.Err() != nil {
		return server, err
	}
	slog.Warn("the Temporal server did not start; trying other ports", "cause", err)
	o.Port, o.UIPort = freePort(0), freePort(0)
	return launcher.Start(ctx, o)
}

// awaitOrphan waits for the server of a killed up: it stops by itself within 2 seconds, and holds the
// default ports until then.
func awaitOrphan(ctx context.Context, file string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	lock := flock.New(file + ".lock")
	if free, err := lock.TryLockContext(ctx, 20*time.Millisecond); err == nil && free {
		_ = lock.Unlock()
	}
}

func freePort(wanted int) int {
	port, err := ports.Free("127.0.0.1", wanted)
	if err != nil || port == wanted {
		return wanted
	}
	if wanted != 0 {
		slog.Warn("the port is in use; using a free one", "wanted", wanted, "port", port)
	}
	return port
}

func temporalBin(cfg config.Config) (string, error) {
	bin := cmp.Or(cfg.TemporalBin, besideProgram("temporald"))
	if _, err := os.Stat(bin); err != nil {
		return "", fmt.Errorf("the Temporal server %s does not exist; run make build, or set TEMPORAL_BIN", bin)
	}
	return bin, nil
}
