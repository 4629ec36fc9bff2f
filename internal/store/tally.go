package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"customerzero/internal/domain/model"
	"customerzero/internal/domain/treasury"
)

// tally remembers what does not change any more, so that it is counted once: which of a
// day's posts have a link, which takes longer to say than to ask, and what models cost.
type tally struct {
	mu      sync.Mutex
	posts   map[string]treasury.Flow // by date
	told    []treasury.Day           // the same, those of long ago by month
	calls   []treasury.Day           // made before settled, those of long ago by month
	settled time.Time
}

// days counts the posts and the models' calls of each day.
func (t *tally) days(ctx context.Context, s *DB, at time.Time) (posts, calls []treasury.Day, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.countPosts(ctx, s, at.UTC()); err != nil {
		return nil, nil, err
	}
	if calls, err = t.countCalls(ctx, s, stamp(at)); err != nil {
		return nil, nil, err
	}
	return t.told, calls, nil
}

// late is how long after it was made a call may still be written down.
const late = 2 * time.Hour

// countCalls sums what models cost. Calls are many: those of long ago are summed once.
func (t *tally) countCalls(ctx context.Context, s *DB, at time.Time) ([]treasury.Day, error) {
	if settled := at.Add(-late); settled.After(t.settled) {
		old, err := s.Treasury.callDays(ctx, t.settled, settled)
		if err != nil {
			return nil, err
		}
		t.calls = foldMonths(append(t.calls, old...), firstRecent(at))
		t.settled = settled
	}
	fresh, err := s.Treasury.callDays(ctx, t.settled, endOfTime)
	return slices.Concat(t.calls, fresh), err
}

// endOfTime is after everything that is written down.
var endOfTime = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)

func (s *Treasury) callDays(ctx context.Context, from, until time.Time) (days []treasury.Day, err error) {
	err = s.db.on(ctx).Model(&model.Call{}).
		Select(s.day("created_at")+` AS date, COUNT(*) AS calls, COUNT(CASE WHEN NOT priced THEN 1 END) AS unpriced_calls,
			CAST(SUM(cost_nano_usd) AS bigint) AS model_nano_usd`).
		Where("created_at >= ? AND created_at < ?", from, until).Group(s.day("created_at")).Scan(&days).Error
	return days, err
}

func listDays(flows map[string]treasury.Flow) (days []treasury.Day) {
	for date, flow := range flows {
		days = append(days, treasury.Day{Date: date, Flow: flow})
	}
	return days
}
