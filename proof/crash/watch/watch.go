// Package watch sends requests to the product as visitors do and records every failure. Restarts of
// instances behind a proxy must cause none.
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
	// Every is the interval between two requests.
	Every = 50 * time.Millisecond
	// Patience is the timeout of a request.
	Patience = 3 * time.Minute
)

// requests are sent in turn. The last one writes: it counts a page view.
var requests = []struct{ method, path, body string }{
	{http.MethodGet, "/api/stats", ""},
	{http.MethodGet, "/", ""},
	{http.MethodGet, "/api/posts?limit=5", ""},
	{http.MethodGet, "/api/members", ""},
	{http.MethodGet, "/api/chaos/runs", ""},
	{http.MethodPost, "/api/visits", `{"page":"other"}`},
}

// Failure is a request without a complete, successful response.
type Failure struct {
	What, Why   string
	From, Until time.Time
}

func (f Failure) String() string {
	return fmt.Sprintf("%s %s, after %s: %s", f.From.UTC().Format("15:04:05.000"), f.What, f.Until.Sub(f.From).Round(time.Millisecond), f.Why)
}

// Watcher sends requests to a URL. Its fields may be read once Run has returned.
type Watcher struct {
	Asked    int
	Longest  time.Duration // time until a response was complete
	Failures []Failure

	mu      sync.Mutex // guards the fields above
	url     string
	clients []*http.Client
}

// New returns a watcher of the product at the URL. Half of its requests reuse connections.
func New(url string) *Watcher {
	jar, _ := cookiejar.New(nil) // it has no options that could be wrong
	return &Watcher{url: url, clients: []*http.Client{
		{Timeout: Patience, Jar: jar, Transport: &http.Transport{MaxIdleConnsPerHost: 20}},
		{Timeout: Patience, Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}},
	}}
}

// Run sends requests until ctx ends, and waits for the last response.
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

// answer returns why a request failed, or "" if its response is successful and complete.
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
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return "cut off: " + err.Error()
	case resp.StatusCode >= http.StatusMultipleChoices:
		return resp.Status + " " + string(text[:min(len(text), 200)])
	}
	return ""
}

// Command watches the product at a URL until ctx ends, prints the failures and returns whether there were none.
func Command(ctx context.Context, url string, out io.Writer) bool {
	w := New(url)
	w.Run(ctx)
	_, _ = fmt.Fprintf(out, "requests through the proxy: %d, failed: %d, longest: %s\n", w.Asked, len(w.Failures), w.Longest.Round(time.Millisecond))
	for _, f := range w.Failures[:min(len(w.Failures), 20)] {
		_, _ = fmt.Fprintln(out, "  "+f.String())
	}
	return len(w.Failures) == 0
}
