package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/stats"
)

// Stats reads the numbers behind the metrics.
type Stats struct {
	db     *DB
	faults faultCounts
}

// Read returns the current numbers. Each query has an index, because every instance runs them at every
// scrape.
func (s *Stats) Read(ctx context.Context, at time.Time) (r stats.Reading, err error) {
	tx, month, errs := s.db.on(ctx), post.MonthOf(at), [11]error{}
	r.Posts, errs[0] = s.db.Posts.CountByStatus(ctx, nil)
	r.Overdue, r.Held, errs[1] = overduePosts(tx, stamp(at))
	r.Armed, errs[2] = waitingOf[post.Post](tx.Where("status = ?", post.StatusArmed), "armed_at")
	r.Undecided, errs[3] = countOf[post.Post](tx.Where("status = ? AND open_key IS NOT NULL", post.StatusUnknown))
	r.Slots, errs[4] = s.db.Posts.MonthUsage(ctx, month)
	r.Reads, errs[5] = s.db.Posts.ReadUsage(ctx, month)
	r.Emails, errs[6] = waitingOf[email.Message](tx.Where("state = ?", email.Pending), "created_at")
	r.FailedEmails, errs[7] = countOf[email.Message](tx.Where("state = ?", email.Failed))
	r.Checkouts, errs[8] = countCheckouts(tx)
	r.Quoting, errs[9] = waitingOf[checkout.Checkout](tx.Where("state = ?", checkout.Quoting), "created_at")
	r.Faults, errs[10] = s.faults.faults(ctx, s.db, stamp(at))
	return r, errors.Join(errs[:]...)
}

// overduePosts counts the posts whose time has passed and that have no later retry time. Held posts wait
// for a person: posting is paused, or the bot is not connected.
func overduePosts(tx *gorm.DB, at time.Time) (overdue stats.Waiting, held int, err error) {
	due := tx.Where("status = ? AND scheduled_at <= ?", post.StatusScheduled, at).Session(&gorm.Session{})
	stopped := []string{post.CodePaused, post.CodeNotConnected}
	if held, err = countOf[post.Post](due.Where("code IN ?", stopped)); err != nil {
		return overdue, held, err
	}
	overdue, err = waitingOf[post.Post](due.Where("code NOT IN ? AND (waiting_until IS NULL OR waiting_until <= ?)", stopped, at), "scheduled_at")
	return overdue, held, err
}

// waitingOf counts the selected rows, and returns since when the first has waited.
func waitingOf[T any](query *gorm.DB, since string) (waiting stats.Waiting, err error) {
	query = query.Session(&gorm.Session{})
	if waiting.Count, err = countOf[T](query); err != nil || waiting.Count == 0 {
		return waiting, err
	}
	var times []time.Time
	err = query.Model(new(T)).Order(since).Limit(1).Pluck(since, &times).Error
	if len(times) > 0 {
		waiting.Since = &times[0]
	}
	return waiting, err
}

func countCheckouts(tx *gorm.DB) (map[checkout.State]int, error) {
	var rows []struct {
		State checkout.State
		N     int
	}
	err := tx.Model(&checkout.Checkout{}).Select("state, count(*) AS n").Group("state").Scan(&rows).Error
	counts := map[checkout.State]int{}
	for _, row := range rows {
		counts[row.State] = row.N
	}
	return counts, err
}

// faultCounts caches the outcomes of chaos runs that ended some time ago: they no longer change, so each
// is read once.
type faultCounts struct {
	mu      sync.Mutex
	known   map[string]stats.Fault // runs that ended before settled
	settled time.Time
}

// faults counts the ended runs by fault.
func (o *faultCounts) faults(ctx context.Context, s *DB, at time.Time) (map[string]stats.Fault, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if settled := at.Add(-settleDelay); settled.After(o.settled) {
		old, err := s.Stats.endedFaults(ctx, o.settled, settled)
		if err != nil {
			return nil, err
		}
		o.settled, o.known = settled, addFaults(o.known, old)
	}
	fresh, err := s.Stats.endedFaults(ctx, o.settled, endOfTime)
	return addFaults(o.known, fresh), err
}

func addFaults(one, other map[string]stats.Fault) map[string]stats.Fault {
	sum := map[string]stats.Fault{}
	for _, counted := range []map[string]stats.Fault{one, other} {
		for name, fault := range counted {
			sum[name] = sum[name].Plus(fault)
		}
	}
	return sum
}

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
