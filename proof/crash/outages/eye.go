package outages

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

// eye asks all the time whether the product is ready.
type eye struct {
	url    string
	client http.Client
	seen   rig.Notes[sight]
}

// sight is one answer; no status: there was none.
type sight struct {
	asked, told time.Time
	status      int
}

func newEye(url string) *eye { return &eye{url: url, client: http.Client{Timeout: patience}} }

func (e *eye) look(ctx context.Context) {
	for cluster.Wait(ctx, 100*time.Millisecond) {
		one := sight{asked: time.Now()}
		if resp, err := get(context.WithoutCancel(ctx), &e.client, e.url+"/readyz"); err == nil {
			one.status = resp.StatusCode
			_ = resp.Body.Close()
		}
		one.told = time.Now()
		e.seen.Add(one)
	}
}

func (e *eye) readySince(when time.Time) bool {
	return e.saw(func(s sight) bool { return s.status == http.StatusOK && s.asked.After(when) })
}

func (e *eye) saw(such func(sight) bool) bool {
	return slices.ContainsFunc(e.seen.All(), such)
}

// told says whether somebody was told that the product was not ready, about that time.
func (e *eye) told(from, until time.Time) bool {
	return e.saw(func(s sight) bool {
		return s.status == http.StatusServiceUnavailable && s.told.After(from) && s.asked.Before(until)
	})
}

// slowest is the longest that anybody waited to hear whether it is ready.
func (e *eye) slowest() (longest time.Duration) {
	for _, s := range e.seen.All() {
		longest = max(longest, s.told.Sub(s.asked))
	}
	return longest
}

// vitals are what a process holds.
type vitals struct{ goroutines, files int }

// vitals asks the API for its own.
func (w *world) vitals(ctx context.Context) (v vitals, err error) {
	resp, err := get(ctx, &w.eye.client, w.URL+"/metrics")
	if err != nil {
		return v, err
	}
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		n, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "go_goroutines":
			v.goroutines = int(n)
		case "process_open_fds":
			v.files = int(n)
		}
	}
	if v.goroutines == 0 || v.files == 0 {
		err = errors.Join(lines.Err(), fmt.Errorf("the API does not tell what it holds: %s", resp.Status))
	}
	return v, err
}

func get(ctx context.Context, client *http.Client, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return client.Do(req)
}
