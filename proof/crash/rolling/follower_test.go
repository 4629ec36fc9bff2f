// Package rolling restarts a cluster process by process and verifies that no client notices. It is the short
// form of make cluster-test.
package rolling

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/proof/cluster"
)

// follower reads server-sent events as a browser's EventSource does: when a stream ends, it reconnects with the
// ID of the last event.
type follower struct {
	url     string
	http    http.Client
	events  []event
	lastID  string
	retry   time.Duration
	streams int // opened
	refused []string
}

type event struct{ id, name, data string }

// follow reads events until one has the name last, or ctx ends, and passes each to received.
func (f *follower) follow(ctx context.Context, last string, received func(event)) {
	for f.retry = 3 * time.Second; ctx.Err() == nil; cluster.Wait(ctx, f.retry) {
		if f.listen(ctx, last, received) {
			return
		}
	}
}

// listen reads one stream and reports whether to stop reconnecting.
func (f *follower) listen(ctx context.Context, last string, received func(event)) (ended bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, http.NoBody)
	if err != nil {
		f.refused = append(f.refused, err.Error())
		return true
	}
	req.Header.Set("Accept", "text/event-stream")
	if f.lastID != "" {
		req.Header.Set("Last-Event-Id", f.lastID)
	}
	resp, err := f.http.Do(req)
	if err != nil {
		f.refused = append(f.refused, err.Error())
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		f.refused = append(f.refused, resp.Status)
		return true // a browser does not reconnect then
	}
	f.streams++
	next := event{id: f.lastID}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if lines.Text() != "" {
			f.take(&next, lines.Text())
			continue
		}
		if next.data != "" { // an incomplete event at the end of a stream is dropped
			f.lastID = next.id
			f.events = append(f.events, next)
			received(next)
		}
		if next.name == last {
			return true
		}
		next = event{id: f.lastID}
	}
	return false
}

func (f *follower) take(next *event, line string) {
	field, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch field {
	case "id":
		next.id = value
	case "event":
		next.name = value
	case "data":
		next.data += value
	case "retry":
		if ms, err := strconv.Atoi(value); err == nil {
			f.retry = time.Duration(ms) * time.Millisecond
		}
	}
}

func (f *follower) probes() (ids []string) {
	for _, e := range f.events {
		if e.name == "probe" {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// wrong lists probes that are missing, duplicated or out of order.
func (f *follower) wrong() (breaches []string) {
	for next, id := range f.probes() {
		if id != strconv.Itoa(next) {
			breaches = append(breaches, fmt.Sprintf("probe %s came when %d was next", id, next))
		}
	}
	return breaches
}

// TestFollowerResumesAfterTheLastEvent has a stream that breaks off in the middle of every third event.
func TestFollowerResumesAfterTheLastEvent(t *testing.T) {
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

	f, received := follower{url: site.URL}, 0
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	f.follow(ctx, "end", func(event) { received++ })
	require.Empty(t, f.wrong())
	require.Empty(t, f.refused)
	require.Equal(t, 3, f.streams)
	require.Equal(t, 5+3+1, received, "five probes, the state at the start of each stream, and the end")

	f.events = append(f.events, event{id: "4", name: "probe"}, event{id: "7", name: "probe"})
	require.Equal(t, []string{"probe 4 came when 5 was next", "probe 7 came when 6 was next"}, f.wrong())
}
