package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
)

// sequence is the order of a list. An index has it, so that a page costs what it shows, and not
// what there is.
type sequence string

const (
	latestFirst    sequence = "scheduled_at DESC, id DESC"
	nextFirst      sequence = "scheduled_at, id"
	longestWaiting sequence = "created_at, id"
	newestFirst    sequence = "published_at DESC, id DESC"
)

// column is what it goes by before the ID.
func (q sequence) column() string { return string(q[:strings.IndexAny(string(q), " ,")]) }

// Posts lists posts with their total: newest first or, where only posts that have yet to
// go out are asked for, the next one first.
func (s *Posts) Posts(ctx context.Context, f post.Filter) ([]post.Listed, int, error) {
	total, err := s.howMany(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	order := latestFirst
	if f.Upcoming() {
		order = nextFirst
	}
	if len(f.Reviews) > 0 { // whoever has waited longest comes first
		order = longestWaiting
	}
	listed, err := s.page(ctx, s.parts(ctx, f), order, f.Limit, f.Offset)
	return listed, total, err
}

// PublishedPosts lists what went out, newest first, with the total.
func (s *Posts) PublishedPosts(ctx context.Context, limit, offset int) ([]post.Listed, int, error) {
	total, err := s.published(ctx)
	if err != nil {
		return nil, 0, err
	}
	// Just these are published; asked so, those that are not are no part of the index.
	out := s.db.on(ctx).Model(&post.Post{}).Where("published_at IS NOT NULL")
	listed, err := s.page(ctx, []*gorm.DB{out}, newestFirst, limit, offset)
	return listed, total, err
}

// parts are what a filter finds, each of them in the order of an index: of several kinds together
// there is none.
func (s *Posts) parts(ctx context.Context, f post.Filter) (parts []*gorm.DB) {
	all := func() *gorm.DB { return s.db.on(ctx).Model(&post.Post{}) }
	switch {
	case len(f.Reviews) > 0 && len(f.Statuses) > 0 && !slices.Contains(f.Statuses, post.StatusDraft):
		return nil // reviews are of drafts
	case len(f.Reviews) > 0:
		for _, review := range once(f.Reviews) {
			parts = append(parts, drafts(all(), f.Viewer).Where("review = ? AND review <> ''", review))
		}
	case len(f.Statuses) > 0:
		for _, status := range once(f.Statuses) {
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

// once leaves out what was said before.
func once[T ~string](said []T) []T {
	sorted := slices.Clone(said)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// seenBy leaves out the drafts that are not the viewer's.
func seenBy(query *gorm.DB, viewer *post.Viewer) *gorm.DB {
	if viewer == nil {
		return query
	}
	return query.Where("status <> ? OR member_id = ?", post.StatusDraft, viewer.MemberID)
}

// drafts are those that the viewer may see.
func drafts(query *gorm.DB, viewer *post.Viewer) *gorm.DB {
	query = query.Where("status = ?", post.StatusDraft)
	if viewer == nil {
		return query
	}
	return query.Where("member_id = ?", viewer.MemberID)
}

// page reads a page of what the parts are together. Its posts are found in indexes alone, and only
// then read: whoever is far down a list passes over many.
func (s *Posts) page(ctx context.Context, parts []*gorm.DB, order sequence, limit, offset int) ([]post.Listed, error) {
	if len(parts) == 0 {
		return []post.Listed{}, nil
	}
	posts, err := readAll[post.Post](s.db.on(ctx).
		Where("id IN (?)", s.merged(ctx, parts, order, limit, offset)).Order(string(order)))
	if err != nil {
		return nil, err
	}
	return s.complete(ctx, posts)
}

// merged names the posts of a page: each part gives its first, of which the page has some.
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

// ListedPost finds one post as lists show it.
func (s *Posts) ListedPost(ctx context.Context, id string) (post.Listed, error) {
	p, err := s.Post(ctx, id)
	if err != nil {
		return post.Listed{}, err
	}
	listed, err := s.complete(ctx, []post.Post{p})
	if err != nil {
		return post.Listed{}, err
	}
	return listed[0], nil
}
