package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
)

// sequence is the order of a list. Each has an index, so that a page costs what it shows, not the size
// of the table.
type sequence string

const (
	latestFirst    sequence = "scheduled_at DESC, id DESC"
	nextFirst      sequence = "scheduled_at, id"
	longestWaiting sequence = "created_at, id"
	newestFirst    sequence = "published_at DESC, id DESC"
)

// column is the first column of the order.
func (q sequence) column() string { return string(q[:strings.IndexAny(string(q), " ,")]) }

// Posts lists posts with their total: newest first, or the next one first if only upcoming posts are
// selected.
func (s *Posts) Posts(ctx context.Context, f post.Filter) ([]post.Listed, int, error) {
	total, err := s.countMatching(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	order := latestFirst
	if f.Upcoming() {
		order = nextFirst
	}
	if len(f.Reviews) > 0 { // the longest wait first
		order = longestWaiting
	}
	listed, err := s.page(ctx, s.parts(ctx, f), order, f.Limit, f.Offset)
	return listed, total, err
}

// PublishedPosts lists published posts, newest first, with their total.
func (s *Posts) PublishedPosts(ctx context.Context, limit, offset int) ([]post.Listed, int, error) {
	total, err := s.countPublished(ctx)
	if err != nil {
		return nil, 0, err
	}
	// The condition matches the partial index of published posts.
	out := s.db.on(ctx).Model(&post.Post{}).Where("published_at IS NOT NULL")
	listed, err := s.page(ctx, []*gorm.DB{out}, newestFirst, limit, offset)
	return listed, total, err
}

// parts splits a filter into queries that each can use the order of an index.
func (s *Posts) parts(ctx context.Context, f post.Filter) (parts []*gorm.DB) {
	all := func() *gorm.DB { return s.db.on(ctx).Model(&post.Post{}) }
	switch {
	case len(f.Reviews) > 0 && len(f.Statuses) > 0 && !slices.Contains(f.Statuses, post.StatusDraft):
		return nil // reviews are of drafts
	case len(f.Reviews) > 0:
		for _, review := range unique(f.Reviews) {
			parts = append(parts, drafts(all(), f.Viewer).Where("review = ? AND review <> ''", review))
		}
	case len(f.Statuses) > 0:
		for _, status := range unique(f.Statuses) {
			if status == post.StatusDraft {
				parts = append(parts, drafts(all(), f.Viewer))
			} else {
				parts = append(parts, all().Where("status = ?", status))
			}
		}
	default:
		parts = append(parts, seenBy(all(), f.Viewer))
	}
	return parts
}

func unique[T ~string](values []T) []T {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// seenBy leaves out other members' drafts.
func seenBy(query *gorm.DB, viewer *post.Viewer) *gorm.DB {
	if viewer == nil {
		return query
	}
	return query.Where("status <> ? OR member_id = ?", post.StatusDraft, viewer.MemberID)
}

// drafts selects the drafts that the viewer may see.
func drafts(query *gorm.DB, viewer *post.Viewer) *gorm.DB {
	query = query.Where("status = ?", post.StatusDraft)
	if viewer == nil {
		return query
	}
	return query.Where("member_id = ?", viewer.MemberID)
}

// page reads one page of the union of the parts. It finds the IDs in indexes only, and then reads just
// those posts, so that pages far down a list stay cheap.
func (s *Posts) page(ctx context.Context, parts []*gorm.DB, order sequence, limit, offset int) ([]post.Listed, error) {
	if len(parts) == 0 {
		return []post.Listed{}, nil
	}
	posts, err := readAll[post.Post](s.db.on(ctx).
		Where("id IN (?)", s.merged(ctx, parts, order, limit, offset)).Order(string(order)))
	if err != nil {
		return nil, err
	}
	return s.withDetails(ctx, posts)
}

// merged selects the IDs of a page: it merges the first rows of each part.
func (s *Posts) merged(ctx context.Context, parts []*gorm.DB, order sequence, limit, offset int) *gorm.DB {
	if len(parts) == 1 {
		return parts[0].Select("id").Order(string(order)).Limit(limit).Offset(offset)
	}
	heads, args := make([]string, len(parts)), make([]any, len(parts), len(parts)+2)
	for i, part := range parts {
		heads[i] = fmt.Sprintf("SELECT * FROM (?) AS part%d", i)
		args[i] = part.Select("id", order.column()).Order(string(order)).Limit(offset + limit)
	}
	return s.db.on(ctx).Raw("SELECT id FROM ("+strings.Join(heads, " UNION ALL ")+") AS found ORDER BY "+
		string(order)+" LIMIT ? OFFSET ?", append(args, limit, offset)...)
}

// ListedPost returns one post as lists show it.
func (s *Posts) ListedPost(ctx context.Context, id string) (post.Listed, error) {
	p, err := s.Post(ctx, id)
	if err != nil {
		return post.Listed{}, err
	}
	listed, err := s.withDetails(ctx, []post.Post{p})
	if err != nil {
		return post.Listed{}, err
	}
	return listed[0], nil
}

// withDetails adds names, slots and models to a page of posts, in one query each.
func (s *Posts) withDetails(ctx context.Context, posts []post.Post) ([]post.Listed, error) {
	listed, ids, members := make([]post.Listed, len(posts)), make([]string, len(posts)), make([]*string, len(posts))
	for i, p := range posts {
		listed[i].Post, ids[i], members[i] = p, p.ID, p.MemberID
	}
	slots, err := readAll[quotaSlot](s.db.on(ctx).Select("month", "slot_no", "post_id").Where("post_id IN ?", ids))
	if err != nil {
		return nil, err
	}
	names, err := s.db.Members.memberNames(ctx, members)
	if err != nil {
		return nil, err
	}
	sources, err := s.modelsOf(ctx, posts)
	if err != nil {
		return nil, err
	}
	held := map[string]post.Slot{}
	for _, slot := range slots {
		held[*slot.PostID] = post.Slot{Month: slot.Month, Number: slot.SlotNo}
	}
	for i := range listed {
		if slot, ok := held[listed[i].ID]; ok {
			listed[i].Slot = &slot
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

// Waiting lists the posts that should have a run: those to be sent without one or, with all, every open one,
// also those that wait for a decision.
func (s *Posts) Waiting(ctx context.Context, all bool) ([]post.Post, error) {
	query := s.db.on(ctx).Where("status IN ? AND run_id = ''", []post.Status{post.StatusScheduled, post.StatusArmed})
	if all {
		query = s.db.on(ctx).Where("status IN ('scheduled', 'armed') OR (status IN ('failed', 'unknown') AND open_key IS NOT NULL)")
	}
	return readAll[post.Post](query.Order("scheduled_at, id"))
}

// ClaimedTweets returns which of the tweets already belong to a post.
func (s *Posts) ClaimedTweets(ctx context.Context, tweetIDs []string) (map[string]bool, error) {
	posts, err := readAll[post.Post](s.db.on(ctx).Where("tweet_id IN ?", tweetIDs))
	claimed := map[string]bool{}
	for _, p := range posts {
		claimed[*p.TweetID] = true
	}
	return claimed, err
}

// MayBePublished reports whether X may have accepted an attempt before the current one. When X has refused
// the text as a duplicate, the timeline was checked for all attempts up to then.
func (s *Posts) MayBePublished(ctx context.Context, p post.Post) (bool, error) {
	refused := s.db.gorm.Model(&post.Attempt{}).Select("COALESCE(MAX(number), 0)").
		Where("post_id = ? AND number < ? AND outcome = ? AND code = ?", p.ID, p.Attempt, post.OutcomeRefused, post.CodeDuplicate)
	n, err := countOf[post.Attempt](s.db.on(ctx).Where("post_id = ? AND number < ? AND number > (?) AND (outcome IN ? OR code = ?)", p.ID, p.Attempt, refused,
		[]post.Outcome{post.OutcomePending, post.OutcomeUnclear, post.OutcomeAbsent}, codeRestored))
	return n > 0, err
}

// SameText returns an open or recently published post with this text, other than the one with this ID,
// which may be empty. nil: there is none.
func (s *Posts) SameText(ctx context.Context, text, id string, now time.Time) (*post.Post, error) {
	open, err := readFirst[post.Post](s.db.on(ctx).Where("open_key = ? AND id <> ?", post.TextKey(text), id))
	if open != nil || err != nil {
		return open, err
	}
	return lastPublished(s.db.on(ctx), text, now)
}

// lastPublished returns the latest post with this text that was published in the DuplicateWindow.
func lastPublished(tx *gorm.DB, text string, now time.Time) (*post.Post, error) {
	return readFirst[post.Post](tx.Where("published_at >= ? AND (published_key = ? OR text = ?)", // with a condition on status SQLite would scan all published posts
		stamp(now.Add(-post.DuplicateWindow)), post.TextKey(text), text).Order(string(newestFirst)))
}

// DuePosts lists the scheduled posts that are due.
func (s *Posts) DuePosts(ctx context.Context, now time.Time) ([]post.Post, error) {
	return readAll[post.Post](s.db.on(ctx).
		Where("status = ? AND scheduled_at <= ?", post.StatusScheduled, stamp(now)).Order("scheduled_at, id"))
}

// modelsOf returns the models that wrote posts, by candidate, without those of a blind vote that is
// still open.
func (s *Posts) modelsOf(ctx context.Context, posts []post.Post) (map[string]post.Source, error) {
	var ids []string
	for _, p := range posts {
		if p.CandidateID != nil {
			ids = append(ids, *p.CandidateID)
		}
	}
	named := map[string]post.Source{}
	if len(ids) == 0 {
		return named, nil
	}
	candidates, err := readAll[generation.Candidate](s.db.on(ctx).Where("id IN ?", ids).
		Where(`generation_id NOT IN (SELECT id FROM generations g WHERE g.blind
			AND NOT EXISTS (SELECT 1 FROM generation_votes v WHERE v.generation_id = g.id))`))
	for _, c := range candidates {
		named[c.ID] = post.Source{Model: c.Model, Prompt: c.Prompt}
	}
	return named, err
}

// PostsBetween lists the posts of a calendar range, from inclusive to exclusive, by the time at which
// they were or will be published, without cancelled posts and other members' drafts. cut reports that
// there are more than limit.
func (s *Posts) PostsBetween(ctx context.Context, from, to time.Time, viewer *post.Viewer, limit int) (found []post.Listed, cut bool, err error) {
	from, to = stamp(from), stamp(to)
	query := seenBy(s.db.on(ctx), viewer).
		Where("(published_at >= ? AND published_at < ?) OR (status NOT IN ? AND scheduled_at >= ? AND scheduled_at < ?)",
			from, to, []post.Status{post.StatusPublished, post.StatusCancelled}, from, to)
	posts, err := readAll[post.Post](query.Order("COALESCE(published_at, scheduled_at), id").Limit(limit + 1))
	if err != nil {
		return nil, false, err
	}
	if cut = len(posts) > limit; cut {
		posts = posts[:limit]
	}
	found, err = s.withDetails(ctx, posts)
	return found, cut, err
}

// ToCompare lists the posts that a new text should not repeat: open ones, and those published since a
// time, latest first. It returns only what the viewer may see, at most post.MostCompared of each kind.
func (s *Posts) ToCompare(ctx context.Context, since time.Time, viewer *post.Viewer) ([]post.Post, error) {
	posts := func() *gorm.DB { return s.db.on(ctx).Model(&post.Post{}) }
	compared := s.merged(ctx, []*gorm.DB{
		drafts(posts(), viewer), posts().Where("open_key IS NOT NULL AND status <> 'draft'"), posts().Where("id IN (SELECT id FROM posts WHERE published_at >= ?)", stamp(since)),
	}, latestFirst, post.MostCompared, 0)
	return readAll[post.Post](posts().Select("id", "text", "status", "scheduled_at", "published_at").
		Where("id IN (?)", compared).Order(string(latestFirst)))
}

// countsTable counts posts by kind. Triggers of the database maintain it, so it is not part of a dump.
const countsTable = "post_tallies"

func sumCounts(query *gorm.DB) (int, error) {
	var n int64
	err := query.Table(countsTable).Select("CAST(COALESCE(SUM(n), 0) AS bigint)").Scan(&n).Error
	return int(n), err
}

func (s *Posts) countPublished(ctx context.Context) (int, error) {
	return sumCounts(s.db.on(ctx).Where("status = ?", post.StatusPublished))
}

// SponsoredPublished counts the published posts that members paid for.
func (s *Posts) SponsoredPublished(ctx context.Context) (int, error) {
	return sumCounts(s.db.on(ctx).Where("status = ? AND sponsored", post.StatusPublished))
}

// countMatching counts all posts that a filter selects.
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

// ofKind filters posts or their counts.
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

// SuccessSince counts published and failed posts since a time.
func (s *Posts) SuccessSince(ctx context.Context, since time.Time) (published, failed int, err error) {
	return successBetween(s.db.on(ctx), stamp(since), endOfTime)
}

func successBetween(tx *gorm.DB, since, until time.Time) (published, failed int, err error) {
	published, err = countOf[post.Post](publishedIn(tx, since, until))
	if err != nil {
		return 0, 0, err
	}
	failed, err = countOf[post.Post](tx.Where(isFailed+" AND updated_at >= ? AND updated_at <= ?", since, until))
	return published, failed, err
}

// isFailed is written like the condition of its partial index: SQLite does not use the index
// otherwise.
const isFailed = "status = 'failed'"

// LastAttempt is the newest attempt that ended; nil: none. It shows whether the bot's account works.
func (s *Posts) LastAttempt(ctx context.Context) (*post.Attempt, error) {
	return readFirst[post.Attempt](s.db.on(ctx).Where("ended_at IS NOT NULL").Order("ended_at DESC"))
}

// Overdue counts the posts that would be sent as soon as nothing holds them back.
func (s *Posts) Overdue(ctx context.Context, now time.Time) (int, error) {
	held := []string{post.CodePaused, post.CodeNotConnected}
	return countOf[post.Post](s.db.on(ctx).
		Where("status = ? AND scheduled_at <= ?", post.StatusScheduled, stamp(now)).
		Where("waiting_until IS NULL OR waiting_until <= ? OR code IN ?", stamp(now), held))
}

// ToReview counts the posts that wait for a founder's decision.
func (s *Posts) ToReview(ctx context.Context) (int, error) {
	return countOf[post.Post](s.db.on(ctx).Where("status = ? AND review = ?", post.StatusDraft, post.ReviewRequested))
}
