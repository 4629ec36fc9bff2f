package browser

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"
)

var grace = 2 * time.Second // for what should be done at once; tests wait longer

// closing bounds the end of a context that nobody waits for. It is long because the remedy, killing
// the browser, ends the other views as well, and a busy machine closes slowly.
const closing = 30 * time.Second

// errLost ends looks whose browser, or its driver, died. It may be tried again.
var errLost = errors.New("the browser died")

// running is a browser with its driver, from its start to its end.
type running struct {
	dir    string // its own
	axe    string
	maxRSS int64

	driver         *playwright.Playwright
	chrome         playwright.Browser
	main, node     process
	zygotePids     []process // where pages' processes come from
	profile        string
	version, agent string

	losing, ending sync.Once
	gone           chan struct{} // closed when browser or driver died
	idle           chan struct{} // closed when it is ended
	looks          atomic.Int32
	grownAt        atomic.Int64 // when a page's process was last seen to be large, in milliseconds
	heavy          atomic.Bool  // it was killed for its memory
}

// lost is called when browser or driver died.
func (r *running) lost() { r.losing.Do(func() { close(r.gone) }) }

// alive does not rely on the driver's word: it says nothing of its own death.
func (r *running) alive() bool {
	select {
	case <-r.gone:
		return false
	default:
		return r.chrome.IsConnected() && r.main.alive() && r.node.alive()
	}
}

// cannotOpenPages reports that no page can be opened any more, though the browser lives: it would keep each look
// waiting until its time is over, and blame the page.
func (r *running) cannotOpenPages() bool {
	return slices.ContainsFunc(r.zygotePids, func(p process) bool { return !p.alive() })
}

// end closes browser and driver, by force when they do not comply, and leaves nothing.
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
		if r.profile != "" {
			_ = os.RemoveAll(r.profile) // the driver's work, unless it was killed
		}
	})
}

// kill ends the browser's processes at once. The driver notices, and ends all that waits for them.
func (r *running) kill() {
	main, _, _ := find(r.dir)
	for _, p := range processTree(main) {
		p.kill()
	}
}

// destroy kills the driver too: every call returns then.
func (r *running) destroy() {
	r.lost()
	r.kill()
	_, node, _ := find(r.dir)
	node.kill()
}

// bounded waits for what may hang, and reports whether it returned in time.
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
	// A page's process that dies at more than this died of its memory: scripts alone may have 512 MiB.
	grown = 300 << 20
)

// noticed is how long the cause of an error may take to be seen; tests wait longer.
var noticed = 2 * pulse

// watch looks at the browser's processes while there is work.
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
		if r.looks.Load() == 0 {
			warned = false
			continue
		}
		if !r.node.alive() {
			r.lost()
			return
		}
		if len(r.zygotePids) == 0 { // when the browser was ready, they did not have their names yet
			r.zygotePids = zygotes(r.main)
		}
		if r.cannotOpenPages() {
			r.kill()
			r.lost()
			return
		}
		warned = r.limitMemory(warned)
	}
}

// limitMemory keeps the memory within its bound. The largest page goes first, so that another look
// under way is not blamed for it; when that was not enough, all of it.
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

// nearMemoryLimit reports that a page's process was too large, or nearly, a moment ago.
func (r *running) nearMemoryLimit() bool {
	return time.Since(time.UnixMilli(r.grownAt.Load())) < grace
}
