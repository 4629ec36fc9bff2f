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
	lookEvery  = 250 * time.Millisecond
	lookWithin = 30 * time.Second
)

// eye looks at the chaos target from outside, at its pages and at the files on the disk, and believes nobody else.
type eye struct {
	url    string
	dir    string // of the chaos target
	client *http.Client

	looks rig.Notes[look]
}

// look is what the eye saw: what failed, nothing when all was well.
type look struct {
	at      time.Time
	failing []string
}

func newEye(url, dir string) *eye {
	transport := &http.Transport{DisableKeepAlives: true} // a connection may belong to a process that is dead
	return &eye{url: url, dir: dir, client: &http.Client{Transport: transport, Timeout: lookWithin}}
}

// watch looks until ctx ends, and remembers.
func (e *eye) watch(ctx context.Context) {
	for ctx.Err() == nil {
		next := time.NewTimer(lookEvery)
		seen := e.look(ctx)
		if ctx.Err() == nil {
			e.looks.Add(seen)
		}
		<-next.C
	}
}

// pages are what people may look at, with what must be in it.
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

// look looks once, at everything.
func (e *eye) look(ctx context.Context) look {
	seen := look{at: time.Now()}
	var failing rig.Notes[string]
	var looking sync.WaitGroup
	for path, right := range pages() {
		looking.Go(func() {
			if body, status, err := rig.Get(ctx, e.client, e.url+path); err != nil || status != http.StatusOK || !right(body) {
				failing.Add(path)
			}
		})
	}
	wrong := e.wrongFiles()
	looking.Wait()
	seen.failing = append(failing.All(), wrong...)
	slices.Sort(seen.failing)
	return seen
}

// wrongFiles are those that are not as in the golden copy.
func (e *eye) wrongFiles() (wrong []string) {
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

// faultIsThere says whether the run's fault is there, as the supervisor has written it down.
func (e *eye) faultIsThere(runID string) bool {
	text, err := os.ReadFile(filepath.Join(e.dir, "lease.json"))
	var held struct {
		RunID      string     `json:"runId"`
		InjectedAt *time.Time `json:"injectedAt"`
	}
	return err == nil && json.Unmarshal(text, &held) == nil && held.RunID == runID && held.InjectedAt != nil
}

// staysWell waits until the eye has seen it well four times in a row.
func (e *eye) staysWell(ctx context.Context, patience time.Duration) bool {
	const inARow = 4
	from := time.Now()
	return cluster.Until(ctx, patience, func() bool {
		looks := e.looks.All()
		if len(looks) < inARow {
			return false
		}
		return !slices.ContainsFunc(looks[len(looks)-inARow:], func(l look) bool { return l.at.Before(from) || len(l.failing) > 0 })
	})
}
