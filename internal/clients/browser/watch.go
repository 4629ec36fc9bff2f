package browser

import (
	"log/slog"
	"time"
)

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
		if r.barren() {
			r.kill()
			r.lost()
			return
		}
		warned = r.weigh(warned)
	}
}

// weigh keeps the memory within its bound. The largest page goes first, so that another look
// under way is not blamed for it; when that was not enough, all of it.
func (r *running) weigh(warned bool) bool {
	members := family(r.main)
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

// outgrew says that a page's process was too large, or nearly, a moment ago.
func (r *running) outgrew() bool {
	return time.Since(time.UnixMilli(r.grownAt.Load())) < grace
}
