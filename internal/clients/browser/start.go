package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/playwright-community/playwright-go"
	"github.com/prometheus/procfs"

	"customerzero/internal/domain/verification"
)

const retryStartAfter = 10 * time.Second // after a failed start

var startTime = 30 * time.Second // tests raise it

// start is one attempt to start the browser, which several visits may wait for.
type start struct {
	done chan struct{}
	run  *running
	err  error
}

// failure is the error of the last start.
type failure struct {
	err error // nil: it succeeded
	at  time.Time
}

// errStart is the first failure: the process may have been killed, so the next visit retries.
var errStart = errors.New("the browser did not start; the next visit retries")

// warm returns the running browser, or starts one.
func (b *Browser) warm(ctx context.Context) (*running, error) {
	s, err := b.begin()
	if err != nil {
		return nil, err
	}
	select {
	case <-s.done:
		return s.run, s.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// begin returns the start to wait for: a finished, a running or a new one. A start outlives the visit that
// began it, because others may wait for it.
func (b *Browser) begin() (*start, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.run != nil && b.run.alive() {
		done := &start{done: make(chan struct{}), run: b.run}
		close(done.done)
		return done, nil
	}
	if b.starting != nil {
		return b.starting, nil
	}
	b.retire()
	if b.failed.err != nil && time.Since(b.failed.at) < retryStartAfter {
		return nil, b.failed.err
	}
	p, err := b.o.find()
	if err != nil {
		return nil, err
	}
	s := &start{done: make(chan struct{})}
	b.starting = s
	b.work.Go(func() { b.started(s, p) })
	return s, nil
}

func (b *Browser) started(s *start, p parts) {
	s.run, s.err = run(p, b.o.MaxRSS)
	b.mu.Lock()
	b.run, b.starting = s.run, nil
	if s.err != nil && b.failed.err == nil {
		b.failed, s.err = failure{err: s.err}, errStart
	} else {
		b.failed = failure{s.err, time.Now()}
	}
	b.used = time.Now()
	b.mu.Unlock()
	close(s.done)
}

// retire ends the running browser, if any, in the background; the caller holds b.mu.
func (b *Browser) retire() {
	if old := b.run; old != nil {
		b.run = nil
		b.work.Go(old.end)
	}
}

// run starts the driver and the browser.
func run(p parts, maxRSS int64) (*running, error) {
	dir, owned, err := makeDir(p)
	if err != nil {
		return nil, fmt.Errorf("make a directory for the browser: %w", err)
	}
	r := &running{dir: dir, owned: owned, axe: p.axe, maxRSS: maxRSS, gone: make(chan struct{}), idle: make(chan struct{})}
	hung := time.AfterFunc(startTime, r.destroy) // neither call can be canceled
	err = errors.Join(r.startDriver(), r.startChromium(p.chromium))
	if err = inTime(hung.Stop(), err); err != nil {
		r.end()
		slog.Warn("the browser does not start", "chromium", p.chromium, "error", withoutCommandLine(err))
		return nil, missing("Chromium is installed but does not start: see the worker's log.")
	}
	go r.watch()
	return r, nil
}

// inTime returns an error for a start that took too long, even if it succeeded: it is being killed.
func inTime(timely bool, err error) error {
	if timely {
		return err
	}
	return errors.Join(err, fmt.Errorf("it took more than %s", startTime))
}

// withoutCommandLine removes the command line, which Playwright repeats in full.
func withoutCommandLine(err error) string {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' })
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "<launching>") })
	return cut(strings.Join(lines, " | "), 10*mostChars)
}

// makeDir makes a directory whose name identifies the browser's processes. The driver expects node and
// package side by side in it; the alternative is an environment variable of this process.
func makeDir(p parts) (string, *flock.Flock, error) {
	dir, err := os.MkdirTemp("", dirPrefix)
	if err != nil {
		return "", nil, err
	}
	owned := flock.New(filepath.Join(dir, ownerLock))
	return dir, owned, errors.Join(owned.Lock(), os.Symlink(p.node, filepath.Join(dir, "node")),
		os.Symlink(filepath.Dir(p.driver), filepath.Join(dir, "package")))
}

const (
	dirPrefix = "customerzero-browser-"
	// ownerLock is a file that this process holds locked. The system releases the lock of a killed process.
	ownerLock = "owner.lock"
)

// Sweep removes the directories of browsers whose process was killed before it could remove them. A directory without a
// lock, or of another user, stays.
func Sweep() (removed int) {
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*"))
	for _, dir := range dirs {
		lock := filepath.Join(dir, ownerLock)
		if !ownDir(dir) || !regular(lock) {
			continue
		}
		owned := flock.New(lock)
		if free, err := owned.TryLock(); err == nil && free && os.RemoveAll(dir) == nil {
			removed++
		}
		_ = owned.Close()
	}
	return removed
}

func ownDir(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	return known && int(stat.Uid) == os.Getuid()
}

func regular(file string) bool {
	info, err := os.Lstat(file)
	return err == nil && info.Mode().IsRegular()
}

func (r *running) startDriver() (err error) {
	r.driver, err = playwright.Run(&playwright.RunOptions{DriverDirectory: r.dir, SkipInstallBrowsers: true})
	return err
}

func (r *running) startChromium(path string) (err error) {
	if r.driver == nil {
		return nil // startDriver returned the error
	}
	if r.chrome, err = r.driver.Chromium.Launch(launch(path, r.dir)); err != nil {
		return err
	}
	r.chrome.OnDisconnected(func(playwright.Browser) { r.lost() })
	r.main, r.node, r.profile = find(r.dir)
	r.zygotes = zygotes(r.main)
	return r.readVersion()
}

// readVersion reads the browser's version and user agent.
func (r *running) readVersion() error {
	session, err := r.chrome.NewBrowserCDPSession()
	if err != nil {
		return err
	}
	reply, err := session.Send("Browser.getVersion", nil)
	if err != nil {
		return err
	}
	about, _ := reply.(map[string]any)
	agent, _ := about["userAgent"].(string)
	r.agent = agent + " CustomerZeroVerifier/1"
	r.version = "Chromium " + r.chrome.Version()
	return session.Detach()
}

// deadProxy is an address without a server: only contexts with an egress proxy reach the network.
const deadProxy = "http://127.0.0.1:9"

// dirFlag is an argument that identifies the browser's first process.
func dirFlag(dir string) string { return "--customerzero=" + filepath.Base(dir) }

// launch returns the launch options. The environment is minimal because ours holds secrets.
func launch(path, dir string) playwright.BrowserTypeLaunchOptions {
	never := playwright.Bool(false)
	return playwright.BrowserTypeLaunchOptions{
		ExecutablePath:  &path,
		ChromiumSandbox: playwright.Bool(os.Geteuid() != 0), // it does not work as root
		Env:             map[string]string{"PATH": "/usr/bin:/bin", "HOME": dir, "LANG": "C.UTF-8", "TZ": "UTC"},
		Proxy:           &playwright.Proxy{Server: deadProxy},
		Timeout:         playwright.Float(float64(startTime.Milliseconds()) / 2),
		HandleSIGINT:    never, HandleSIGTERM: never, HandleSIGHUP: never,
		Args: []string{
			dirFlag(dir),
			"--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-breakpad",
			// Without these, WebRTC and the resolver would bypass the proxy.
			"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
			"--webrtc-ip-handling-policy=disable_non_proxied_udp",
			"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
			"--js-flags=--max-old-space-size=512",
		},
	}
}

// settings returns the options of a context: it stores, grants, downloads and animates nothing.
func (r *running) settings(proxy string, l verification.PageRequest) playwright.BrowserNewContextOptions {
	v, scheme := l.View, playwright.ColorSchemeLight
	if v.Theme == verification.Dark {
		scheme = playwright.ColorSchemeDark
	}
	return playwright.BrowserNewContextOptions{
		// Without the bypass list, loopback would be reached directly.
		Proxy:             &playwright.Proxy{Server: "http://" + proxy, Bypass: playwright.String("<-loopback>")},
		IgnoreHttpsErrors: playwright.Bool(local(l.URL)),
		AcceptDownloads:   playwright.Bool(false),
		ServiceWorkers:    playwright.ServiceWorkerPolicyBlock,
		Permissions:       []string{},
		Locale:            playwright.String("en-US"),
		TimezoneId:        playwright.String("UTC"),
		Viewport:          &playwright.Size{Width: v.Viewport.Width, Height: v.Viewport.Height},
		DeviceScaleFactor: playwright.Float(1),
		ReducedMotion:     playwright.ReducedMotionReduce,
		ColorScheme:       scheme,
		UserAgent:         playwright.String(strings.TrimSpace(r.agent)),
		ExtraHttpHeaders:  map[string]string{"Sec-GPC": "1", "DNT": "1"},
	}
}

// process identifies a process by PID and start time, because PIDs are reused.
type process struct {
	PID   int
	since uint64
}

func (p process) alive() bool {
	if p.PID == 0 {
		return false
	}
	stat, err := stat(p.PID)
	return err == nil && stat.Starttime == p.since && stat.State != "Z"
}

func (p process) kill() {
	if p.alive() {
		_ = syscall.Kill(p.PID, syscall.SIGKILL)
	}
}

func stat(pid int) (procfs.ProcStat, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return procfs.ProcStat{}, err
	}
	return proc.Stat()
}

// find locates the browser's first process and its driver by their command lines.
func find(dir string) (main, node process, profile string) {
	all, err := procfs.AllProcs()
	if err != nil {
		return main, node, ""
	}
	for _, proc := range all {
		line, err := proc.CmdLine()
		if err != nil || len(line) < 2 {
			continue
		}
		stat, err := proc.Stat()
		if err != nil {
			continue
		}
		switch {
		case line[0] == filepath.Join(dir, "node"):
			node = process{proc.PID, stat.Starttime}
		case slices.Contains(line, dirFlag(dir)) && main.PID == 0:
			main = process{proc.PID, stat.Starttime}
			profile = profileOf(line)
		}
	}
	return main, node, profile
}

// profileOf returns the browser's profile directory.
func profileOf(line []string) string {
	for _, argument := range line {
		if dir, ok := strings.CutPrefix(argument, "--user-data-dir="); ok {
			return dir
		}
	}
	return ""
}

// zygotes returns the processes that renderers are forked from.
func zygotes(main process) []process { return processesByType(main)["zygote"] }

var processType = regexp.MustCompile(`--type=([a-z-]+)`)

// processesByType returns a browser's descendant processes by their --type argument.
func processesByType(main process) map[string][]process {
	found := map[string][]process{}
	for _, m := range processTree(main) {
		proc, err := procfs.NewProc(m.PID)
		if err != nil {
			continue
		}
		line, _ := proc.CmdLine() // some processes rewrite it as one string
		if kind := processType.FindStringSubmatch(strings.Join(line, " ")); kind != nil {
			found[kind[1]] = append(found[kind[1]], m.process)
		}
	}
	return found
}

// member is one of the browser's processes, with its resident memory in bytes.
type member struct {
	process
	memory int64
}

// processTree returns a process and all its descendants, itself first, or nil if it has ended.
func processTree(main process) []member {
	all, err := procfs.AllProcs()
	if err != nil || !main.alive() {
		return nil
	}
	children := map[int][]member{}
	members := []member{}
	for _, proc := range all {
		stat, err := proc.Stat()
		if err != nil || stat.State == "Z" {
			continue
		}
		m := member{process{stat.PID, stat.Starttime}, int64(stat.ResidentMemory())}
		children[stat.PPID] = append(children[stat.PPID], m)
		if m.process == main {
			members = append(members, m)
		}
	}
	for i := 0; i < len(members); i++ {
		members = append(members, children[members[i].PID]...)
	}
	return members
}
