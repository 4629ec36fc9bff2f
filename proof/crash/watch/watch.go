// Package watch asks the product for something all the time, as its visitors do, and remembers
// what was not answered well. While replicas come and go behind a proxy, nothing may be.
package watch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"time"
)

const (
	// Every is how often something is asked.
	Every = 50 * time.Millisecond
	// Patience is when a request that hangs counts as failed.
	Patience = 3 * time.Minute
)

// requests are asked in turn. The last one writes: it counts a look at a page.
var requests = []struct{ method, path, body string }{
	{http.MethodGet, "/api/stats", ""},
	{http.MethodGet, "/", ""},
	{http.MethodGet, "/api/posts?limit=5", ""},
	{http.MethodGet, "/api/members", ""},
	{http.MethodGet, "/api/chaos/runs", ""},
	{http.MethodPost, "/api/visits", `{"page":"other"}`},
}

// Failure is a request that was not answered well, and when it was under way.
type Failure struct {
	What, Why   string
	From, Until time.Time
}

func (f Failure) String() string {
	return fmt.Sprintf("%s %s, after %s: %s", f.From.UTC().Format("15:04:05.000"), f.What, f.Until.Sub(f.From).Round(time.Millisecond), f.Why)
}

// Watcher asks at a URL. What it saw is to be read when Run has returned.
type Watcher struct {
	Asked    int
	Longest  time.Duration // wait for an answer
	Failures []Failure

	mu      sync.Mutex // of these, until then
	url     string
	clients []*http.Client
}

// New gives a watcher of the product at the URL. Half of its requests come over connections
// that were there before, the others over new ones.
func New(url string) *Watcher {
	jar, _ := cookiejar.New(nil) // it has no options that could be wrong
	return &Watcher{url: url, clients: []*http.Client{
		{Timeout: Patience, Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: 20}},
		{Timeout: Patience, Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}},
	}}
}

// Run asks until ctx ends, and waits for the last answer.
func (w *Watcher) Run(ctx context.Context) {
	var asking sync.WaitGroup
	tick := time.NewTicker(Every)
	defer tick.Stop()
	for n := 0; ctx.Err() == nil; n++ {
		asking.Go(func() { w.ask(context.WithoutCancel(ctx), n) })
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	asking.Wait()
	for _, client := range w.clients {
		client.CloseIdleConnections()
	}
}

func (w *Watcher) ask(ctx context.Context, n int) {
	r, client, from := requests[n%len(requests)], w.clients[n/len(requests)%len(w.clients)], time.Now()
	why := answer(ctx, client, r.method, w.url+r.path, r.body)
	until := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Asked++
	w.Longest = max(w.Longest, until.Sub(from))
	if why != "" {
		w.Failures = append(w.Failures, Failure{r.method + " " + r.path, why, from, until})
	}
}

// answer says what is wrong with an answer; nothing: it is a success, and whole.
func answer(ctx context.Context, client *http.Client, method, url, body string) string {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	said, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return "cut off: " + err.Error()
	case resp.StatusCode >= http.StatusMultipleChoices:
		return resp.Status + " " + string(said[:min(len(said), 200)])
	}
	return ""
}

// Command watches the product at a URL until ctx ends, and says whether every request was
// answered well; what was not is told at the end.
func Command(ctx context.Context, url string, out io.Writer) bool {
	w := New(url)
	w.Run(ctx)
	_, _ = fmt.Fprintf(out, "requests through the proxy: %d, failed: %d, longest: %s\n", w.Asked, len(w.Failures), w.Longest.Round(time.Millisecond))
	for _, f := range w.Failures[:min(len(w.Failures), 20)] {
		_, _ = fmt.Fprintln(out, "  "+f.String())
	}
	return len(w.Failures) == 0
}
