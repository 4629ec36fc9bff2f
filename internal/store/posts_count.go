package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
)

// countsTable says how many posts there are of each kind. The database keeps it itself, of the rows
// of posts: it is in no dump.
const countsTable = "post_tallies"

// sumCounts is how many posts there are of the kinds that a query finds.
func sumCounts(query *gorm.DB) (int, error) {
	var n int64
	err := query.Table(countsTable).Select("CAST(COALESCE(SUM(n), 0) AS bigint)").Scan(&n).Error
	return int(n), err
}

// countPublished counts the posts that went out.
func (s *Posts) countPublished(ctx context.Context) (int, error) {
	return sumCounts(s.db.on(ctx).Where("status = ?", post.StatusPublished))
}

// SponsoredPublished counts the published posts that members paid for.
func (s *Posts) SponsoredPublished(ctx context.Context) (int, error) {
	return sumCounts(s.db.on(ctx).Where("status = ? AND sponsored", post.StatusPublished))
}

// countMatching counts what a filter finds in all.
func (s *Posts) countMatching(ctx context.Context, f post.Filter) (int, error) {
	query := ofKind(s.db.on(ctx), f)
	if f.Viewer == nil {
		return sumCounts(query)
	}
	public, err := sumCounts(query.Where("status <> ?", post.StatusDraft))
	if err != nil || f.Viewer.MemberID == "" || len(f.Statuses) > 0 && !slices.Contains(f.Statuses, post.StatusDraft) {
		return public, err
	}
	own := drafts(s.db.on(ctx), f.Viewer)
	if len(f.Reviews) > 0 {
		own = own.Where("review IN ?", f.Reviews)
	}
	n, err := countOf[post.Post](own)
	return public + n, err
}

// ofKind narrows posts, or the kinds of which they are counted.
func ofKind(query *gorm.DB, f post.Filter) *gorm.DB {
	if len(f.Statuses) > 0 {
		query = query.Where("status IN ?", f.Statuses)
	}
	if len(f.Reviews) > 0 {
		query = query.Where("status = ? AND review IN ?", post.StatusDraft, f.Reviews)
	}
	return query
}

// CountByStatus counts the posts of each status that the viewer may see; nil: all of them.
func (s *Posts) CountByStatus(ctx context.Context, viewer *post.Viewer) (map[post.Status]int, error) {
	var rows []struct {
		Status post.Status
		N      int
	}
	query := s.db.on(ctx).Table(countsTable).Select("status, CAST(SUM(n) AS bigint) AS n")
	if viewer != nil {
		query = query.Where("status <> ?", post.StatusDraft)
	}
	if err := query.Group("status").Having("SUM(n) > 0").Scan(&rows).Error; err != nil {
		return nil, err
	}
	counts := map[post.Status]int{}
	for _, row := range rows {
		counts[row.Status] = row.N
	}
	if viewer == nil || viewer.MemberID == "" {
		return counts, nil
	}
	own, err := countOf[post.Post](drafts(s.db.on(ctx), viewer))
	if own > 0 {
		counts[post.StatusDraft] = own
	}
	return counts, err
}

// SuccessSince counts how posts ended since then.
func (s *Posts) SuccessSince(ctx context.Context, since time.Time) (published, failed int, err error) {
	tx := s.db.on(ctx)
	published, err = countOf[post.Post](tx.Where("published_at >= ?", stamp(since)))
	if err != nil {
		return 0, 0, err
	}
	failed, err = countOf[post.Post](tx.Where(isFailed+" AND updated_at >= ?", stamp(since)))
	return published, failed, err
}

// isFailed is written like the condition of its partial index: SQLite does not use the index
// otherwise.
const isFailed = "status = 'failed'"

// LastAttempt is the newest attempt that ended; nil: none. It shows whether the bot's account works.
func (s *Posts) LastAttempt(ctx context.Context) (*post.Attempt, error) {
	return readFirst[post.Attempt](s.db.on(ctx).Where("ended_at IS NOT NULL").Order("ended_at DESC"))
}

// Overdue counts the posts that go out as soon as nothing holds them back.
func (s *Posts) Overdue(ctx context.Context, now time.Time) (int, error) {
	held := []string{post.CodePaused, post.CodeNotConnected}
	return countOf[post.Post](s.db.on(ctx).
		Where("status = ? AND scheduled_at <= ?", post.StatusScheduled, stamp(now)).
		Where("waiting_until IS NULL OR waiting_until <= ? OR code IN ?", stamp(now), held))
}

// ToReview counts the posts that wait for a founder's decision.
func (s *Posts) ToReview(ctx context.Context) (int, error) {
	return countOf[post.Post](s.db.on(ctx).Where("status = ? AND review = ?", post.StatusDraft, post.ReviewAsked))
}
