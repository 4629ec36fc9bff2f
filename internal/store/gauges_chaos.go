package store

import (
	"context"
	"sync"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/stats"
)

// outcomes remembers what came of chaos runs that ended a while ago: they are many and do not
// change any more, so each is read once.
type outcomes struct {
	mu      sync.Mutex
	known   map[string]stats.Fault // of runs that ended before settled
	settled time.Time
}

// faults counts every run that has ended, by its fault.
func (o *outcomes) faults(ctx context.Context, s *DB, at time.Time) (map[string]stats.Fault, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if settled := at.Add(-late); settled.After(o.settled) {
		old, err := s.Stats.endedFaults(ctx, o.settled, settled)
		if err != nil {
			return nil, err
		}
		o.settled, o.known = settled, bothOf(o.known, old)
	}
	fresh, err := s.Stats.endedFaults(ctx, o.settled, endOfTime)
	return bothOf(o.known, fresh), err
}

func bothOf(one, other map[string]stats.Fault) map[string]stats.Fault {
	sum := map[string]stats.Fault{}
	for _, counted := range []map[string]stats.Fault{one, other} {
		for name, fault := range counted {
			sum[name] = sum[name].Plus(fault)
		}
	}
	return sum
}

// endedFaults counts the runs that ended between.
func (s *Stats) endedFaults(ctx context.Context, from, until time.Time) (map[string]stats.Fault, error) {
	rows, err := s.db.on(ctx).Model(&chaos.Run{}).Select("fault, verdict, detect_ms, heal_ms").
		Where("ended_at >= ? AND ended_at < ?", from, until).Rows()
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	counted := map[string]stats.Fault{}
	for rows.Next() {
		var name string
		var verdict chaos.Verdict
		var detect, heal *int
		if err := rows.Scan(&name, &verdict, &detect, &heal); err != nil {
			return nil, err
		}
		fault := counted[name]
		fault.Add(verdict, detect, heal)
		counted[name] = fault
	}
	return counted, rows.Err()
}
