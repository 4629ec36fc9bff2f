package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/recurring"
	"customerzero/worker"
)

// book is a book of posts that notes how it was asked.
type book struct {
	open, notBegun []post.Post
	err            error
	asked          []bool // for all?
	tidied         int
}

func (b *book) Waiting(_ context.Context, all bool) ([]post.Post, error) {
	b.asked = append(b.asked, all)
	if all {
		return b.open, b.err
	}
	return b.notBegun, b.err
}

func (b *book) Tidy(context.Context, time.Time) error { b.tidied++; return b.err }

// runs is a Temporal that notes what was started, and may refuse.
type runs struct {
	err       error
	started   []string
	scheduled []error // what keeping the schedules answers, one after the other
	keeps     int
}

func (r *runs) KeepSchedules(context.Context) error {
	r.keeps++
	if r.keeps > len(r.scheduled) {
		return nil
	}
	return r.scheduled[r.keeps-1]
}

func (r *runs) StartPost(_ context.Context, p post.Post) (string, error) {
	r.started = append(r.started, p.ID)
	return "run-of-" + p.ID, r.err
}

func (r *runs) SendLetter(_ context.Context, id string) error {
	r.started = append(r.started, "letter "+id)
	return r.err
}

func (r *runs) KeepSeries(_ context.Context, kept recurring.Series) error {
	r.started = append(r.started, "keep "+kept.ID)
	return r.err
}

func (r *runs) PlanSeries(_ context.Context, id string) error {
	r.started = append(r.started, "plan "+id)
	return r.err
}

// shelf is the series whose schedules are looked after, each time it is asked.
type shelf struct{ kept, due []recurring.Series }

func (s shelf) SeriesToKeep(_ context.Context, all bool, _ time.Time) ([]recurring.Series, error) {
	if all {
		return s.kept, nil
	}
	return s.due, nil
}

func TestStarterKeepsSeriesAndPlansThoseThatNobodyPlanned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		temporal := &runs{}
		ahead := recurring.Series{ID: "ahead", State: recurring.Active, CursorAt: time.Now().Add(time.Hour)}
		due := recurring.Series{ID: "due", State: recurring.Active, CursorAt: time.Now().Add(-15 * time.Second)}
		paused := recurring.Series{ID: "paused", State: recurring.Paused, CursorAt: time.Now().Add(-time.Hour)}
		starter := worker.Dispatcher{
			Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Runs: temporal, Every: time.Second,
			Series: shelf{kept: []recurring.Series{ahead, due, paused}, due: []recurring.Series{due}},
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second-time.Millisecond)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, []string{"keep ahead", "keep due", "plan due", "keep paused", "keep due", "plan due"}, temporal.started)
	})
}

func TestStarterKeepsSchedulesUntilTemporalTookThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		temporal := &runs{scheduled: []error{errors.New("away"), errors.New("still away")}}
		starter := worker.Dispatcher{
			Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Series: shelf{}, Runs: temporal, Every: time.Second,
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, 3, temporal.keeps, "twice refused, taken at the third time, and not asked again")
	})
}

// outbox is the e-mails that wait, each time it is asked.
type outbox struct{ open, notBegun []email.Letter }

func (o outbox) WaitingLetters(_ context.Context, all bool) ([]email.Letter, error) {
	if all {
		return o.open, nil
	}
	return o.notBegun, nil
}

func (r *runs) StartCheckout(_ context.Context, id string) error {
	r.started = append(r.started, "checkout "+id)
	return r.err
}

// tillStore is the checkouts that wait, each time it is asked.
type tillStore struct{ open, notBegun []checkout.Checkout }

func (b tillStore) WaitingCheckouts(_ context.Context, all bool, before time.Time) ([]checkout.Checkout, error) {
	var waiting []checkout.Checkout
	for _, c := range b.notBegun {
		if !c.CreatedAt.After(before) {
			waiting = append(waiting, c)
		}
	}
	if all {
		return append(waiting, b.open...), nil
	}
	return waiting, nil
}

func TestStarterStartsCheckoutsThatWereLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		temporal := &runs{}
		left := checkout.Checkout{ID: "left", CreatedAt: time.Now().Add(-14 * time.Second)} // a second later nobody waits for it
		starter := worker.Dispatcher{
			Store: &book{}, Posts: &book{}, Letters: outbox{}, Runs: temporal, Every: time.Second,
			Series:    shelf{},
			Checkouts: tillStore{open: []checkout.Checkout{{ID: "open"}}, notBegun: []checkout.Checkout{left}},
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second-time.Millisecond)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, []string{"checkout open", "checkout left"}, temporal.started)
	})
}

func TestStarterSendsLettersThatWereLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		temporal := &runs{}
		starter := worker.Dispatcher{
			Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Series: shelf{}, Letters: outbox{open: []email.Letter{{ID: "a"}, {ID: "b"}}, notBegun: []email.Letter{{ID: "b"}}},
			Runs: temporal, Every: time.Second,
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second-time.Millisecond)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, []string{"letter a", "letter b", "letter b"}, temporal.started)
	})
}

func TestStarterTidiesFourTimesADay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &book{}
		starter := worker.Dispatcher{Store: db, Posts: db, Checkouts: tillStore{}, Series: shelf{}, Letters: outbox{}, Runs: &runs{}, Every: time.Hour}
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour-time.Second)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, 4, db.tidied)
	})
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
				starter := worker.Dispatcher{Store: &tt.book, Posts: &tt.book, Checkouts: tillStore{}, Series: shelf{}, Letters: outbox{}, Runs: temporal, Every: time.Second}
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(tt.sweeps)*time.Second-time.Millisecond)
				defer cancel()
				starter.Run(ctx) // returns with its context
				require.Equal(t, tt.asked, tt.book.asked)
				require.Equal(t, tt.started, temporal.started)
			})
		})
	}
}
