package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// RecurringPosts stores recurring posts.
type RecurringPosts struct{ db *DB }

// CreateRecurringPost stores a recurring post with its next post. It returns the IDs of the posts whose
// runs have to be signaled. If a limit refuses the next post, only its time is skipped.
func (s *RecurringPosts) CreateRecurringPost(ctx context.Context, r schedule.RecurringPost, now time.Time) (schedule.RecurringPost, []string, error) {
	var changedIDs []string
	r.State, r.PlannedUntil, r.Version = schedule.Active, stamp(now), 1
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := checkSound(tx, r, now); err != nil {
			return err
		}
		if err := checkRoom(tx, r); err != nil {
			return err
		}
		if err := tx.Create(&r).Error; err != nil {
			return err
		}
		var err error
		changedIDs, err = s.plan(tx, &r, now)
		return err
	})
	return r, changedIDs, err
}

// checkSound validates a recurring post, and locks its holder's posting times so that concurrent ones
// count each other.
func checkSound(tx *gorm.DB, r schedule.RecurringPost, now time.Time) error {
	table, err := lockPostingTimes(tx, holderOf(r.MemberID), now)
	if err != nil {
		return err
	}
	return r.Check(table.Gap(), now)
}

// checkRoom returns a problem unless the holder may have one more active recurring post.
func checkRoom(tx *gorm.DB, r schedule.RecurringPost) error {
	code, _, err := heldBack(tx, r)
	if err != nil {
		return err
	}
	if code == schedule.CodeApproval {
		return problem.New(problem.Forbidden, "While posts need a founder's approval, only founders can create recurring posts, from the founders' share.")
	}
	query := tx.Where("state = ? AND id <> ?", schedule.Active, r.ID)
	if r.MemberID == nil {
		query = query.Where("member_id IS NULL")
	} else {
		query = query.Where("member_id = ?", *r.MemberID)
	}
	active, err := countOf[schedule.RecurringPost](query)
	if err == nil && active >= schedule.MaxActiveRecurring {
		err = problem.New(problem.Conflict, "You already have %d active recurring posts, which is the maximum. Pause or end one of them first.", active)
	}
	return err
}

// ChangeRecurringPost changes, pauses or resumes a recurring post. Its next post is cancelled, and
// created again while the recurring post is active.
func (s *RecurringPosts) ChangeRecurringPost(ctx context.Context, id string, c schedule.RecurringChange, now time.Time) (schedule.RecurringPost, []string, error) {
	return s.changeRecurringPost(ctx, id, now, func(tx *gorm.DB, r *schedule.RecurringPost) ([]string, error) {
		if r.State == schedule.Ended {
			return nil, problem.New(problem.PostClosed, "This recurring post has ended and can't be changed. Create a new one.")
		}
		if c.Version != nil && *c.Version != r.Version {
			return nil, problem.New(problem.Conflict, "Someone else has changed this recurring post. Reload it, then repeat your change.")
		}
		c.Apply(r)
		r.Version++
		if c.State != nil && *c.State == schedule.Paused && r.State == schedule.Active {
			r.State, r.Code, r.Reason = schedule.Paused, schedule.CodeByHand, schedule.ReasonByHand
		}
		if c.State != nil && *c.State == schedule.Active {
			r.State, r.Code, r.Reason, r.ConsecutiveFailures = schedule.Active, "", "", 0
		}
		if err := checkChanged(tx, *r, c, now); err != nil {
			return nil, err
		}
		changedIDs, err := s.dropWritten(tx, r, now)
		if err != nil {
			return nil, err
		}
		r.PlannedUntil = stamp(now)
		written, err := s.plan(tx, r, now)
		return append(changedIDs, written...), err
	})
}

func checkChanged(tx *gorm.DB, r schedule.RecurringPost, c schedule.RecurringChange, now time.Time) error {
	if r.State == schedule.Active || c.Rewrites() {
		if err := checkSound(tx, r, now); err != nil {
			return err
		}
	}
	if r.State != schedule.Active {
		return nil
	}
	return checkRoom(tx, r)
}

// EndRecurringPost ends a recurring post permanently and cancels its next post. Safe to repeat.
func (s *RecurringPosts) EndRecurringPost(ctx context.Context, id string, now time.Time) (schedule.RecurringPost, []string, error) {
	return s.changeRecurringPost(ctx, id, now, func(tx *gorm.DB, r *schedule.RecurringPost) ([]string, error) {
		if r.State == schedule.Ended {
			return nil, nil
		}
		r.State, r.Code, r.Reason = schedule.Ended, "", ""
		r.Version++
		return s.dropWritten(tx, r, now)
	})
}

// changeRecurringPost locks a recurring post, changes and saves it, in one transaction. Locks are taken
// in the order posting times, recurring post, posts.
func (s *RecurringPosts) changeRecurringPost(
	ctx context.Context, id string, now time.Time, alter func(*gorm.DB, *schedule.RecurringPost) (changedIDs []string, err error),
) (schedule.RecurringPost, []string, error) {
	var changedIDs []string
	var r schedule.RecurringPost
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		found, err := byID[schedule.RecurringPost](tx, "recurring post", id)
		if err != nil {
			return err
		}
		if _, err := lockPostingTimes(tx, holderOf(found.MemberID), now); err != nil {
			return err
		}
		if r, err = lockRecurringPost(tx, id); err != nil {
			return err
		}
		if changedIDs, err = alter(tx, &r); err != nil {
			return err
		}
		return save(tx, &r)
	})
	return r, changedIDs, err
}

func lockRecurringPost(tx *gorm.DB, id string) (schedule.RecurringPost, error) {
	return lockByID[schedule.RecurringPost](tx, "recurring post", id)
}

// RecurringPost returns a recurring post.
func (s *RecurringPosts) RecurringPost(ctx context.Context, id string) (schedule.RecurringPost, error) {
	return byID[schedule.RecurringPost](s.db.on(ctx), "recurring post", id)
}

// ListedRecurringPost returns one recurring post as lists show it.
func (s *RecurringPosts) ListedRecurringPost(ctx context.Context, id string) (schedule.ListedRecurringPost, error) {
	r, err := s.RecurringPost(ctx, id)
	if err != nil {
		return schedule.ListedRecurringPost{}, err
	}
	listed, err := s.withDetails(ctx, []schedule.RecurringPost{r})
	if err != nil {
		return schedule.ListedRecurringPost{}, err
	}
	return listed[0], nil
}

// RecurringPosts lists recurring posts with their total, those that have not ended first, newest first.
func (s *RecurringPosts) RecurringPosts(ctx context.Context, limit, offset int) ([]schedule.ListedRecurringPost, int, error) {
	rows, total, err := readPage[schedule.RecurringPost](s.db.on(ctx),
		"CASE state WHEN 'ended' THEN 1 ELSE 0 END, created_at DESC, id DESC", limit, offset)
	if err != nil {
		return nil, 0, err
	}
	listed, err := s.withDetails(ctx, rows)
	return listed, total, err
}

// withDetails adds names and next posts to a page of recurring posts, in one query each.
func (s *RecurringPosts) withDetails(ctx context.Context, rows []schedule.RecurringPost) ([]schedule.ListedRecurringPost, error) {
	listed, ids, members := make([]schedule.ListedRecurringPost, len(rows)), make([]string, len(rows)), make([]*string, len(rows))
	for i, r := range rows {
		listed[i].RecurringPost, ids[i], members[i] = r, r.ID, r.MemberID
	}
	names, err := s.db.Members.memberNames(ctx, members)
	if err != nil {
		return nil, err
	}
	posts, err := readAll[post.Post](s.db.on(ctx).
		Where("recurring_post_id IN ? AND status IN ?", ids, []post.Status{post.StatusScheduled, post.StatusArmed}).Order("scheduled_at DESC, id"))
	if err != nil {
		return nil, err
	}
	shown, err := s.db.Posts.withDetails(ctx, posts)
	if err != nil {
		return nil, err
	}
	next := map[string]*post.Listed{}
	for i := range shown { // the soonest comes last
		next[*shown[i].RecurringPostID] = &shown[i]
	}
	for i := range listed {
		listed[i].Next = next[listed[i].ID]
		if id := listed[i].MemberID; id != nil {
			listed[i].Username = names[*id]
		}
	}
	return listed, nil
}

// ScheduledTimes lists the latest times of a recurring post, newest first, with their posts.
func (s *RecurringPosts) ScheduledTimes(ctx context.Context, recurringPostID string, limit int) ([]schedule.ListedScheduledTime, error) {
	rows, err := readAll[schedule.ScheduledTime](s.db.on(ctx).Where("recurring_post_id = ?", recurringPostID).Order("at DESC").Limit(limit))
	if err != nil {
		return nil, err
	}
	times, ids := make([]schedule.ListedScheduledTime, len(rows)), []string{}
	for i, o := range rows {
		times[i].ScheduledTime = o
		if o.PostID != nil {
			ids = append(ids, *o.PostID)
		}
	}
	posts, err := readAll[post.Post](s.db.on(ctx).Where("id IN ?", ids))
	if err != nil {
		return nil, err
	}
	shown, err := s.db.Posts.withDetails(ctx, posts)
	for i := range times {
		for j := range shown {
			if times[i].PostID != nil && *times[i].PostID == shown[j].ID {
				times[i].Post = &shown[j]
			}
		}
	}
	return times, err
}

// RecurringPostsToPlan lists the active recurring posts whose scheduled time passed before a time
// without being planned. With all, it lists every one whose Temporal schedule may differ from its row.
func (s *RecurringPosts) RecurringPostsToPlan(ctx context.Context, all bool, before time.Time) ([]schedule.RecurringPost, error) {
	query := s.db.on(ctx).Where("state = ? AND planned_until <= ?", schedule.Active, stamp(before))
	if all {
		const week = 7 * 24 * time.Hour
		query = s.db.on(ctx).Where("state <> ? OR updated_at > ?", schedule.Ended, stamp(before).Add(-week))
	}
	return readAll[schedule.RecurringPost](query.Order("created_at, id"))
}

// maxPlanned bounds how many times without a post a calendar shows.
const maxPlanned = 500

// PlannedTimes lists the first 500 times of all recurring posts, from inclusive to exclusive, that have
// no post yet, and the usernames by member ID.
func (s *RecurringPosts) PlannedTimes(ctx context.Context, from, to, now time.Time) ([]schedule.PlannedPost, map[string]string, error) {
	active, err := readAll[schedule.RecurringPost](s.db.on(ctx).Where("state = ?", schedule.Active))
	if err != nil {
		return nil, nil, err
	}
	var planned []schedule.PlannedPost
	for _, r := range active {
		planned = append(planned, r.Plan(from, to, now, maxPlanned)...)
	}
	slices.SortStableFunc(planned, func(a, b schedule.PlannedPost) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.RecurringPost.ID, b.RecurringPost.ID))
	})
	planned = planned[:min(len(planned), maxPlanned)]
	members := make([]*string, len(planned))
	for i, p := range planned {
		members[i] = p.RecurringPost.MemberID
	}
	names, err := s.db.Members.memberNames(ctx, members)
	return planned, names, err
}
