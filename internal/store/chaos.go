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

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
)

// Chaos stores chaos runs and their probes, the chaos target as last seen, and its incidents.
type Chaos struct{ db *DB }

// RequestChaos stores a run if one may begin now, within the caller's limits. A refusal uses nothing up.
func (s *Chaos) RequestChaos(ctx context.Context, r chaos.Run, asker account.Asker) error {
	open := chaos.TargetKey
	r.Stage, r.OpenKey, r.RequestedAt = chaos.Requested, &open, stamp(r.RequestedAt)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := checkQuiet(tx); err != nil {
			return err
		}
		if r.RequestedBy != chaos.Schedule {
			if err := consumeShared(tx, chaos.Limits, everything, asker, r.RequestedAt); err != nil {
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

// checkQuiet returns a problem unless a chaos test may start. Concurrent requests wait for each other
// here.
func checkQuiet(tx *gorm.DB) error {
	c, err := lockByID[heal.TargetState](tx, "chaos target", chaos.TargetKey)
	if err != nil {
		return err
	}
	if !c.ChaosOn {
		message := "The founders have switched chaos testing off."
		if c.SwitchReason != "" {
			message += " Reason: " + c.SwitchReason
		}
		return problem.New(problem.ChaosOff, "%s", message)
	}
	incident, err := openIncident(tx)
	if err != nil {
		return err
	}
	if incident != nil {
		return problem.New(problem.IncidentOpen, "The chaos target is already recovering from a fault. Try again when it is healthy.")
	}
	running, err := openChaos(tx)
	if err == nil && running != nil {
		err = errRunning()
	}
	return err
}

func errRunning() error {
	return problem.New(problem.ChaosRunning, "Another chaos test is running. Start yours when it has ended.")
}

// BeginChaos stores the workflow run. Safe to repeat.
func (s *Chaos) BeginChaos(ctx context.Context, id, workflowID, runID string) (chaos.Run, error) {
	return s.changeChaos(ctx, id, func(r *chaos.Run) {
		r.WorkflowID, r.RunID = workflowID, runID
		if r.Stage == chaos.Requested {
			r.Stage = chaos.Checking
		}
	})
}

// LeaseChaos stores until when the fault may stay, before it is injected. Safe to repeat.
func (s *Chaos) LeaseChaos(ctx context.Context, id string, until time.Time) error {
	_, err := s.changeChaos(ctx, id, func(r *chaos.Run) {
		if r.Stage != chaos.Watching {
			until := stamp(until)
			r.Stage, r.LeaseUntil = chaos.Breaking, &until
		}
	})
	return err
}

// InjectedChaos stores when the fault was injected, in whole milliseconds like probes. Safe to repeat:
// the first time is kept.
func (s *Chaos) InjectedChaos(ctx context.Context, id string, at, until time.Time) error {
	_, err := s.changeChaos(ctx, id, func(r *chaos.Run) {
		if r.InjectedAt == nil {
			at, until := at.UTC().Truncate(time.Millisecond), stamp(until)
			r.Stage, r.InjectedAt, r.LeaseUntil = chaos.Watching, &at, &until
		}
	})
	return err
}

// EndChaos ends a run; the first end is kept. The founders are notified of a failed run.
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

// notifyFailed notifies the founders of a run that was not healed.
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

// changeChaos locks a run that has not ended, changes and saves it, in one transaction.
func (s *Chaos) changeChaos(ctx context.Context, id string, alter func(*chaos.Run)) (chaos.Run, error) {
	return changeRow(ctx, s.db, "chaos run", id, func(_ *gorm.DB, r *chaos.Run) error {
		if r.Stage == chaos.Ended {
			return problem.New(problem.Conflict, "This chaos run has already ended, so nothing was changed.")
		}
		alter(r)
		return nil
	})
}

// SaveProbes stores a part of a run's probes, replacing the same part.
func (s *Chaos) SaveProbes(ctx context.Context, p chaos.Part) error {
	return s.db.insert(ctx, &p, upsert("run_id, part", "data"))
}

// ChaosParts lists the parts of a run's probes, in order.
func (s *Chaos) ChaosParts(ctx context.Context, id string) ([]chaos.Part, error) {
	return readAll[chaos.Part](s.db.on(ctx).Where("run_id = ?", id).Order("part"))
}

// SaveHistoryCheck stores the last check of a workflow history.
func (s *Chaos) SaveHistoryCheck(ctx context.Context, c chaos.HistoryCheck) error {
	c.CheckedAt = stamp(c.CheckedAt)
	return s.db.insert(ctx, &c, clause.OnConflict{UpdateAll: true})
}

// HistoryCheck returns the last check of a workflow history, or nil.
func (s *Chaos) HistoryCheck(ctx context.Context, workflowID, runID string) (*chaos.HistoryCheck, error) {
	return readFirst[chaos.HistoryCheck](s.db.on(ctx).Where("workflow_id = ? AND run_id = ?", workflowID, runID))
}

const newestChaos = "requested_at DESC, id DESC"

// ChaosRun returns a run.
func (s *Chaos) ChaosRun(ctx context.Context, id string) (chaos.Run, error) {
	return byID[chaos.Run](s.db.on(ctx), "chaos run", id)
}

// ChaosRuns lists runs, the newest first, with their total.
func (s *Chaos) ChaosRuns(ctx context.Context, f chaos.Filter, limit, offset int) ([]chaos.Run, int, error) {
	return readPage[chaos.Run](s.db.on(ctx).Where(&chaos.Run{Fault: f.Fault, Verdict: f.Verdict}), newestChaos, limit, offset)
}

// EachChaosRun calls use with every run, the newest first. It reads pages and holds no connection while
// use runs.
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

// EndedChaosSince lists the runs that ended since a time, the newest first.
func (s *Chaos) EndedChaosSince(ctx context.Context, since time.Time) ([]chaos.Run, error) {
	found, err := readAll[chaos.Run](s.db.on(ctx).Where("ended_at >= ?", stamp(since)))
	// Sorted here, because with ORDER BY SQLite would scan all runs.
	slices.SortFunc(found, func(a, b chaos.Run) int { return cmp.Or(b.RequestedAt.Compare(a.RequestedAt), cmp.Compare(b.ID, a.ID)) })
	return found, err
}

// OpenChaos returns the run that has not ended, or nil.
func (s *Chaos) OpenChaos(ctx context.Context) (*chaos.Run, error) {
	return openChaos(s.db.on(ctx))
}

func openChaos(tx *gorm.DB) (*chaos.Run, error) {
	return readFirst[chaos.Run](tx.Where("open_key = ?", chaos.TargetKey))
}

// LastChaos returns the newest run that ended with a verdict other than aborted, or nil.
func (s *Chaos) LastChaos(ctx context.Context) (*chaos.Run, error) {
	return readFirst[chaos.Run](s.db.on(ctx).
		Where("ended_at IS NOT NULL AND verdict <> ?", chaos.Aborted).Order("ended_at DESC, id DESC"))
}

// ChaosDuring returns the first run with a fault injected between two times, or nil.
func (s *Chaos) ChaosDuring(ctx context.Context, from, to time.Time) (*chaos.Run, error) {
	return firstDuring[chaos.Run](s.db.on(ctx), "chaos_runs", "injected_at", from, to)
}

// firstDuring returns the first row that began before to and had not ended before from, or nil. Only one
// is open at a time, so of those that began before from, only the last can have lasted until then.
func firstDuring[T any](tx *gorm.DB, table, began string, from, to time.Time) (*T, error) {
	where := strings.NewReplacer("began", began, "rows", table).Replace(`began >= COALESCE((SELECT MAX(began) FROM rows WHERE began <= @from), @from)
		AND began <= @to AND (ended_at IS NULL OR ended_at >= @from)`)
	return readFirst[T](tx.Where(where, sql.Named("from", stamp(from)), sql.Named("to", stamp(to))).Order(began + ", id"))
}

// ReplaysOf lists the IDs of the runs that repeat one, the newest first.
func (s *Chaos) ReplaysOf(ctx context.Context, id string) ([]string, error) {
	var ids []string
	err := s.db.on(ctx).Model(&chaos.Run{}).Where("replay_of = ?", id).Order(newestChaos).Pluck("id", &ids).Error
	return ids, err
}
