package browser

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"
	"github.com/playwright-community/playwright-go"
)

var grace = 2 * time.Second // for operations that should be immediate; tests raise it

// closing limits the closing of a context, which no caller waits for. It is long because the fallback,
// killing the browser, ends other visits too, and a busy machine closes slowly.
const closing = 30 * time.Second

// errLost ends the visits whose browser or driver died. It may be retried.
var errLost = errors.New("the browser died")

// running is a browser process with its driver.
type running struct {
	dir    string       // temporary
	owned  *flock.Flock // its lock
	axe    string
	maxRSS int64

	driver         *playwright.Playwright
	chrome         playwright.Browser
	main, node     process
	zygotes        []process // parents of renderer processes
	profile        string
	version, agent string

	losing, ending sync.Once
	gone           chan struct{} // closed when the browser or its driver died
	idle           chan struct{} // closed by end
	visits         atomic.Int32
	grownAt        atomic.Int64 // when a renderer was last large, in Unix milliseconds
	heavy          atomic.Bool  // killed for its memory
}

// lost closes gone.
func (r *running) lost() { r.losing.Do(func() { close(r.gone) }) }

// alive checks the processes too: the driver does not report its own death.
func (r *running) alive() bool {
	select {
	case <-r.gone:
		return false
	default:
		return r.chrome.IsConnected() && r.main.alive() && r.node.alive()
	}
}

// cannotOpenPages reports whether a zygote died: the browser lives, but no page can be opened, and every
// visit would time out.
func (r *running) cannotOpenPages() bool {
	return slices.ContainsFunc(r.zygotes, func(p process) bool { return !p.alive() })
}

// end closes the browser and its driver, by force if necessary, and removes their files.
func (r *running) end() {
	r.ending.Do(func() {
		close(r.idle)
		if r.chrome != nil && r.alive() {
			bounded(grace, func() { _ = r.chrome.Close() })
		}
		r.kill()
		if r.driver != nil {
			bounded(grace, func() { _ = r.driver.Stop() })
		}
		r.destroy()
		_ = os.RemoveAll(r.dir)
		_ = r.owned.Close()
		if r.profile != "" {
			_ = os.RemoveAll(r.profile) // the driver removes it, unless it was killed
		}
	})
}

// kill kills the browser's processes. The driver notices and ends pending calls.
func (r *running) kill() {
	main, _, _ := find(r.dir)
	for _, p := range processTree(main) {
		p.kill()
	}
}

// destroy kills the driver too, which ends every call.
func (r *running) destroy() {
	r.lost()
	r.kill()
	_, node, _ := find(r.dir)
	node.kill()
}

// bounded runs do and reports whether it returned in time.
func bounded(within time.Duration, do func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
		return true
	case <-time.After(within):
		return false
	}
}

const (
	pulse = 250 * time.Millisecond
	// A renderer that dies above this size died of its memory: scripts alone may use 512 MiB.
	grown = 300 << 20
)

// noticed is how long it may take to detect the cause of an error; tests raise it.
var noticed = 2 * pulse

// watch checks the browser's processes while there are visits.
func (r *running) watch() {
	tick := time.NewTicker(pulse)
	defer tick.Stop()
	warned := false
	for {
		select {
		case <-r.idle:
			return
		case <-r.gone:
			return
		case <-tick.C:
		}
		if r.visits.Load() == 0 {
			warned = false
			continue
		}
		if !r.node.alive() {
			r.lost()
			return
		}
		if len(r.zygotes) == 0 { // they may be renamed only after the browser was ready
			r.zygotes = zygotes(r.main)
		}
		if r.cannotOpenPages() {
			r.kill()
			r.lost()
			return
		}
		warned = r.limitMemory(warned)
	}
}

// limitMemory enforces maxRSS. It kills the largest process first, so that other visits survive; if that was not
// enough, it kills the browser.
func (r *running) limitMemory(warned bool) bool {
	members := processTree(r.main)
	total, largest := int64(0), member{}
	for i, m := range members {
		total += m.memory
		if i > 0 && m.memory > largest.memory {
			largest = m
		}
	}
	if largest.memory >= grown {
		r.grownAt.Store(time.Now().UnixMilli())
	}
	if total <= r.maxRSS {
		return false
	}
	slog.Warn("the browser needs too much memory", "bytes", total, "most", r.maxRSS, "all", warned)
	if !warned && largest.memory > total/3 {
		r.grownAt.Store(time.Now().UnixMilli())
		largest.kill()
		return true
	}
	r.heavy.Store(true)
	r.kill()
	return true
}

// nearMemoryLimit reports whether a renderer was recently near or above the limit.
func (r *running) nearMemoryLimit() bool {
	return time.Since(time.UnixMilli(r.grownAt.Load())) < grace
}
