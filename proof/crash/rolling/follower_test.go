package rolling

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFollowerGoesOnFromTheLastEvent has a stream that breaks off after each second event, and
// in the middle of the next one.
func TestFollowerGoesOnFromTheLastEvent(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last, err := strconv.Atoi(r.Header.Get("Last-Event-Id"))
		if err != nil {
			last = -1
		}
		_, _ = fmt.Fprint(w, "retry: 1\n\nevent:event\ndata:{}\n\n")
		for n := last + 1; n < last+3 && n < 5; n++ {
			_, _ = fmt.Fprintf(w, "id:%d\nevent:probe\ndata:%d\n\n", n, n)
		}
		if last+3 >= 5 {
			_, _ = fmt.Fprint(w, "event:end\ndata:{}\n\n")
		}
		_, _ = fmt.Fprintf(w, "id:%d\nevent:probe\ndata:", last+3)
	}))
	defer site.Close()

	f, heard := follower{url: site.URL}, 0
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	f.follow(ctx, "end", func(event) { heard++ })
	require.Empty(t, f.wrong())
	require.Empty(t, f.refused)
	require.Equal(t, 3, f.streams)
	require.Equal(t, 5+3+1, heard, "five probes, the state at the beginning of each stream, and the end")

	f.events = append(f.events, event{id: "4", name: "probe"}, event{id: "7", name: "probe"})
	require.Equal(t, []string{"probe 4 came when 5 was next", "probe 7 came when 6 was next"}, f.wrong())
}
