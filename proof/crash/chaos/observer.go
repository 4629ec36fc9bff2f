package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"customerzero/internal/domain/target"
	"customerzero/internal/target/golden"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

const (
	observeEvery   = 250 * time.Millisecond
	observeTimeout = 30 * time.Second
)

// observer checks the chaos target from outside: its pages, and its files on disk.
type observer struct {
	url    string
	dir    string // of the chaos target
	client *http.Client

	observations rig.Notes[observation]
}

// observation is the result of all checks: those that failed.
type observation struct {
	at      time.Time
	failing []string
}

func newObserver(url, dir string) *observer {
	transport := &http.Transport{DisableKeepAlives: true} // a kept connection may belong to a killed process
	return &observer{url: url, dir: dir, client: &http.Client{Transport: transport, Timeout: observeTimeout}}
}

func (e *observer) watch(ctx context.Context) {
	for ctx.Err() == nil {
		next := time.NewTimer(observeEvery)
		seen := e.observe(ctx)
		if ctx.Err() == nil {
			e.observations.Add(seen)
		}
		<-next.C
	}
}

// pages are the public pages, each with a check of its body.
func pages() map[string]func(body []byte) bool {
	picture, _ := fs.ReadFile(golden.FS, target.FileOGImage)
	return map[string]func(body []byte) bool{
		"/":             func(body []byte) bool { return bytes.Contains(body, []byte(`data-target="home"`)) },
		"/posts":        func(body []byte) bool { return bytes.Contains(body, []byte(`data-target="posts"`)) },
		"/og-image.png": func(body []byte) bool { return bytes.Equal(body, picture) },
		"/api/bot-status": func(body []byte) bool {
			var said struct{ MonthlyLimit int }
			return json.Unmarshal(body, &said) == nil && said.MonthlyLimit > 0
		},
		"/heartbeat": func(body []byte) bool {
			var beat target.Heartbeat
			return json.Unmarshal(body, &beat) == nil && beat.Error == "" && time.Since(beat.At) <= target.HeartbeatFresh
		},
	}
}

func (e *observer) observe(ctx context.Context) observation {
	seen := observation{at: time.Now()}
	var failing rig.Notes[string]
	var observing sync.WaitGroup
	for path, right := range pages() {
		observing.Go(func() {
			if body, status, err := rig.Get(ctx, e.client, e.url+path); err != nil || status != http.StatusOK || !right(body) {
				failing.Add(path)
			}
		})
	}
	wrong := e.wrongFiles()
	observing.Wait()
	seen.failing = append(failing.All(), wrong...)
	slices.Sort(seen.failing)
	return seen
}

func (e *observer) wrongFiles() (wrong []string) {
	for _, name := range target.Files() {
		want, err := fs.ReadFile(golden.FS, name)
		if err != nil {
			return []string{"no golden copy of " + name}
		}
		if got, err := os.ReadFile(filepath.Join(e.dir, "live", name)); err != nil || !bytes.Equal(got, want) {
			wrong = append(wrong, name)
		}
	}
	return wrong
}

// faultIsThere reports whether the supervisor's lease file has the run's fault as injected.
func (e *observer) faultIsThere(runID string) bool {
	text, err := os.ReadFile(filepath.Join(e.dir, "lease.json"))
	var held struct {
		RunID      string     `json:"runId"`
		InjectedAt *time.Time `json:"injectedAt"`
	}
	return err == nil && json.Unmarshal(text, &held) == nil && held.RunID == runID && held.InjectedAt != nil
}

// staysHealthy waits until four observations in a row are healthy.
func (e *observer) staysHealthy(ctx context.Context, patience time.Duration) bool {
	const inARow = 4
	from := time.Now()
	return cluster.Until(ctx, patience, func() bool {
		observations := e.observations.All()
		if len(observations) < inARow {
			return false
		}
		return !slices.ContainsFunc(observations[len(observations)-inARow:], func(l observation) bool { return l.at.Before(from) || len(l.failing) > 0 })
	})
}
