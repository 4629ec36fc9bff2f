package watch

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Command watches the product at a URL until ctx ends, and says whether every request was
// answered well; what was not is told at the end.
func Command(ctx context.Context, url string, out io.Writer) bool {
	w := New(url)
	w.Run(ctx)
	seen := w.Seen()
	_, _ = fmt.Fprintf(out, "requests through the proxy: %d, failed: %d, longest: %s\n", seen.Asked, len(seen.Failures), seen.Longest.Round(time.Millisecond))
	for _, f := range seen.Failures[:min(len(seen.Failures), 20)] {
		_, _ = fmt.Fprintln(out, "  "+f.String())
	}
	return len(seen.Failures) == 0
}
