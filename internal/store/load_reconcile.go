package store

import (
	"time"

	"customerzero/internal/domain/post"
)

// codeRestored is the code of an attempt without a known outcome: the post may have gone out after the
// backup was taken.
const codeRestored = "restored"

// reconcile makes restored rows careful. Between the backup and now every scheduled post may have
// gone out, and only the timeline can tell:
//
//   - one whose time has come counts as armed when the backup was taken, so that its run looks
//     twice before it sends;
//   - one that is still to come has an attempt behind it, so that X's word "duplicate" is looked
//     into, instead of failing it: somebody may have sent it early;
//   - failed and unknown ones are looked for since the backup, whenever they are tried again.
func (l *loading) reconcile(takenAt, now time.Time) error {
	due := "status = '" + string(post.StatusScheduled) + "' AND scheduled_at <= ? AND (waiting_until IS NULL OR waiting_until <= ?)"
	takenAt = stamp(takenAt)
	attempt := "INSERT INTO post_attempts (post_id, number, started_at, ended_at, outcome, code) SELECT id, attempt + 1, "
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{
			"UPDATE posts SET first_armed_at = ? WHERE first_armed_at IS NULL AND open_key IS NOT NULL AND status IN ('scheduled', 'failed', 'unknown')",
			[]any{takenAt},
		},
		{attempt + l.time() + ", NULL, 'pending', '' FROM posts WHERE " + due, []any{takenAt, now, now}},
		{attempt + l.time() + ", " + l.time() + ", 'waiting', ? FROM posts WHERE status = 'scheduled' AND NOT (" + due + ")", []any{takenAt, takenAt, codeRestored, now, now}},
		{"UPDATE posts SET attempt = attempt + 1 WHERE status = 'scheduled'", nil},
		{"UPDATE posts SET status = 'armed', armed_at = ?, waiting_until = NULL, code = '', reason = '' WHERE " + due, []any{takenAt, now, now}},
	} {
		if err := l.exec(step.statement, step.args...); err != nil {
			return err
		}
	}
	return nil
}

// time is a value's place where the database cannot guess that it is a time.
func (l *loading) time() string {
	if l.dialect == "postgres" {
		return "CAST(? AS timestamptz)"
	}
	return "?"
}
