package store

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
)

// PostsBetween lists the posts of a stretch of the calendar, from included and to not, in the
// order of their times: when they went out, or are to. Cancelled ones are left out, and others'
// drafts. cut says that there are more than the limit.
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
	found, err = s.complete(ctx, posts)
	return found, cut, err
}

// Budget says who holds which of a month's slots. holder is whose slots are marked: a member,
// the founders (empty), or nobody (nil).
func (s *Posts) Budget(ctx context.Context, month post.Month, holder *string) (post.Budget, error) {
	usage, err := s.MonthUsage(ctx, month)
	if err != nil {
		return post.Budget{}, err
	}
	budget := post.Budget{Usage: usage, Cells: strings.Repeat(".", post.MonthlyPosts)}
	taken, err := readAll[quotaSlot](s.db.on(ctx).Where("month = ? AND state <> ?", month, slotFree))
	if err != nil {
		return budget, err
	}
	cells := []byte(budget.Cells)
	for _, slot := range taken {
		own := holder != nil && holderOf(slot.MemberID) == *holder
		if own {
			budget.OwnHeld++
		}
		cells[slot.SlotNo-1] = cell(slot.State, own)
	}
	budget.Cells = string(cells)
	return budget, nil
}

// cell is a slot as one letter.
func cell(state slotState, own bool) byte {
	switch {
	case state == slotSpent && own:
		return 'S'
	case state == slotSpent:
		return 's'
	case own:
		return 'R'
	}
	return 'r'
}

// ToCompare lists the posts that a new text should not repeat: those that are open, and those
// that went out since then, the latest first. Only what the viewer may see, and no more than
// can be compared while somebody waits.
func (s *Posts) ToCompare(ctx context.Context, since time.Time, viewer *post.Viewer) ([]post.Post, error) {
	posts := func() *gorm.DB { return s.db.on(ctx).Model(&post.Post{}) }
	compared := s.merged(ctx, []*gorm.DB{
		drafts(posts(), viewer), posts().Where("open_key IS NOT NULL AND status <> 'draft'"), posts().Where("id IN (SELECT id FROM posts WHERE published_at >= ?)", stamp(since)),
	}, latestFirst, post.MostCompared, 0)
	return readAll[post.Post](posts().Select("id", "text", "status", "scheduled_at", "published_at").
		Where("id IN (?)", compared).Order(string(latestFirst)))
}
