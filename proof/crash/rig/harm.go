package rig

import (
	"sync"
	"time"

	"customerzero/proof/crash/watch"
)

// What a harm excuses beside what was under way: requests that began so soon after it. The
// death of a worker excuses nothing, and neither does a restart.
const (
	afterKill = 3 * time.Second // of an API: the others go on, and the proxy has to notice
	afterCut  = 5 * time.Second // of all replicas' database: each has to find it again
)

// harms are the times in which the crash test itself kept the product from answering.
type harms struct {
	mu  sync.Mutex
	all []harm
}

type harm struct{ from, until time.Time }

func (h *harms) note(from, until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, harm{from, until})
}

// excuse says whether a request was under way while something was harmed.
func (h *harms) excuse(f watch.Failure) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, one := range h.all {
		if f.From.Before(one.until) && f.Until.After(one.from) {
			return true
		}
	}
	return false
}
