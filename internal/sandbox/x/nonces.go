package x

import (
	"crypto/sha256"
	"strings"
	"sync"
)

// nonceMemory is how many calls are remembered. Timestamps older than the window are
// refused anyway, so this only has to hold the calls of one window.
const nonceMemory = 1 << 16

// nonces refuses a signed call that comes a second time. It is a ring, which grows to its
// size: then the oldest call is forgotten first.
type nonces struct {
	mu   sync.Mutex
	size int
	ring [][16]byte
	next int
	seen map[[16]byte]struct{}
}

func newNonces(size int) *nonces {
	return &nonces{size: size, seen: map[[16]byte]struct{}{}}
}

// use says whether the call is new, and remembers it.
func (n *nonces) use(parts ...string) bool {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	key := [16]byte(sum[:16])
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, replayed := n.seen[key]; replayed {
		return false
	}
	n.seen[key] = struct{}{}
	if len(n.ring) < n.size {
		n.ring = append(n.ring, key)
		return true
	}
	delete(n.seen, n.ring[n.next])
	n.ring[n.next] = key
	n.next = (n.next + 1) % len(n.ring)
	return true
}
