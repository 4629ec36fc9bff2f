package store_test

import (
	"context"
	"fmt"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/store"
)

// write writes a post: of this month, mostly, so that it gets full; some say what others say.
func (a *author) write() operation {
	a.posts++
	p := post.Post{ID: fmt.Sprintf("p%03d", a.posts), Text: fmt.Sprintf("text %d", a.posts), Status: post.StatusScheduled, ScheduledAt: a.when()}
	if a.IntN(10) == 0 {
		p.Text = fmt.Sprintf("text %d", 1+a.IntN(a.posts))
	}
	if a.IntN(10) == 0 {
		p.Status = post.StatusDraft
	}
	if a.IntN(2) == 0 {
		who := a.member()
		p.MemberID = &who
	}
	return a.writing(p)
}

// writeOf writes a post of a member's that takes a slot of this month.
func (a *author) writeOf(who string) operation {
	a.posts++
	return a.writing(post.Post{ID: fmt.Sprintf("p%03d", a.posts), MemberID: &who, Text: fmt.Sprintf("text %d", a.posts), Status: post.StatusScheduled, ScheduledAt: a.at})
}

func (a *author) writing(p post.Post) operation {
	at := a.at
	return about("write "+p.ID, func(ctx context.Context, s *store.DB, _ string) (post.Post, error) {
		written, err := s.Posts.CreatePost(ctx, p, at)
		if err != nil {
			return post.Post{}, err // what was not written is nothing
		}
		return written, nil
	})
}

func (a *author) when() time.Time {
	if a.IntN(5) == 0 {
		return a.at.AddDate(0, 1, a.IntN(20))
	}
	return a.at.Add(time.Duration(a.IntN(96)-1) * time.Hour)
}

// post is one of those that were written last.
func (a *author) post() string { return fmt.Sprintf("p%03d", max(1, a.posts-a.IntN(12))) }

func (a *author) edit() operation {
	id, text, when := a.post(), fmt.Sprintf("text %d", 1+a.IntN(2*a.posts+1)), a.when()
	c := post.Change{Schedule: a.IntN(4) == 0}
	if a.IntN(2) == 0 {
		c.Text = &text
	}
	if a.IntN(2) == 0 {
		c.ScheduledAt = &when
	}
	if version := 1 + a.IntN(3); a.IntN(2) == 0 {
		c.Version = &version
	}
	return a.change(id, c)
}

func (a *author) change(id string, c post.Change) operation {
	at := a.at
	return about("edit "+id, func(ctx context.Context, s *store.DB, _ string) (post.Post, error) {
		return s.Posts.ChangePost(ctx, id, c, at)
	})
}

func (a *author) cancel() operation {
	id, at := a.post(), a.at
	return about("cancel "+id, func(ctx context.Context, s *store.DB, _ string) (post.Post, error) {
		return s.Posts.CancelPost(ctx, id, at)
	})
}

func (a *author) restore() operation {
	id, gated, at := a.post(), a.IntN(4) == 0, a.at
	return about("restore "+id, func(ctx context.Context, s *store.DB, _ string) (post.Post, error) {
		return s.Posts.RestorePost(ctx, id, gated, at)
	})
}

func (a *author) arm() operation {
	id, n, at := a.post(), 1+a.IntN(2), a.at
	return about(fmt.Sprintf("arm %s, try %d", id, n), func(ctx context.Context, s *store.DB, connection string) (post.Post, error) {
		if _, err := s.Posts.BeginPost(ctx, id, "run of "+id); err != nil {
			return post.Post{}, err
		}
		return s.Posts.ArmPost(ctx, id, n, connection, at)
	})
}

func (a *author) conclude() operation {
	id, v, at := a.post(), a.verdict(), a.at
	return about(fmt.Sprintf("conclude %s %s", id, v.Outcome), func(ctx context.Context, s *store.DB, _ string) (post.Post, error) {
		return s.Posts.ConcludePost(ctx, id, v, at)
	})
}

func (a *author) verdict() post.Verdict {
	v := post.Verdict{Attempt: 1 + a.IntN(2), Code: "x_test", Reason: "A test said so.", At: a.at, Until: a.at.Add(time.Minute), Final: a.IntN(3) == 0}
	v.Outcome = []post.Outcome{post.OutcomePublished, post.OutcomePublished, post.OutcomeRefused, post.OutcomeUnclear, post.OutcomeWaiting, post.OutcomeAbsent}[a.IntN(6)]
	if v.Outcome == post.OutcomePublished {
		v.Code, v.Reason, v.TweetID = "", "", a.tweet()
	}
	return v
}

// tweet is almost always another one.
func (a *author) tweet() string { return fmt.Sprint(a.IntN(500)) }

func (a *author) doubt() operation {
	id, n := a.post(), 1+a.IntN(2)
	return about("doubt "+id, func(ctx context.Context, s *store.DB, _ string) (post.Post, error) {
		return s.Posts.DoubtPost(ctx, id, n, "x_test", "Nobody can tell.")
	})
}

func (a *author) reopen() operation {
	id, at := a.post(), a.at
	return about("reopen "+id, func(ctx context.Context, s *store.DB, _ string) (post.Post, error) {
		return s.Posts.ReopenPost(ctx, id, at)
	})
}

func (a *author) find() operation {
	id, v, at := a.post(), post.Verdict{Outcome: post.OutcomePublished, TweetID: a.tweet(), At: a.at}, a.at
	return about("find "+id, func(ctx context.Context, s *store.DB, _ string) (post.Post, error) {
		return s.Posts.FindPost(ctx, id, v, at)
	})
}

func (a *author) close() operation {
	id := a.post()
	return about("close "+id, func(ctx context.Context, s *store.DB, _ string) (post.Post, error) {
		return s.Posts.ClosePost(ctx, id)
	})
}
