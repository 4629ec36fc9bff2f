package store_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// race is one order to a post, given at the moment in which the post is armed.
type race struct {
	p     post.Post
	order string
	armed post.Post // what the sender was given
	err   error     // what the order was answered
}

// run gives the order and arms the post at once. Who is heard first, chance says.
func (r *race) run(t *testing.T, s *store.DB, connection string, late bool) error {
	t.Helper()
	var both sync.WaitGroup
	var failed error
	arms := func() { r.armed, failed = s.Posts.ArmPost(t.Context(), r.p.ID, 1, connection, november) }
	orders := func() { r.err = r.give(t, s) }
	if late { // whoever is started second is often first
		arms, orders = orders, arms
	}
	both.Go(arms)
	both.Go(orders)
	both.Wait()
	return failed
}

func (r *race) give(t *testing.T, s *store.DB) (err error) {
	t.Helper()
	text, december := "other "+r.p.Text, november.AddDate(0, 1, 0)
	switch r.order {
	case "cancel":
		_, err = s.Posts.CancelPost(t.Context(), r.p.ID, november)
	case "edit":
		_, err = s.Posts.ChangePost(t.Context(), r.p.ID, post.Change{Text: &text}, november)
	case "move":
		_, err = s.Posts.ChangePost(t.Context(), r.p.ID, post.Change{ScheduledAt: &december}, november)
	}
	return err
}

// An order that comes while its post is armed is carried out or refused, never half: what goes out
// is what the row says, and a post that was given up goes out never.
// Proves: F13 seeded
func TestAnOrderAndTheSendingOfItsPostAreOneAfterTheOther(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		const posts = 40
		connection, drawn := storetest.Connection(t, s), testseed.New(t)
		races := make([]*race, posts)
		for i := range races {
			races[i] = &race{p: create(t, s, nil, november), order: [...]string{"cancel", "edit", "move"}[drawn.IntN(3)]}
		}
		runAll(t, s, connection, drawn, races)

		armed := 0
		for _, r := range races {
			now, err := s.Posts.Post(t.Context(), r.p.ID)
			require.NoError(t, err)
			r.holds(t, now)
			if now.Status == post.StatusArmed {
				armed++
			}
		}
		held := usage(t, s, "2026-11")
		require.Equal(t, armed, held.Reserved, "a slot for each that goes out, and for no other")
		require.Zero(t, usage(t, s, "2026-12").Reserved, "a post takes its slot where it goes out")
	})
}

// runAll lets a few races run at the same time, as requests and senders do.
func runAll(t *testing.T, s *store.DB, connection string, drawn *rand.Rand, races []*race) {
	t.Helper()
	const together = 8
	for len(races) > 0 {
		several := races[:min(together, len(races))]
		races = races[len(several):]
		failed := make([]error, len(several))
		var all sync.WaitGroup
		for i, r := range several {
			late := drawn.IntN(2) == 1
			all.Go(func() { failed[i] = r.run(t, s, connection, late) })
		}
		all.Wait()
		for _, err := range failed {
			require.NoError(t, err)
		}
	}
}

// holds says that one of the two was first, and that the other one saw it.
func (r *race) holds(t *testing.T, now post.Post) {
	t.Helper()
	if r.order == "cancel" && r.err == nil {
		require.Equal(t, post.StatusCancelled, now.Status)
		require.NotEqual(t, post.StatusArmed, r.armed.Status, "the sender was told to send what was given up")
		require.Nil(t, now.ArmedAt)
		return
	}
	require.Equal(t, post.StatusArmed, now.Status, r.order)
	require.Equal(t, 1, now.Attempt)
	require.Equal(t, now.Text, r.armed.Text, "what is sent is what the row says")
	if r.err != nil {
		require.Equal(t, problem.PostArmed, problem.CodeOf(r.err), "%s: %v", r.order, r.err)
		require.Equal(t, []any{r.p.Text, r.p.Version}, []any{now.Text, now.Version}, "a refused order changes nothing")
		return
	}
	require.Equal(t, r.p.Version+1, now.Version)
	require.Equal(t, r.order == "edit", now.Text != r.p.Text)
}

// 900 posts are asked for at once, while those that were granted are given up again: at no moment
// are there more than 500, and in the end the month holds what people hold.
// Proves: F28
func TestSlotsTakenAndGivenBackAtOnceNeverExceedTheMonth(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		const asked = 900
		var mu sync.Mutex
		var kept, cancelled int
		crowded, watched := watchMonth(t, s)
		granted := atOnce(t, asked, func(i int) error {
			p, err := s.Posts.CreatePost(t.Context(), draft(nil, november), november)
			if err != nil {
				return err
			}
			if i%3 == 0 {
				_, err = s.Posts.CancelPost(t.Context(), p.ID, november)
			}
			mu.Lock()
			defer mu.Unlock()
			if i%3 == 0 && err == nil {
				cancelled++
			} else {
				kept++
			}
			return err
		}, problem.QuotaExhausted, problem.ShareExhausted)
		close(watched)
		require.LessOrEqual(t, <-crowded, post.MonthlyPosts)
		require.Equal(t, granted, kept+cancelled)
		require.Less(t, granted, asked, "the month was full now and then")
		require.Positive(t, cancelled)
		require.Equal(t, kept, usage(t, s, "2026-11").Reserved, "held = counted")

		for range post.MonthlyPosts - kept {
			create(t, s, nil, november)
		}
		_, err := s.Posts.CreatePost(t.Context(), draft(nil, november), november)
		require.Equal(t, problem.QuotaExhausted, problem.CodeOf(err), "what came back was there to be taken, and no more")
		require.Equal(t, post.MonthlyPosts, usage(t, s, "2026-11").Reserved)
	})
}

// watchMonth looks at the month until the second channel is closed, and tells the most that were held.
func watchMonth(t *testing.T, s *store.DB) (most chan int, over chan struct{}) {
	t.Helper()
	most, over = make(chan int, 1), make(chan struct{})
	go func() {
		pause := time.NewTicker(5 * time.Millisecond)
		defer pause.Stop()
		seen := 0
		for {
			month, err := s.Posts.MonthUsage(t.Context(), "2026-11")
			if err != nil {
				t.Error(err)
			}
			seen = max(seen, month.Reserved+month.Spent)
			select {
			case <-over:
				most <- seen
				return
			case <-pause.C:
			}
		}
	}()
	return most, over
}
