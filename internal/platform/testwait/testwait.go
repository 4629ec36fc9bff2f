// Package testwait helps tests that wait for other processes: a deadline, an HTTP client, a clock, the
// parallelism. Only tests may use it.
package testwait

import (
	"bytes"
	"flag"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Limit bounds a wait for a condition that may never hold. It detects hangs and must not fail a test on a slow
// machine: a Temporal server with injected write errors needed 174 s for 20 posts on a fifth of a core. It is
// shorter than the timeout of `go test`, so that the failed test names its condition.
const Limit = 10 * time.Minute

// Client calls httptest servers in parallel tests: a server that is closed closes connections of
// http.DefaultTransport, which another test may use.
var Client = &http.Client{Transport: &http.Transport{}, Timeout: Limit}

// Buffer is a bytes.Buffer that is safe for concurrent use.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Clock is a clock that tests advance.
type Clock struct {
	start   time.Time
	elapsed atomic.Int64
}

// NewClock returns a clock that shows start.
func NewClock(start time.Time) *Clock { return &Clock{start: start} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time { return c.start.Add(time.Duration(c.elapsed.Load())) }

// Advance adds d to the time of the clock.
func (c *Clock) Advance(d time.Duration) { c.elapsed.Add(int64(d)) }

// Main runs a package's tests with this parallelism. On two cores `go test` would run two at once, which mostly
// wait.
func Main(m *testing.M, atOnce string) {
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
