package launcher

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// output hands on what the child says, and remembers the last line. The child's two streams
// share a writer, hence the shared lock.
type output struct {
	mu   *sync.Mutex
	to   io.Writer
	line func(string) // called with every line, under the lock

	partial []byte
}

// longestLine bounds what is remembered of a line without an end.
const longestLine = 4096

// Write never fails: losing a log line must not close the pipe under the child.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.to.Write(p)
	o.partial = append(o.partial, p...)
	for {
		line, rest, whole := bytes.Cut(o.partial, []byte("\n"))
		if !whole {
			break
		}
		o.line(strings.TrimSpace(string(line)))
		o.partial = rest
	}
	o.partial = bytes.Clone(o.partial[:min(len(o.partial), longestLine)])
	return len(p), nil
}
