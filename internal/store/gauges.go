package store

import (
	"context"
	"database/sql"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/stats"
)

// Stats reads the numbers that operators watch.
type Stats struct {
	db       *DB
	outcomes outcomes
}

// Gauges reads how the product stands. Each question has an index that answers it, because it is
// asked again and again, by each replica.
func (s *Stats) Gauges(ctx context.Context, at time.Time) (r stats.Reading, err error) {
	tx, month := s.db.on(ctx), post.MonthOf(at)
	for _, read := range []func() error{
		func() error { r.Posts, err = s.db.Posts.CountByStatus(ctx); return err },
		func() error { r.Overdue, r.Held, err = overduePosts(tx, stamp(at)); return err },
		func() error {
			r.Armed, err = waitingOf[post.Post](tx.Where("status = ?", post.StatusArmed), "armed_at")
			return err
		},
		func() error {
			r.Undecided, err = countOf[post.Post](tx.Where("status = ? AND open_key IS NOT NULL", post.StatusUnknown))
			return err
		},
		func() error { r.Slots, err = s.db.Posts.MonthUsage(ctx, month); return err },
		func() error { r.Reads, err = s.db.Posts.ReadUsage(ctx, month); return err },
		func() error {
			r.Letters, err = waitingOf[email.Letter](tx.Where("state = ?", email.Pending), "created_at")
			return err
		},
		func() error {
			r.DeadLetters, err = countOf[email.Letter](tx.Where("state = ?", email.Dead))
			return err
		},
		func() error { r.Checkouts, err = countCheckouts(tx); return err },
		func() error {
			r.Quoting, err = waitingOf[checkout.Checkout](tx.Where("state = ?", checkout.Quoting), "created_at")
			return err
		},
		func() error { r.Faults, err = s.outcomes.faults(ctx, s.db, stamp(at)); return err },
	} {
		if err := read(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// PoolStats says how busy the connections are.
func (s *DB) PoolStats() sql.DBStats {
	pool, err := s.gorm.DB()
	if err != nil {
		return sql.DBStats{}
	}
	return pool.Stats()
}

// overduePosts are those whose time has come and that do not wait for a time of their own. Held
// are those that wait for a person: until the bot goes on, or is connected.
func overduePosts(tx *gorm.DB, at time.Time) (overdue stats.Waiting, held int, err error) {
	due := tx.Where("status = ? AND scheduled_at <= ?", post.StatusScheduled, at).Session(&gorm.Session{})
	stopped := []string{post.CodePaused, post.CodeNotConnected}
	if held, err = countOf[post.Post](due.Where("code IN ?", stopped)); err != nil {
		return overdue, held, err
	}
	overdue, err = waitingOf[post.Post](due.Where("code NOT IN ? AND (waiting_until IS NULL OR waiting_until <= ?)", stopped, at), "scheduled_at")
	return overdue, held, err
}

// waitingOf counts what a query finds, and says since when the first has waited.
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
