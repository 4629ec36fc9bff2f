package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/post"
)

// Posts lists posts with their total: newest first or, where only posts that have yet to
// go out are asked for, the next one first.
func (s *Store) Posts(ctx context.Context, f post.Filter) ([]post.Listed, int, error) {
	query := seenBy(s.db.WithContext(ctx).Model(&post.Post{}), f.Viewer)
	if len(f.Statuses) > 0 {
		query = query.Where("status IN ?", f.Statuses)
	}
	order := "scheduled_at DESC, id DESC"
	if f.Upcoming() {
		order = "scheduled_at, id"
	}
	if len(f.Reviews) > 0 { // whoever has waited longest comes first
		query = query.Where("status = ? AND review IN ?", post.StatusDraft, f.Reviews)
		order = "created_at, id"
	}
	return s.page(query, order, f.Limit, f.Offset)
}

// seenBy leaves out the drafts that are not the viewer's.
func seenBy(query *gorm.DB, viewer *post.Viewer) *gorm.DB {
	if viewer == nil {
		return query
	}
	return query.Where("status <> ? OR member_id = ?", post.StatusDraft, viewer.MemberID)
}

// PublishedPosts lists what went out, newest first, with the total.
func (s *Store) PublishedPosts(ctx context.Context, limit, offset int) ([]post.Listed, int, error) {
	query := s.db.WithContext(ctx).Model(&post.Post{}).Where("status = ?", post.StatusPublished)
	return s.page(query, "published_at DESC, id DESC", limit, offset)
}

// ListedPost finds one post as lists show it.
func (s *Store) ListedPost(ctx context.Context, id string) (post.Listed, error) {
	found, _, err := s.page(s.db.WithContext(ctx).Model(&post.Post{}).Where("id = ?", id), "id", 1, 0)
	if err == nil && len(found) == 0 {
		err = asProblem(gorm.ErrRecordNotFound, "post")
	}
	if err != nil {
		return post.Listed{}, err
	}
	return found[0], nil
}

func (s *Store) page(query *gorm.DB, order string, limit, offset int) ([]post.Listed, int, error) {
	var total int64
	if err := query.Session(&gorm.Session{}).Count(&total).Error; err != nil {
		return nil, 0, err
	}
	var posts []post.Post
	if err := query.Session(&gorm.Session{}).Order(order).Limit(limit).Offset(offset).Find(&posts).Error; err != nil {
		return nil, 0, err
	}
	listed, err := s.complete(query.Statement.Context, posts)
	return listed, int(total), err
}

// complete adds names, slots and models to a page of posts, in one query each.
func (s *Store) complete(ctx context.Context, posts []post.Post) ([]post.Listed, error) {
	listed, ids := make([]post.Listed, len(posts)), make([]string, len(posts))
	for i, p := range posts {
		listed[i].Post, ids[i] = p, p.ID
	}
	slots, err := readAll[quotaSlot](s.db.WithContext(ctx).Where("post_id IN ?", ids))
	if err != nil {
		return nil, err
	}
	names, err := s.memberNames(ctx, "id IN (SELECT member_id FROM posts WHERE id IN ?)", ids)
	if err != nil {
		return nil, err
	}
	sources, err := s.sources(ctx, posts)
	if err != nil {
		return nil, err
	}
	seats := map[string]post.Slot{}
	for _, slot := range slots {
		seats[*slot.PostID] = post.Slot{Month: slot.Month, Number: slot.SlotNo}
	}
	for i := range listed {
		if seat, ok := seats[listed[i].ID]; ok {
			listed[i].Slot = &seat
		}
		if id := listed[i].MemberID; id != nil {
			listed[i].Username = names[*id]
		}
		if id := listed[i].CandidateID; id != nil {
			if source, ok := sources[*id]; ok {
				listed[i].Source = &source
			}
		}
	}
	return listed, nil
}

// SponsoredPublished counts the published posts that members paid for.
func (s *Store) SponsoredPublished(ctx context.Context) (int, error) {
	return countOf[post.Post](s.db.WithContext(ctx).Where("status = ? AND member_id IS NOT NULL", post.StatusPublished))
}

// CountByStatus counts the posts of each status.
func (s *Store) CountByStatus(ctx context.Context) (map[post.Status]int, error) {
	return s.CountSeenBy(ctx, nil)
}

// CountSeenBy counts the posts of each status that the viewer may see.
func (s *Store) CountSeenBy(ctx context.Context, viewer *post.Viewer) (map[post.Status]int, error) {
	var rows []struct {
		Status post.Status
		N      int
	}
	err := seenBy(s.db.WithContext(ctx).Model(&post.Post{}), viewer).Select("status, count(*) AS n").Group("status").Scan(&rows).Error
	counts := map[post.Status]int{}
	for _, row := range rows {
		counts[row.Status] = row.N
	}
	return counts, err
}

// Waiting lists the posts that should have a run: those not yet begun, or, with all, every
// one that is still open.
func (s *Store) Waiting(ctx context.Context, all bool) ([]post.Post, error) {
	query := s.db.WithContext(ctx).Where("status IN ?", []post.Status{post.StatusScheduled, post.StatusArmed})
	if !all {
		query = query.Where("run_id = ''")
	}
	return readAll[post.Post](query.Order("scheduled_at"))
}

// ClaimedTweets says which of the tweets belong to a post already.
func (s *Store) ClaimedTweets(ctx context.Context, tweetIDs []string) (map[string]bool, error) {
	posts, err := readAll[post.Post](s.db.WithContext(ctx).Where("tweet_id IN ?", tweetIDs))
	claimed := map[string]bool{}
	for _, p := range posts {
		claimed[*p.TweetID] = true
	}
	return claimed, err
}

// RecentlyPublished says whether the text went out since then.
func (s *Store) RecentlyPublished(ctx context.Context, text string, since time.Time) (bool, error) {
	n, err := countOf[post.Post](s.db.WithContext(ctx).
		Where("status = ? AND published_at >= ? AND text = ?", post.StatusPublished, stamp(since), text))
	return n > 0, err
}

// TextOpen says whether a post that is still open has this text.
func (s *Store) TextOpen(ctx context.Context, text string) (bool, error) {
	return s.TextOpenBeside(ctx, text, "")
}

// TextOpenBeside says whether another post than the named one, still open, has this text.
func (s *Store) TextOpenBeside(ctx context.Context, text, id string) (bool, error) {
	n, err := countOf[post.Post](s.db.WithContext(ctx).Where("open_key = ? AND id <> ?", post.TextKey(text), id))
	return n > 0, err
}

// DuePosts lists the scheduled posts whose time has come.
func (s *Store) DuePosts(ctx context.Context, now time.Time) ([]post.Post, error) {
	return readAll[post.Post](s.db.WithContext(ctx).
		Where("status = ? AND scheduled_at <= ?", post.StatusScheduled, stamp(now)).Order("scheduled_at, id"))
}
