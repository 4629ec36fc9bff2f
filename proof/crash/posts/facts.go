package posts

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/proof/crash/rig"
)

// facts are what the product's tables say.
type facts struct {
	posts    []row
	slots    []slot
	shares   []share
	entries  []entry
	members  map[string]string // username by id
	attempts map[string]int    // by outcome
	safety   int
}

type row struct {
	id, text, status, code, runID string
	memberID, tweetID             string
	attempt                       int
	scheduledAt                   time.Time
	publishedAt                   time.Time // zero: not yet
}

type slot struct {
	month            string
	number           int
	state            string
	postID, memberID string
}

type share struct {
	month, holder string
	held          int
}

type entry struct {
	memberID            string
	seq, delta, balance int
}

func readFacts(ctx context.Context, db *sql.DB) (facts, error) {
	f := facts{members: map[string]string{}, attempts: map[string]int{}}
	var err error
	f.posts, err = readPosts(ctx, db)
	return f, errors.Join(err,
		rig.Each(ctx, db, "SELECT month, slot_no, state, coalesce(post_id, ''), coalesce(member_id, '') FROM quota_slots", func(scan rig.Scanner) error {
			var s slot
			err := scan(&s.month, &s.number, &s.state, &s.postID, &s.memberID)
			f.slots = append(f.slots, s)
			return err
		}),
		rig.Each(ctx, db, "SELECT month, holder, held FROM quota_shares", func(scan rig.Scanner) error {
			var s share
			err := scan(&s.month, &s.holder, &s.held)
			f.shares = append(f.shares, s)
			return err
		}),
		rig.Each(ctx, db, "SELECT member_id, seq, delta, balance FROM credit_entries ORDER BY member_id, seq", func(scan rig.Scanner) error {
			var e entry
			err := scan(&e.memberID, &e.seq, &e.delta, &e.balance)
			f.entries = append(f.entries, e)
			return err
		}),
		readCounts(ctx, db, &f))
}

func readCounts(ctx context.Context, db *sql.DB, f *facts) error {
	return errors.Join(
		rig.Each(ctx, db, "SELECT id, username FROM members", func(scan rig.Scanner) error {
			var id, name string
			err := scan(&id, &name)
			f.members[id] = name
			return err
		}),
		rig.Each(ctx, db, "SELECT outcome, count(*) FROM attempts GROUP BY outcome", func(scan rig.Scanner) error {
			var outcome string
			var n int
			err := scan(&outcome, &n)
			f.attempts[outcome] = n
			return err
		}),
		rig.Each(ctx, db, "SELECT coalesce(sum(safety), 0) FROM read_months", func(scan rig.Scanner) error { return scan(&f.safety) }))
}

func readPosts(ctx context.Context, db *sql.DB) (rows []row, err error) {
	const query = `SELECT id, text, status, code, run_id, coalesce(member_id, ''), coalesce(tweet_id, ''), attempt,
		scheduled_at, published_at FROM posts ORDER BY id`
	err = rig.Each(ctx, db, query, func(scan rig.Scanner) error {
		var r row
		var published sql.NullTime
		err := scan(&r.id, &r.text, &r.status, &r.code, &r.runID, &r.memberID, &r.tweetID, &r.attempt, &r.scheduledAt, &published)
		r.publishedAt = published.Time
		rows = append(rows, r)
		return err
	})
	return rows, err
}

// openPosts lists what is scheduled or being sent.
func openPosts(ctx context.Context, db *sql.DB) (open []string, err error) {
	const query = "SELECT id, status FROM posts WHERE status IN ('scheduled', 'armed', 'draft')"
	err = rig.Each(ctx, db, query, func(scan rig.Scanner) error {
		var id, status string
		err := scan(&id, &status)
		open = append(open, id+" is "+status)
		return err
	})
	return open, err
}

// findOpen finds the post that keeps others from having its text.
func findOpen(ctx context.Context, db *sql.DB, text string) (id string, err error) {
	err = sql.ErrNoRows
	failed := rig.Each(ctx, db, "SELECT id, text FROM posts", func(scan rig.Scanner) error {
		var candidate, theirs string
		if err := scan(&candidate, &theirs); err != nil {
			return err
		}
		if post.TextKey(theirs) == post.TextKey(text) {
			id, err = candidate, nil
		}
		return nil
	})
	return id, errors.Join(failed, err)
}
