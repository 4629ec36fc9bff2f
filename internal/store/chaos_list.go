package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/chaos"
)

const newestChaos = "requested_at DESC, id DESC"

// ChaosRun finds a run.
func (s *Chaos) ChaosRun(ctx context.Context, id string) (chaos.Run, error) {
	r, err := readOne[chaos.Run](s.db.on(ctx).Where("id = ?", id))
	return r, asProblem(err, "chaos run")
}

// ChaosRuns lists runs, the newest first, with their total.
func (s *Chaos) ChaosRuns(ctx context.Context, f chaos.Filter, limit, offset int) ([]chaos.Run, int, error) {
	query := func() *gorm.DB { return s.db.on(ctx).Where(&chaos.Run{Fault: f.Fault, Verdict: f.Verdict}) }
	total, err := countOf[chaos.Run](query())
	if err != nil {
		return nil, 0, err
	}
	runs, err := readAll[chaos.Run](query().Order(newestChaos).Limit(limit).Offset(offset))
	return runs, total, err
}

// EachChaosRun gives every run, the newest first. It reads them in pages, and holds nothing
// open while one is being used.
func (s *Chaos) EachChaosRun(ctx context.Context, use func(chaos.Run) error) error {
	const page = 500
	query := s.db.on(ctx)
	for {
		runs, err := readAll[chaos.Run](query.Order(newestChaos).Limit(page))
		if err != nil {
			return err
		}
		for _, r := range runs {
			if err := use(r); err != nil {
				return err
			}
		}
		if len(runs) < page {
			return nil
		}
		last := runs[page-1]
		query = s.db.on(ctx).Where("requested_at < ? OR (requested_at = ? AND id < ?)", last.RequestedAt, last.RequestedAt, last.ID)
	}
}

// EndedChaosSince lists the runs that ended since then, the newest first.
func (s *Chaos) EndedChaosSince(ctx context.Context, since time.Time) ([]chaos.Run, error) {
	found, err := readAll[chaos.Run](s.db.on(ctx).Where("ended_at >= ?", stamp(since)))
	// Sorted here: SQLite would go through all there are in this order.
	slices.SortFunc(found, func(a, b chaos.Run) int { return cmp.Or(b.RequestedAt.Compare(a.RequestedAt), cmp.Compare(b.ID, a.ID)) })
	return found, err
}

// OpenChaos is the run that has not ended; nil: none.
func (s *Chaos) OpenChaos(ctx context.Context) (*chaos.Run, error) {
	return openChaos(s.db.on(ctx))
}

func openChaos(tx *gorm.DB) (*chaos.Run, error) {
	return readFirst[chaos.Run](tx.Where("open_key = ?", chaos.TargetKey))
}

// LastChaos is the newest run that ended with a verdict other than aborted; nil: none.
func (s *Chaos) LastChaos(ctx context.Context) (*chaos.Run, error) {
	return readFirst[chaos.Run](s.db.on(ctx).
		Where("ended_at IS NOT NULL AND verdict <> ?", chaos.Aborted).Order("ended_at DESC, id DESC"))
}

// ChaosDuring is the first run that had the chaos target broken between two times; nil: none.
func (s *Chaos) ChaosDuring(ctx context.Context, from, to time.Time) (*chaos.Run, error) {
	// One is under way at a time: of those that began before, only the last can have lasted until then.
	const last = "injected_at >= COALESCE((SELECT MAX(injected_at) FROM chaos_runs WHERE injected_at <= @from), @from)"
	return readFirst[chaos.Run](s.db.on(ctx).
		Where(last+" AND injected_at <= @to AND (ended_at IS NULL OR ended_at >= @from)", sql.Named("from", stamp(from)), sql.Named("to", stamp(to))).
		Order("injected_at, id"))
}

// ReplaysOf names the runs that repeat one, the newest first.
func (s *Chaos) ReplaysOf(ctx context.Context, id string) ([]string, error) {
	var ids []string
	err := s.db.on(ctx).Model(&chaos.Run{}).Where("replay_of = ?", id).Order(newestChaos).Pluck("id", &ids).Error
	return ids, err
}
