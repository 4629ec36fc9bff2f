package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
)

// RecurringPost finds a series.
func (s *RecurringPosts) RecurringPost(ctx context.Context, id string) (schedule.RecurringPost, error) {
	r, err := readOne[schedule.RecurringPost](s.db.on(ctx).Where("id = ?", id))
	return r, asProblem(err, "recurring_posts")
}

// ListedRecurringPost finds one series as lists show it.
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

// RecurringPosts lists series with their total, those that have not ended first, newest first.
func (s *RecurringPosts) RecurringPosts(ctx context.Context, limit, offset int) ([]schedule.ListedRecurringPost, int, error) {
	tx := s.db.on(ctx)
	total, err := countOf[schedule.RecurringPost](tx)
	if err != nil {
		return nil, 0, err
	}
	rows, err := readAll[schedule.RecurringPost](tx.Order("CASE state WHEN 'ended' THEN 1 ELSE 0 END, created_at DESC, id DESC").
		Limit(limit).Offset(offset))
	if err != nil {
		return nil, 0, err
	}
	listed, err := s.withDetails(ctx, rows)
	return listed, total, err
}

// withDetails adds names and next posts to a page of series, in one query each.
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

// ScheduledTimes lists the latest times of a series, newest first, with their posts.
func (s *RecurringPosts) ScheduledTimes(ctx context.Context, seriesID string, limit int) ([]schedule.ListedScheduledTime, error) {
	rows, err := readAll[schedule.ScheduledTime](s.db.on(ctx).Where("recurring_post_id = ?", seriesID).Order("at DESC").Limit(limit))
	if err != nil {
		return nil, err
	}
	turns, ids := make([]schedule.ListedScheduledTime, len(rows)), []string{}
	for i, o := range rows {
		turns[i].ScheduledTime = o
		if o.PostID != nil {
			ids = append(ids, *o.PostID)
		}
	}
	posts, err := readAll[post.Post](s.db.on(ctx).Where("id IN ?", ids))
	if err != nil {
		return nil, err
	}
	shown, err := s.db.Posts.withDetails(ctx, posts)
	for i := range turns {
		for j := range shown {
			if turns[i].PostID != nil && *turns[i].PostID == shown[j].ID {
				turns[i].Post = &shown[j]
			}
		}
	}
	return turns, err
}

// RecurringPostsToPlan lists the recurring posts whose scheduled time passed before a time without being planned.
// With all, it lists every one whose Temporal schedule may differ from its row.
func (s *RecurringPosts) RecurringPostsToPlan(ctx context.Context, all bool, before time.Time) ([]schedule.RecurringPost, error) {
	query := s.db.on(ctx).Where("state = ? AND planned_until <= ?", schedule.Active, stamp(before))
	if all {
		const week = 7 * 24 * time.Hour
		query = s.db.on(ctx).Where("state <> ? OR updated_at > ?", schedule.Ended, stamp(before).Add(-week))
	}
	return readAll[schedule.RecurringPost](query.Order("created_at, id"))
}

// maxPlanned bounds how many times a calendar shows that have no post yet.
const maxPlanned = 500

// PlannedTimes lists the times of all series from from on and before to for which no post is
// written yet, the first 500, with the names of members by ID.
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
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Series.ID, b.Series.ID))
	})
	planned = planned[:min(len(planned), maxPlanned)]
	members := make([]*string, len(planned))
	for i, p := range planned {
		members[i] = p.Series.MemberID
	}
	names, err := s.db.Members.memberNames(ctx, members)
	return planned, names, err
}
