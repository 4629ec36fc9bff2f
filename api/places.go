package api

import "sync"

// places bounds how many look on at once: all together, and from one address.
type places struct {
	mu      sync.Mutex
	all     int
	each    int
	taken   int
	takenBy map[string]int
}

func newPlaces(all, each int) *places {
	return &places{all: all, each: each, takenBy: map[string]int{}}
}

// take gives a place, if there is one, and how to give it back.
func (p *places) take(address string) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken >= p.all || p.takenBy[address] >= p.each {
		return nil, false
	}
	p.taken++
	p.takenBy[address]++
	return func() { p.leave(address) }, true
}

func (p *places) leave(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	if p.takenBy[address]--; p.takenBy[address] == 0 {
		delete(p.takenBy, address)
	}
}
