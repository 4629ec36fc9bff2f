// Package instance is the half of a chaos target that is broken in public: it serves the pages from the
// critical files and the product's own API from a database of its own, and runs a worker loop.
//
// Nothing is kept in memory that a fault could take away: files are opened for every request,
// and the database is reopened in every round of the worker. A fault on disk shows
// at once, and so does its repair.
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
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/store"
)

// Options say what a replica serves, and where.
type Options struct {
	Dir        string       // of the chaos target
	Listener   net.Listener // the supervisor's: it outlives us
	ProductURL string       // of the product, for links; empty: there are none
}

// The database's file in the directory of a chaos target, and the folder of its critical files.
const (
	databaseFile = "target.db"
	liveFolder   = "live"
)

const (
	drainWithin = time.Second
	restAfter   = 2 * time.Second
	// memory above which garbage is collected at any price.
	memoryLimit = 96 << 20
)

// Run serves until ctx ends.
func Run(ctx context.Context, o Options) error {
	debug.SetMemoryLimit(memoryLimit)
	defer time.AfterFunc(restAfter, debug.FreeOSMemory).Stop()

	db := &database{path: filepath.Join(o.Dir, databaseFile)}
	defer db.close()
	files := live{dir: filepath.Join(o.Dir, liveFolder)}
	loop := &worker{files: files, db: db}
	loop.round(ctx) // so that the first request finds a heartbeat

	site := &site{files: files, db: db, loop: loop, productURL: o.ProductURL, process: os.Getpid(), startedAt: time.Now().UTC()}
	server := api.HTTPServer(site.handler(), slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn))
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

// roundEvery is how often the worker works. It must stay well below target.HeartbeatFresh.
const roundEvery = 200 * time.Millisecond

// roundWithin bounds a round. The first one makes the schema, which takes a busy machine its time.
const roundWithin = time.Minute

// worker holds the newest posts against the rules, round after round. It beats only after a
// good round, and is well again by itself as soon as its rules and its database are.
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
	opened := w.db.renew(ctx) // also with bad rules: the pages read it too
	text, err := w.files.read(target.FileRules)
	if err != nil {
		return problem.New(problem.Unavailable, "The rules of the worker are not there.")
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

// apply looks at what went out last: nothing may have that the rules would hold back.
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
		spent := 0 // before it
		if p.Slot != nil {
			spent = p.Slot.Number - 1
		}
		if said := r.judge(p.Text, spent); said != goesOut {
			return problem.New(problem.Unavailable, "A post went out that the rules hold back: %s.", said)
		}
	}
	return nil
}

func (w *worker) heartbeat() target.Heartbeat {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.beat
}
