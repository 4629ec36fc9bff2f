package instance

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/store"
)

// roundEvery is how often the worker works. It must stay well below cell.HeartbeatFresh.
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
			slog.Warn("the worker of the cell is not well", "error", err)
		}
		w.beat.Error = err.Error()
		return
	}
	w.beat = target.Heartbeat{At: time.Now().UTC(), Rounds: w.beat.Rounds + 1}
}

func (w *worker) work(ctx context.Context) error {
	opened := w.db.renew(ctx) // whatever the rules are like: the pages read it too
	text, err := w.files.read(target.FileRules)
	if err != nil {
		return problem.New(problem.Unavailable, "The rules of the worker are not there.")
	}
	rules, err := readBundle(text)
	if err != nil {
		return err
	}
	if opened != nil {
		slog.Debug("database of the cell", "error", opened)
		return errNoDatabase
	}
	return w.apply(ctx, rules.Rules)
}

var errNoDatabase = problem.New(problem.Unavailable, "The database of the cell cannot be read.")

// apply looks at what went out last: nothing may have that the rules would hold back.
func (w *worker) apply(ctx context.Context, r rules) error {
	newest, err := read(w.db, func(db *store.DB) ([]post.Listed, error) {
		posts, _, err := db.Posts.PublishedPosts(ctx, r.Newest, 0)
		return posts, err
	})
	if err != nil {
		slog.Debug("database of the cell", "error", err)
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
