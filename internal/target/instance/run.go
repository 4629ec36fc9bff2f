// Package instance is the half of a chaos target that is broken in public: it serves the pages from the
// critical files and the product's own API from a database of its own, and runs a worker loop.
//
// Nothing is kept in memory that a fault could take away: files are opened for every request,
// and the database is opened anew in every round of the worker. What is broken on disk is
// broken at once, and what was mended is well at once.
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
	"time"

	"golang.org/x/sync/errgroup"

	"customerzero/api"
)

// Options say what a replica serves, and where.
type Options struct {
	Dir        string       // of the chaos target
	Listener   net.Listener // the supervisor's: it outlives us
	ProductURL string       // of the product, for links; empty: there are none
}

// The database's file in the directory of a chaos target, and the folder of its critical files.
const (
	databaseFile = "cell.db"
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
	loop.round(ctx) // so that whoever asks first is not told of a worker that never worked

	site := &site{files: files, db: db, loop: loop, productURL: o.ProductURL, process: os.Getpid(), startedAt: time.Now().UTC()}
	server := api.HTTPServer(site.handler(), slog.NewLogLogger(slog.Default().Handler(), slog.LevelWarn))
	work, working := errgroup.WithContext(ctx)
	work.Go(func() error { loop.run(working); return nil })
	work.Go(func() error { return served(server.Serve(o.Listener)) })
	work.Go(func() error {
		<-working.Done()
		drain, cancel := context.WithTimeout(context.WithoutCancel(working), drainWithin)
		defer cancel()
		_ = server.Shutdown(drain) // whoever is slower than that is cut off
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
