package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
)

// Chaos stores chaos runs and their probes, the chaos target as last seen, and its incidents.
type Chaos struct{ db *DB }

// RequestChaos stores a run if one may begin now. It counts against the visitor's limit unless visitor is
// empty. A refusal uses nothing up.
func (s *Chaos) RequestChaos(ctx context.Context, r chaos.Run, visitor string) error {
	open := chaos.TargetKey
	r.Stage, r.OpenKey, r.RequestedAt = chaos.Requested, &open, stamp(r.RequestedAt)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := checkQuiet(tx); err != nil {
			return err
		}
		if visitor != "" {
			if err := consume(tx, chaos.PerVisitor, visitor, r.RequestedAt); err != nil {
				return err
			}
		}
		if r.RequestedBy != chaos.Schedule {
			if err := consume(tx, chaos.Overall, "everybody", r.RequestedAt); err != nil {
				return err
			}
		}
		return tx.Create(&r).Error
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return errRunning()
	}
	return err
}

// checkQuiet says whether the chaos target may be broken. Those who ask at once wait here for one
// another.
func checkQuiet(tx *gorm.DB) error {
	c, err := lockByID[heal.TargetState](tx, "chaos target", chaos.TargetKey)
	if err != nil {
		return err
	}
	if !c.ChaosOn {
		says := "The founders have switched chaos off."
		if c.SwitchReason != "" {
			says += " They say: " + c.SwitchReason
		}
		return problem.New(problem.ChaosOff, "%s", says)
	}
	incident, err := openIncident(tx)
	if err != nil {
		return err
	}
	if incident != nil {
		return problem.New(problem.IncidentOpen, "The chaos target is sick already, and being healed. Try again when it is well.")
	}
	running, err := openChaos(tx)
	if err == nil && running != nil {
		err = errRunning()
	}
	return err
}

func errRunning() error {
	return problem.New(problem.ChaosRunning, "A chaos run is under way. Look at it, and start yours when it has ended.")
}

// BeginChaos notes the workflow run that carries a run. Safe to repeat.
func (s *Chaos) BeginChaos(ctx context.Context, id, workflowID, runID string) (chaos.Run, error) {
	return s.changeChaos(ctx, id, func(r *chaos.Run) {
		r.WorkflowID, r.RunID = workflowID, runID
		if r.Stage == chaos.Requested {
			r.Stage = chaos.Checking
		}
	})
}

// LeaseChaos notes until when the fault may stay, before it is there. Safe to repeat.
func (s *Chaos) LeaseChaos(ctx context.Context, id string, until time.Time) error {
	_, err := s.changeChaos(ctx, id, func(r *chaos.Run) {
		if r.Stage != chaos.Watching {
			until := stamp(until)
			r.Stage, r.LeaseUntil = chaos.Breaking, &until
		}
	})
	return err
}

// InjectedChaos notes that the fault is there, in whole milliseconds, as probes are kept.
// Safe to repeat: the first time stays.
func (s *Chaos) InjectedChaos(ctx context.Context, id string, at, until time.Time) error {
	_, err := s.changeChaos(ctx, id, func(r *chaos.Run) {
		if r.InjectedAt == nil {
			at, until := at.UTC().Truncate(time.Millisecond), stamp(until)
			r.Stage, r.InjectedAt, r.LeaseUntil = chaos.Watching, &at, &until
		}
	})
	return err
}

// EndChaos ends a run; the first end stays. Founders are written to about one that failed.
func (s *Chaos) EndChaos(ctx context.Context, id string, o chaos.Outcome, at time.Time) (chaos.Run, error) {
	return changeRow(ctx, s.db, "chaos run", id, func(tx *gorm.DB, r *chaos.Run) error {
		if r.Stage == chaos.Ended {
			return nil
		}
		at := stamp(at)
		r.Stage, r.OpenKey, r.EndedAt = chaos.Ended, nil, &at
		r.Verdict, r.Reason, r.Restored, r.DetectMS, r.HealMS = o.Verdict, o.Reason, o.Restored, o.DetectMS, o.HealMS
		if r.Verdict != chaos.Failed {
			return nil
		}
		return s.notifyFailed(tx, *r, at)
	})
}

// notifyFailed writes to the founders about a run that was not healed.
func (s *Chaos) notifyFailed(tx *gorm.DB, r chaos.Run, at time.Time) error {
	began := r.RequestedAt
	if r.InjectedAt != nil {
		began = *r.InjectedAt
	}
	incident, err := incidentDuring(tx, began, at)
	if err != nil {
		return err
	}
	about, tried := r.ID, heal.Summary(nil)
	if incident != nil {
		about, tried = incident.ID, heal.Summary(incident.Steps)
	}
	return s.notifyAlarm(tx, about, "The chaos run "+r.Fault+" was not healed. "+r.Reason+" "+tried, began, at)
}

// changeChaos locks a run that has not ended, alters it and saves it, in one transaction.
func (s *Chaos) changeChaos(ctx context.Context, id string, alter func(*chaos.Run)) (chaos.Run, error) {
	return changeRow(ctx, s.db, "chaos run", id, func(_ *gorm.DB, r *chaos.Run) error {
		if r.Stage == chaos.Ended {
			return problem.New(problem.Conflict, "This chaos run has ended.")
		}
		alter(r)
		return nil
	})
}

// SaveProbes keeps a stretch of a run's probes. Saved again, the later one stays.
func (s *Chaos) SaveProbes(ctx context.Context, p chaos.Part) error {
	return s.db.insert(ctx, &p, upsert("run_id, part", "data"))
}

// ChaosParts lists the stretches of a run's probes, in order.
func (s *Chaos) ChaosParts(ctx context.Context, id string) ([]chaos.Part, error) {
	return readAll[chaos.Part](s.db.on(ctx).Where("run_id = ?", id).Order("part"))
}

// SaveHistoryCheck keeps the last check of a history.
func (s *Chaos) SaveHistoryCheck(ctx context.Context, c chaos.HistoryCheck) error {
	c.CheckedAt = stamp(c.CheckedAt)
	return s.db.insert(ctx, &c, clause.OnConflict{UpdateAll: true})
}

// HistoryCheck is the last check of a history; nil: it was never checked.
func (s *Chaos) HistoryCheck(ctx context.Context, workflowID, runID string) (*chaos.HistoryCheck, error) {
	return readFirst[chaos.HistoryCheck](s.db.on(ctx).Where("workflow_id = ? AND run_id = ?", workflowID, runID))
}

const newestChaos = "requested_at DESC, id DESC"

// ChaosRun finds a run.
func (s *Chaos) ChaosRun(ctx context.Context, id string) (chaos.Run, error) {
	return byID[chaos.Run](s.db.on(ctx), "chaos run", id)
}

// ChaosRuns lists runs, the newest first, with their total.
func (s *Chaos) ChaosRuns(ctx context.Context, f chaos.Filter, limit, offset int) ([]chaos.Run, int, error) {
	return readPage[chaos.Run](s.db.on(ctx).Where(&chaos.Run{Fault: f.Fault, Verdict: f.Verdict}), newestChaos, limit, offset)
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
	return firstDuring[chaos.Run](s.db.on(ctx), "chaos_runs", "injected_at", from, to)
}

// firstDuring is the first row that began before the end of a time and ended after its beginning, or not
// at all; nil: none. One is open at a time, so of those that began before, only the last can have lasted
// until then.
func firstDuring[T any](tx *gorm.DB, table, began string, from, to time.Time) (*T, error) {
	where := strings.NewReplacer("began", began, "rows", table).Replace(`began >= COALESCE((SELECT MAX(began) FROM rows WHERE began <= @from), @from)
		AND began <= @to AND (ended_at IS NULL OR ended_at >= @from)`)
	return readFirst[T](tx.Where(where, sql.Named("from", stamp(from)), sql.Named("to", stamp(to))).Order(began + ", id"))
}

// ReplaysOf names the runs that repeat one, the newest first.
func (s *Chaos) ReplaysOf(ctx context.Context, id string) ([]string, error) {
	var ids []string
	err := s.db.on(ctx).Model(&chaos.Run{}).Where("replay_of = ?", id).Order(newestChaos).Pluck("id", &ids).Error
	return ids, err
}
