package egress

import (
	"slices"
	"strings"
	"sync"
)

// refusal says what was not let through, and why.
type refusal struct{ target, why string }

func (r *refusal) Error() string { return r.target + ": " + r.why }
func (r *refusal) Unwrap() error { return ErrRefused }

func notOurs(target string) *refusal { return &refusal{target, "not one of our sites"} }

const (
	maxNotes = 20
	maxNote  = 200 // bytes; a page can ask for names of any length
)

// notes are what a gate did not let through.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(r *refusal) {
	line := strings.ToValidUTF8(r.target[:min(len(r.target), maxNote)], "") + ": " + r.why
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.lines) < maxNotes && !slices.Contains(n.lines, line) {
		n.lines = append(n.lines, line)
	}
}

func (n *notes) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.lines)
}
