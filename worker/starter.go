package worker

import (
	"context"
	"log/slog"
	"time"

	"customerzero/internal/post"
)

// Starter gives a run to every post that should have one. A post is written down before
// its run is started, so a process that dies in between leaves one without; and a
// Temporal server that lost its data leaves all of them without.
type Starter struct {
	Posts interface {
		Waiting(ctx context.Context, all bool) ([]post.Post, error)
	}
	Runs interface {
		StartPost(ctx context.Context, p post.Post) (runID string, err error)
	}
	Every time.Duration
}

// Run looks at every open post once, and from then on at those not yet begun.
func (s *Starter) Run(ctx context.Context) {
	s.sweep(ctx, true)
	for tick := time.Tick(s.Every); ; {
		select {
		case <-tick:
			s.sweep(ctx, false)
		case <-ctx.Done():
			return
		}
	}
}

func (s *Starter) sweep(ctx context.Context, all bool) {
	waiting, err := s.Posts.Waiting(ctx, all)
	if err != nil {
		slog.WarnContext(ctx, "posts without a run could not be listed", "error", err)
	}
	for _, p := range waiting {
		if _, err := s.Runs.StartPost(ctx, p); err != nil {
			slog.WarnContext(ctx, "a post's run could not be started", "post_id", p.ID, "error", err)
			return
		}
	}
}
