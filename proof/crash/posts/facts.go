package posts

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
	"customerzero/workflows"
)

type facts struct {
	posts    []row
	slots    []slot
	shares   []share
	entries  []rig.CreditEntry
	members  map[string]string // username by id
	attempts map[string]int    // by outcome
}

type row struct {
	id, text, status, code, runID string
	memberID, tweetID             string
	scheduledAt                   time.Time
	publishedAt                   sql.NullTime
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

func readFacts(ctx context.Context, db *sql.DB) (f facts, err error) {
	var errs [6]error
	f.posts, errs[0] = rig.Rows(ctx, db, `SELECT id, text, status, code, run_id, coalesce(member_id, ''), coalesce(tweet_id, ''),
		scheduled_at, published_at FROM posts ORDER BY id`, func(r *row) []any {
		return []any{&r.id, &r.text, &r.status, &r.code, &r.runID, &r.memberID, &r.tweetID, &r.scheduledAt, &r.publishedAt}
	})
	f.slots, errs[1] = rig.Rows(ctx, db, "SELECT month, slot_no, state, coalesce(post_id, ''), coalesce(member_id, '') FROM quota_slots",
		func(s *slot) []any { return []any{&s.month, &s.number, &s.state, &s.postID, &s.memberID} })
	f.shares, errs[2] = rig.Rows(ctx, db, "SELECT month, holder, held FROM quota_shares",
		func(s *share) []any { return []any{&s.month, &s.holder, &s.held} })
	f.entries, errs[3] = rig.ReadCredits(ctx, db)
	f.members, errs[4] = rig.Pairs[string](ctx, db, "SELECT id, username FROM members")
	f.attempts, errs[5] = rig.Pairs[int](ctx, db, "SELECT outcome, count(*) FROM post_attempts GROUP BY outcome")
	return f, errors.Join(errs[:]...)
}

func openPosts(ctx context.Context, db *sql.DB) (open []string, err error) {
	statuses, err := rig.Pairs[string](ctx, db, "SELECT id, status FROM posts WHERE status IN ('scheduled', 'armed', 'draft')")
	for id, status := range statuses {
		open = append(open, id+" is "+status)
	}
	return open, err
}

// findOpen returns the ID of the post that blocks a text as a duplicate.
func findOpen(ctx context.Context, db *sql.DB, text string) (string, error) {
	texts, err := rig.Pairs[string](ctx, db, "SELECT id, text FROM posts")
	for id, theirs := range texts {
		if post.TextKey(theirs) == post.TextKey(text) {
			return id, err
		}
	}
	return "", errors.Join(err, sql.ErrNoRows)
}

type flow = rig.Ended[workflows.PostResult]

// readRuns returns every run of every post, once wantOpen of them are open: Temporal's list and the runs lag
// behind the rows.
func (w *world) readRuns(ctx context.Context, wantOpen int) ([]flow, error) {
	cluster.Until(ctx, 20*time.Second, func() bool {
		open, err := w.ListRuns(ctx, "WorkflowType = 'Post' AND ExecutionStatus = 'Running'")
		return err == nil && len(open) == wantOpen
	})
	return rig.ReadRuns[workflows.PostResult](ctx, w.Stage, "Post")
}
