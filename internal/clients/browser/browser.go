// Package browser looks at our own pages with one warm Chromium, driven by Playwright. It is the
// only package that knows Playwright. What it opens is not trusted: every look has its own
// context, its own way out, and bounds of time, memory and bytes.
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

// Options describes where the browser is, and what it may use.
type Options struct {
	Dir      string        // holds package/ (Playwright's driver) and axe.min.js
	Node     string        // runs the driver; empty: node of the PATH
	Chromium string        // the browser itself; empty: looked for where Debian puts it
	Guard    *egress.Guard // the only way out
	Jobs     int           // at once; 0: 2
	MaxRSS   int64         // bytes, of all its processes together; 0: 1.5 GiB. More: it is killed
	Idle     time.Duration // without work before it is closed, to give its memory back; 0: 2 min
}

// errClosed ends looks that were under way as the browser was closed.
var errClosed = errors.New("the browser was closed")

// Browser is one Chromium, started when it is first needed, and again when it died.
type Browser struct {
	o     Options
	slots chan struct{}
	life  context.Context // ends with Close
	end   context.CancelFunc
	work  sync.WaitGroup // looks, starts and ends under way

	mu       sync.Mutex
	closed   bool
	run      *running // nil: there is none
	starting *start   // nil: none is being started
	failed   failure
	busy     int // looks
	used     time.Time
}

// New starts nothing yet.
func New(o Options) *Browser {
	o.Jobs = cmp.Or(o.Jobs, 2)
	o.MaxRSS = cmp.Or(o.MaxRSS, 3<<29)
	o.Idle = cmp.Or(o.Idle, 2*time.Minute)
	life, end := context.WithCancel(context.Background())
	return &Browser{o: o, slots: make(chan struct{}, o.Jobs), life: life, end: end}
}

// Look opens a page and describes what it saw. Problems are final: BrowserMissing, PageUnreachable,
// PageSlow, PageHeavy. Every other error, like a browser that was killed, may be tried again.
// Its time begins when there is a free place and a browser; only ctx bounds the wait for them.
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
	gate, err := b.o.Guard.Open()
	if err != nil {
		leave()
		return verification.Capture{}, err
	}
	return newVisit(run, gate, l).at(ctx, leave)
}

// enter waits for a free place. Who leaves makes room for the next.
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

// Sweep closes the browser when it had no work for a while; call it now and then.
func (b *Browser) Sweep() {
	b.mu.Lock()
	idle := b.run != nil && b.busy == 0 && time.Since(b.used) >= b.o.Idle
	if idle {
		b.retire()
	}
	b.mu.Unlock()
}

// Close ends the browser and its driver. Looks under way are cut off.
func (b *Browser) Close() error {
	b.end()
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.work.Wait() // nothing is started any more, and looks ended
	b.mu.Lock()
	b.retire()
	b.mu.Unlock()
	b.work.Wait()
	return nil
}

// local reports whether a page lies at a name of this machine alone. Nobody is given a certificate
// for such a name that others believe, so none is asked for; a gate leads where the operator
// placed the site, and deadProxy else.
func local(address string) bool {
	u, err := url.Parse(address)
	return err == nil && egress.Local(u.Hostname())
}

// Where Debian puts it. The shell is half as big and twice as fast. What is in /usr/bin are
// scripts: killing one would leave the browser running.
var chromiums = []string{"/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"}

// parts is what a browser is made of: absolute paths.
type parts struct{ node, driver, axe, chromium string }

// find looks for all parts. It is cheap enough for every look, so what is put in place later
// is found.
func (o Options) find() (p parts, err error) {
	if p.node, err = exec.LookPath(cmp.Or(o.Node, "node")); err != nil {
		return p, missing("Node is missing, which runs the browser's driver: install Node 20 or newer, or set BROWSER_NODE.")
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

// present is the first of the files that is there; empty when none is.
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

// Check reports whether there is all that is needed to start, without starting it: its version, or
// a problem BrowserMissing that describes what to do. Chromium says its version in some 30 ms.
func (b *Browser) Check(ctx context.Context) (string, error) {
	p, err := b.o.find()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ask := exec.CommandContext(ctx, p.chromium, "--version")
	ask.Env = []string{"PATH=/usr/bin:/bin"}
	said, err := ask.Output()
	if ctx.Err() != nil {
		return "", fmt.Errorf("asking Chromium for its version: %w", context.Cause(ctx))
	}
	if number := version.Find(said); err == nil && number != nil {
		return "Chromium " + string(number), nil
	}
	return "", missing("Chromium does not start: try it by hand, or set CHROMIUM to another one.")
}
