package rig

import (
	"slices"
	"sync"
)

// Invariant is a promise of the product, which the evidence of a run keeps or breaks.
type Invariant[E any] struct {
	Promise string
	Broken  func(E) []string // each breach in one line
}

// Judge holds the evidence against every promise.
func Judge[E any](invariants []Invariant[E], evidence E) (verdicts []Verdict) {
	for _, i := range invariants {
		verdicts = append(verdicts, Verdict{i.Promise, i.Broken(evidence)})
	}
	return verdicts
}

// Breached lists the promises that the evidence breaks.
func Breached[E any](invariants []Invariant[E], evidence E) (promises []string) {
	for _, v := range Judge(invariants, evidence) {
		if len(v.Breaches) > 0 {
			promises = append(promises, v.Promise)
		}
	}
	return promises
}

// Notes are what several goroutines write down.
type Notes[T any] struct {
	mu  sync.Mutex
	all []T
}

// Add writes one down.
func (n *Notes[T]) Add(one T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, one)
}

// All is everything so far.
func (n *Notes[T]) All() []T {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.all)
}

// Find gives the first such element; nil: there is none.
func Find[T any](list []T, is func(T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return &list[i]
	}
	return nil
}
