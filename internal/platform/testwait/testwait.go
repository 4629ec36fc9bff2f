// Package testwait is for tests that wait for something else than the processor: their deadline, their
// HTTP client, and how many of them run at once. Only tests may use it.
package testwait

import (
	"bytes"
	"flag"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"
)

// Limit ends a wait for something that will never happen. It exists to report a hang and measures
// nothing: a slow machine must not fail a test. A Temporal server whose writes fail on purpose needed 174 s
// for 20 posts with a fifth of a core, so it is 10 minutes where milliseconds are expected. It is shorter
// than the timeout of `go test`, so that the failed test names the condition it waited for.
const Limit = 10 * time.Minute

// Client calls servers of httptest in tests that run in parallel: when one of these servers is closed, it
// closes connections of http.DefaultTransport, which may be another test's.
var Client = &http.Client{Transport: &http.Transport{}, Timeout: Limit}

// Buffer takes what several goroutines or processes write.
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

// Main runs a package's tests, this many at once: on two cores `go test` would run two, which mostly wait.
func Main(m *testing.M, atOnce string) {
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
