// Package instance is the replica, the part of a chaos target that faults break: it serves pages from the
// critical files and the product's API from a separate database, and runs a worker loop.
//
// It caches nothing that a fault could remove: files are opened for each request, and the worker reopens the
// database in each round. A fault on disk is visible at once, and so is its repair.
package instance

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/store"
)

// Options configures a replica.
type Options struct {
	Dir        string       // of the chaos target
	Listener   net.Listener // owned by the supervisor
	ProductURL string       // for links to the product; empty: no links
	URL        string       // under which visitors reach it through a proxy; empty without one
}

// The database file and the folder of critical files in a chaos target's directory.
const (
	databaseFile = "target.db"
	liveFolder   = "live"
)

const (
	drainWithin = time.Second
	restAfter   = 2 * time.Second
	// memoryLimit is a soft limit for the garbage collector.
	memoryLimit = 96 << 20
)

// Run serves requests until ctx ends.
func Run(ctx context.Context, o Options) error {
	debug.SetMemoryLimit(memoryLimit)
	defer time.AfterFunc(restAfter, debug.FreeOSMemory).Stop()

	db := &database{path: filepath.Join(o.Dir, databaseFile)}
	defer db.close()
	files := live{dir: filepath.Join(o.Dir, liveFolder)}
	loop := &worker{files: files, db: db}
	loop.round(ctx) // so that the first request sees a heartbeat

	site := &site{files: files, db: db, loop: loop, productURL: o.ProductURL, process: os.Getpid(), startedAt: time.Now().UTC()}
	server := api.HTTPServer(httpapi.GuardHosts(site.handler(), o.Listener.Addr(), o.URL), slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn))
	work, working := errgroup.WithContext(ctx)
	work.Go(func() error { loop.run(working); return nil })
	work.Go(func() error { return served(server.Serve(o.Listener)) })
	work.Go(func() error {
		<-working.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(working), drainWithin)
		defer cancel()
		_ = server.Shutdown(drain) // slower requests are cut off
		return nil
	})
	return work.Wait()
}

func served(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// roundEvery is the interval of the worker. It must be well below target.HeartbeatFresh.
const roundEvery = 200 * time.Millisecond

// roundWithin limits a round. The first one creates the schema, which is slow on a busy machine.
const roundWithin = time.Minute

// worker checks the newest posts against the rules in every round. Its heartbeat advances only after a
// successful round, so it recovers once its rules and database do.
type worker struct {
	files live
	db    *database

	mu   sync.Mutex
	beat target.Heartbeat
}

func (w *worker) run(ctx context.Context) {
	tick := time.NewTicker(roundEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.round(ctx)
		}
	}
}

func (w *worker) round(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, roundWithin)
	defer cancel()
	err := w.work(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		if w.beat.Error == "" {
			slog.Warn("the worker of the chaos target is unhealthy", "error", err)
		}
		w.beat.Error = err.Error()
		return
	}
	w.beat = target.Heartbeat{At: time.Now().UTC(), Rounds: w.beat.Rounds + 1}
}

func (w *worker) work(ctx context.Context) error {
	opened := w.db.renew(ctx) // also with invalid rules, because the pages use it
	text, err := w.files.read(target.FileRules)
	if err != nil {
		return problem.New(problem.Unavailable, "The rules of the worker are missing.")
	}
	rules, err := readBundle(text)
	if err != nil {
		return err
	}
	if opened != nil {
		slog.Debug("database of the chaos target", "error", opened)
		return errNoDatabase
	}
	return w.apply(ctx, rules.Rules)
}

var errNoDatabase = problem.New(problem.Unavailable, "The database of the chaos target cannot be read.")

// apply checks that the rules allow every recently published post.
func (w *worker) apply(ctx context.Context, r rules) error {
	newest, err := read(w.db, func(db *store.DB) ([]post.Listed, error) {
		posts, _, err := db.Posts.PublishedPosts(ctx, r.Newest, 0)
		return posts, err
	})
	if err != nil {
		slog.Debug("database of the chaos target", "error", err)
		return errNoDatabase
	}
	for _, p := range newest {
		spent := 0 // before this post
		if p.Slot != nil {
			spent = p.Slot.Number - 1
		}
		if got := r.judge(p.Text, spent); got != goesOut {
			return problem.New(problem.Unavailable, "A published post violates the rules: %s.", got)
		}
	}
	return nil
}

func (w *worker) heartbeat() target.Heartbeat {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.beat
}
