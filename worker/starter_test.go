package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/post"
	"customerzero/worker"
)

// book is a book of posts that notes how it was asked.
type book struct {
	open, notBegun []post.Post
	err            error
	asked          []bool // for all?
}

func (b *book) Waiting(_ context.Context, all bool) ([]post.Post, error) {
	b.asked = append(b.asked, all)
	if all {
		return b.open, b.err
	}
	return b.notBegun, b.err
}

// runs is a Temporal that notes what was started, and may refuse.
type runs struct {
	err     error
	started []string
}

func (r *runs) StartPost(_ context.Context, p post.Post) (string, error) {
	r.started = append(r.started, p.ID)
	return "run-of-" + p.ID, r.err
}

func TestStarter(t *testing.T) {
	t.Parallel()
	one, two, three := post.Post{ID: "1"}, post.Post{ID: "2"}, post.Post{ID: "3"}
	for name, tt := range map[string]struct {
		book    book
		refusal error
		sweeps  int
		asked   []bool
		started []string
	}{
		"looks at every open post first, then at those not begun": {
			book: book{open: []post.Post{one, two}, notBegun: []post.Post{three}}, sweeps: 3,
			asked: []bool{true, false, false}, started: []string{"1", "2", "3", "3"},
		},
		"stops at a refusal, and begins again at the next turn": {
			book: book{open: []post.Post{one, two}, notBegun: []post.Post{one, two}}, refusal: errors.New("no Temporal"), sweeps: 2,
			asked: []bool{true, false}, started: []string{"1", "1"},
		},
		"goes on when the posts cannot be listed": {
			book: book{err: errors.New("no database")}, sweeps: 3,
			asked: []bool{true, false, false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				temporal := &runs{err: tt.refusal}
				starter := worker.Starter{Posts: &tt.book, Runs: temporal, Every: time.Second}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(tt.sweeps)*time.Second-time.Millisecond)
				defer cancel()
				starter.Run(ctx) // returns with its context
				require.Equal(t, tt.asked, tt.book.asked)
				require.Equal(t, tt.started, temporal.started)
			})
		})
	}
}
