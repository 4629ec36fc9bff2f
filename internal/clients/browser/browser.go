// Package browser captures our own pages with one Chromium process, driven by Playwright; no other package
// uses Playwright. Pages are not trusted: each visit has its own browser context and egress proxy, and limits
// on time, memory and bytes.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"customerzero/internal/clients/egress"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

// Options locates the browser's parts and limits its resources.
type Options struct {
	Dir      string                // contains package/ (Playwright's driver) and axe.min.js
	Node     string                // runs the driver; empty: node from PATH
	Chromium string                // path of the browser; empty: Debian's paths
	Guard    *egress.Guard         // opens each visit's proxy
	IsPage   func(url string) bool // whether a screenshot of the URL may be shown; nil: of any
	Jobs     int                   // concurrent visits; 0: 2
	MaxRSS   int64                 // bytes, of all its processes; above it, the browser is killed; 0: 1.5 GiB
	Idle     time.Duration         // time without visits after which Sweep closes it; 0: 2 min
}

// errClosed ends the visits that are running when the browser is closed.
var errClosed = errors.New("the browser was closed")

// Browser is one Chromium process, started on first use and again after it died.
type Browser struct {
	o     Options
	slots chan struct{}
	life  context.Context // canceled by Close
	end   context.CancelFunc
	work  sync.WaitGroup // running visits, starts and shutdowns

	mu       sync.Mutex
	closed   bool
	run      *running // nil: not running
	starting *start   // nil: not starting
	failed   failure
	busy     int // visits
	used     time.Time
}

// New returns a browser that starts on first use.
func New(o Options) *Browser {
	o.Jobs = cmp.Or(o.Jobs, 2)
	o.MaxRSS = cmp.Or(o.MaxRSS, 3<<29)
	o.Idle = cmp.Or(o.Idle, 2*time.Minute)
	life, end := context.WithCancel(context.Background())
	return &Browser{o: o, slots: make(chan struct{}, o.Jobs), life: life, end: end}
}

// Look opens a page and captures it. The problems BrowserMissing, PageUnreachable, PageSlow and PageHeavy are
// final; any other error, such as a killed browser, may be retried. The page's time limit starts once a slot
// and a browser are available; only ctx bounds the wait for them.
func (b *Browser) Look(ctx context.Context, l verification.PageRequest) (verification.Capture, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.life, func() { cancel(errClosed) })()
	leave, err := b.enter(ctx)
	if err != nil {
		return verification.Capture{}, err
	}
	run, err := b.warm(ctx)
	if err != nil {
		leave()
		return verification.Capture{}, err
	}
	proxy, err := b.o.Guard.Open()
	if err != nil {
		leave()
		return verification.Capture{}, err
	}
	return newVisit(run, proxy, l, b.o.IsPage).at(ctx, leave)
}

// enter waits for a free slot; leave releases it.
func (b *Browser) enter(ctx context.Context) (leave func(), err error) {
	select {
	case b.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		<-b.slots
		return nil, errClosed
	}
	b.work.Add(1)
	b.busy++
	return b.leave, nil
}

func (b *Browser) leave() {
	b.mu.Lock()
	b.busy--
	b.used = time.Now()
	b.mu.Unlock()
	<-b.slots
	b.work.Done()
}

// Sweep closes the browser if it has been idle for Options.Idle. Call it periodically.
func (b *Browser) Sweep() {
	b.mu.Lock()
	idle := b.run != nil && b.busy == 0 && time.Since(b.used) >= b.o.Idle
	if idle {
		b.retire()
	}
	b.mu.Unlock()
}

// Close ends the browser and its driver. Running visits are canceled.
func (b *Browser) Close() error {
	b.end()
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.work.Wait() // visits have ended, and no start is running
	b.mu.Lock()
	b.retire()
	b.mu.Unlock()
	b.work.Wait()
	return nil
}

// local reports whether a page's host is a name of this machine. No authority issues certificates for these
// names, so none is verified; the proxy connects only to the configured address.
func local(address string) bool {
	u, err := url.Parse(address)
	return err == nil && egress.Local(u.Hostname())
}

// chromiums are Debian's paths. The headless shell is half as big and twice as fast. The files in /usr/bin are
// scripts: killing one would leave the browser running.
var chromiums = []string{"/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"}

// parts are the absolute paths of a browser's files.
type parts struct{ node, driver, axe, chromium string }

// find locates all parts. It runs for each start, so that parts installed later are found.
func (o Options) find() (p parts, err error) {
	if p.node, err = exec.LookPath(cmp.Or(o.Node, "node")); err != nil {
		return p, missing("Node.js, which runs the browser's driver, is missing: install version 20 or newer, or set BROWSER_NODE.")
	}
	if p.driver = present(filepath.Join(o.Dir, "package", "cli.js")); p.driver == "" {
		return p, missing("The browser's driver is missing: run make build, or set BROWSER_DIR.")
	}
	if p.axe = present(filepath.Join(o.Dir, "axe.min.js"), filepath.Join(o.Dir, "axe-core", "axe.min.js")); p.axe == "" {
		return p, missing("The accessibility checker axe is missing: run make build, or set BROWSER_DIR.")
	}
	places := chromiums
	if o.Chromium != "" {
		places = []string{o.Chromium}
	}
	if p.chromium = present(places...); p.chromium == "" {
		return p, missing("Chromium is missing: run make tools, or set CHROMIUM to where it is.")
	}
	p.node, err = filepath.Abs(p.node)
	return p, err
}

func missing(sentence string) error { return problem.New(problem.BrowserMissing, "%s", sentence) }

// present returns the absolute path of the first regular file, or "".
func present(files ...string) string {
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if path, err := filepath.Abs(f); err == nil {
			return path
		}
	}
	return ""
}

var version = regexp.MustCompile(`\d+(\.\d+){2,3}`)

// Check returns Chromium's version without starting the browser (some 30 ms), or a BrowserMissing problem with
// the next step.
func (b *Browser) Check(ctx context.Context) (string, error) {
	p, err := b.o.find()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, p.chromium, "--version")
	command.Env = []string{"PATH=/usr/bin:/bin"}
	output, err := command.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("read Chromium's version: %w", context.Cause(ctx))
	}
	if number := version.Find(output); err == nil && number != nil {
		return "Chromium " + string(number), nil
	}
	return "", missing("Chromium does not start: run it by hand to see why, or set CHROMIUM to another one.")
}
