package worker

import (
	"context"
	"log/slog"
	"time"

	"customerzero/internal/letter"
	"customerzero/internal/post"
)

// Starter gives a run to every post and letter that should have one. They are written down
// before their run is started, so a process that dies in between leaves one without; and a
// Temporal server that lost its data leaves all of them without.
type Starter struct {
	Posts interface {
		Waiting(ctx context.Context, all bool) ([]post.Post, error)
	}
	Letters interface {
		WaitingLetters(ctx context.Context, all bool) ([]letter.Letter, error)
	}
	Runs interface {
		StartPost(ctx context.Context, p post.Post) (runID string, err error)
		SendLetter(ctx context.Context, letterID string) error
	}
	Books interface {
		Tidy(ctx context.Context, at time.Time) error
	}
	Every time.Duration
}

// tidyEvery is how often what is over is deleted.
const tidyEvery = 6 * time.Hour

// Run looks at every open post once, and from then on at those not yet begun.
func (s *Starter) Run(ctx context.Context) {
	s.sweep(ctx, true)
	s.tidy(ctx)
	tidying := time.Tick(tidyEvery)
	for tick := time.Tick(s.Every); ; {
		select {
		case <-tick:
			s.sweep(ctx, false)
		case <-tidying:
			s.tidy(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (s *Starter) sweep(ctx context.Context, all bool) {
	s.sweepPosts(ctx, all)
	s.sweepLetters(ctx, all)
}

func (s *Starter) tidy(ctx context.Context) {
	if err := s.Books.Tidy(ctx, time.Now()); err != nil {
		slog.WarnContext(ctx, "what is over could not be deleted; the next round tries again", "error", err)
	}
}

func (s *Starter) sweepLetters(ctx context.Context, all bool) {
	waiting, err := s.Letters.WaitingLetters(ctx, all)
	if err != nil {
		slog.WarnContext(ctx, "letters without a run could not be listed", "error", err)
	}
	for _, l := range waiting {
		if err := s.Runs.SendLetter(ctx, l.ID); err != nil {
			slog.WarnContext(ctx, "a letter's run could not be started", "letter_id", l.ID, "error", err)
			return
		}
	}
}

func (s *Starter) sweepPosts(ctx context.Context, all bool) {
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
