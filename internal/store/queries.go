package store

import (
	"context"
	"time"

	"customerzero/internal/domain/post"
)

// complete adds names, slots and models to a page of posts, in one query each.
func (s *Posts) complete(ctx context.Context, posts []post.Post) ([]post.Listed, error) {
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

// Waiting lists the posts that should have a run: those not yet begun, or, with all, every
// one that is still open.
func (s *Posts) Waiting(ctx context.Context, all bool) ([]post.Post, error) {
	query := s.db.on(ctx).Where("status IN ?", []post.Status{post.StatusScheduled, post.StatusArmed})
	if !all {
		query = query.Where("run_id = ''")
	}
	return readAll[post.Post](query.Order("scheduled_at"))
}

// ClaimedTweets says which of the tweets belong to a post already.
func (s *Posts) ClaimedTweets(ctx context.Context, tweetIDs []string) (map[string]bool, error) {
	posts, err := readAll[post.Post](s.db.on(ctx).Where("tweet_id IN ?", tweetIDs))
	claimed := map[string]bool{}
	for _, p := range posts {
		claimed[*p.TweetID] = true
	}
	return claimed, err
}

// RecentlyPublished says whether the text went out since then.
func (s *Posts) RecentlyPublished(ctx context.Context, text string, since time.Time) (bool, error) {
	n, err := countOf[post.Post](s.db.on(ctx).
		Where("published_at >= ? AND text = ?", stamp(since), text)) // with the status SQLite would go through all that went out
	return n > 0, err
}

// TextOpen says whether a post that is still open has this text.
func (s *Posts) TextOpen(ctx context.Context, text string) (bool, error) {
	return s.TextOpenBeside(ctx, text, "")
}

// TextOpenBeside says whether another post than the named one, still open, has this text.
func (s *Posts) TextOpenBeside(ctx context.Context, text, id string) (bool, error) {
	n, err := countOf[post.Post](s.db.on(ctx).Where("open_key = ? AND id <> ?", post.TextKey(text), id))
	return n > 0, err
}

// DuePosts lists the scheduled posts whose time has come.
func (s *Posts) DuePosts(ctx context.Context, now time.Time) ([]post.Post, error) {
	return readAll[post.Post](s.db.on(ctx).
		Where("status = ? AND scheduled_at <= ?", post.StatusScheduled, stamp(now)).Order("scheduled_at, id"))
}
