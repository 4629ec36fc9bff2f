package store_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func arm(t *testing.T, s *store.DB, memberID *string) post.Post {
	t.Helper()
	p := create(t, s, memberID, november)
	p = must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november))(t)
	require.Equal(t, post.StatusArmed, p.Status)
	return p
}

func conclude(t *testing.T, s *store.DB, p post.Post, v post.Verdict) post.Post {
	t.Helper()
	v.Attempt = p.Attempt
	return must(s.Posts.ConcludePost(t.Context(), p.ID, v, november.Add(time.Minute)))(t)
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	later := november.Add(time.Hour)
	for name, tt := range map[string]struct {
		verdict                  post.Verdict
		status                   post.Status
		spent, reserved, credits int
	}{
		"published: the slot is spent":          {post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", URL: "https://x.com/bot/status/7", At: november}, post.StatusPublished, 1, 0, 89},
		"refused: slot and credit are released": {post.Verdict{Outcome: post.OutcomeRefused, Code: "x_refused"}, post.StatusFailed, 0, 0, 90},
		"waiting: slot and credit are kept":     {post.Verdict{Outcome: post.OutcomeWaiting, Until: later}, post.StatusScheduled, 0, 1, 89},
		"waited too long":                       {post.Verdict{Outcome: post.OutcomeWaiting, Final: true}, post.StatusFailed, 0, 0, 90},
		"unclear: stays armed":                  {post.Verdict{Outcome: post.OutcomeUnclear}, post.StatusArmed, 0, 1, 89},
		"absent: scheduled again":               {post.Verdict{Outcome: post.OutcomeAbsent, Until: later}, post.StatusScheduled, 0, 1, 89},
		"absent too often":                      {post.Verdict{Outcome: post.OutcomeAbsent, Final: true}, post.StatusFailed, 0, 0, 90},
	} {
		each(t, name, func(t *testing.T, s *store.DB) {
			ada := newMember(t, s, "ada")
			p := arm(t, s, ada)
			for range 2 { // a repeated verdict changes nothing
				p = conclude(t, s, p, tt.verdict)
				require.Equal(t, []any{tt.status, tt.credits}, []any{p.Status, balance(t, s, ada)})
				require.Equal(t, post.MonthUsage{Spent: tt.spent, Reserved: tt.reserved, Members: 1}, usage(t, s, "2026-11"))
			}
		})
	}
}

// Proves: F10, F11
func TestSending(t *testing.T) {
	t.Parallel()
	each(t, "a delayed worker arms nothing", func(t *testing.T, s *store.DB) {
		p := arm(t, s, nil)
		p = conclude(t, s, p, post.Verdict{Outcome: post.OutcomeWaiting, Until: november})
		late := must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november.Add(time.Hour)))(t)
		require.Equal(t, []any{post.StatusScheduled, 1}, []any{late.Status, late.Attempt})
		must(s.Posts.ConcludePost(t.Context(), p.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused}, november))(t)
		require.Equal(t, post.StatusScheduled, must(s.Posts.Post(t.Context(), p.ID))(t).Status, "its late verdict counts for nothing")
	})
	each(t, "a retry takes a new slot and credit", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := conclude(t, s, arm(t, s, ada), post.Verdict{Outcome: post.OutcomeRefused})
		require.Equal(t, 90, balance(t, s, ada))
		p = must(s.Posts.ReopenPost(t.Context(), p.ID, november))(t)
		require.Equal(t, []any{post.StatusScheduled, 89, 1}, []any{p.Status, balance(t, s, ada), usage(t, s, "2026-11").Reserved})
		p = must(s.Posts.ArmPost(t.Context(), p.ID, 2, storetest.Connection(t, s), november))(t)
		conclude(t, s, p, post.Verdict{Outcome: post.OutcomeRefused})
		require.Equal(t, 90, balance(t, s, ada), "given back once for each time it was taken")
	})
	each(t, "an unknown post keeps its slot until a founder decides", func(t *testing.T, s *store.DB) {
		p := must(s.Posts.DoubtPost(t.Context(), arm(t, s, nil).ID, 1, "x_unreadable", "The outcome is unknown."))(t)
		require.Equal(t, []any{post.StatusUnknown, 1}, []any{p.Status, usage(t, s, "2026-11").Reserved})
		p = must(s.Posts.FindPost(t.Context(), p.ID, post.Verdict{TweetID: "9", At: november}, november))(t)
		require.Equal(t, []any{post.StatusPublished, 1}, []any{p.Status, usage(t, s, "2026-11").Spent})
	})
	each(t, "a failed post that is found holds a slot again", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		p := conclude(t, s, arm(t, s, ada), post.Verdict{Outcome: post.OutcomeAbsent, Final: true})
		require.Zero(t, usage(t, s, "2026-11").Reserved)
		p = must(s.Posts.FindPost(t.Context(), p.ID, post.Verdict{TweetID: "9", At: november}, november))(t)
		require.Equal(t, []any{post.StatusPublished, 1, 89}, []any{p.Status, usage(t, s, "2026-11").Spent, balance(t, s, ada)})
	})
	each(t, "one tweet belongs to one post", func(t *testing.T, s *store.DB) {
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		other := arm(t, s, nil)
		require.Error(t, errOf(s.Posts.ConcludePost(t.Context(), other.ID,
			post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "7", At: november}, november)))
		require.Equal(t, map[string]bool{"7": true}, must(s.Posts.ClaimedTweets(t.Context(), []string{"7", "8"}))(t))
	})
	each(t, "a closed post frees its text", func(t *testing.T, s *store.DB) {
		p := conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomeRefused})
		must(s.Posts.ClosePost(t.Context(), p.ID))(t)
		must(s.Posts.CreatePost(t.Context(), saying(p.Text), november))(t)
		require.Error(t, errOf(s.Posts.ReopenPost(t.Context(), p.ID, november)), "its text belongs to another post now")
	})
	each(t, "posts without a run are listed", func(t *testing.T, s *store.DB) {
		p, q := create(t, s, nil, november), create(t, s, nil, november)
		must(s.Posts.BeginPost(t.Context(), p.ID, "run-1"))(t)
		require.Equal(t, []string{q.ID}, idsOf(must(s.Posts.Waiting(t.Context(), false))(t)))
		require.Len(t, must(s.Posts.Waiting(t.Context(), true))(t), 2)
	})
	each(t, "posts that wait for a decision need a run", func(t *testing.T, s *store.DB) {
		failed := conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomeRefused})
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		require.Empty(t, must(s.Posts.Waiting(t.Context(), false))(t))
		require.Equal(t, []string{failed.ID}, idsOf(must(s.Posts.Waiting(t.Context(), true))(t)))
		must(s.Posts.ClosePost(t.Context(), failed.ID))(t)
		require.Empty(t, must(s.Posts.Waiting(t.Context(), true))(t))
	})
	each(t, "published and failed posts are counted", func(t *testing.T, s *store.DB) {
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		conclude(t, s, arm(t, s, nil), post.Verdict{Outcome: post.OutcomeRefused, Code: "x_no_credits"})
		published, failed := must2(s.Posts.SuccessSince(t.Context(), november.Add(-time.Hour)))(t)
		require.Equal(t, []int{1, 1}, []int{published, failed})
		require.Equal(t, map[post.Status]int{post.StatusPublished: 1, post.StatusFailed: 1}, must(s.Posts.CountByStatus(t.Context(), nil))(t))
		require.NotNil(t, must(s.Posts.LastAttempt(t.Context()))(t))
	})
	each(t, "each failed try is notified", func(t *testing.T, s *store.DB) {
		p := create(t, s, concerned(t, s), november)
		for try := 1; try <= 2; try++ {
			must(s.Posts.ArmPost(t.Context(), p.ID, try, storetest.Connection(t, s), november))(t)
			must(s.Posts.ConcludePost(t.Context(), p.ID, post.Verdict{Attempt: try, Outcome: post.OutcomeRefused, Reason: "no"}, november))(t)
			require.Len(t, notified(t, s), try)
			must(s.Posts.ReopenPost(t.Context(), p.ID, november.Add(time.Duration(try)*time.Minute)))(t)
		}
	})
}

// concerned adds a founder and two members who receive emails.
func concerned(t *testing.T, s *store.DB) (ada *string) {
	t.Helper()
	emailAccount(t, s, "eve", "eve@example.com")
	founder := xAccount(t, s, "1", "grace")
	proveAddress(t, s, founder, "grace@example.com")
	require.NoError(t, redeemAddress(t, s, founder, right))
	return emailAccount(t, s, "ada", "ada@example.com").MemberID
}

// notified lists the addresses of pending trouble emails.
func notified(t *testing.T, s *store.DB) (addresses []string) {
	t.Helper()
	for address, facts := range emails(t, s, email.PostTrouble) {
		for _, of := range facts {
			require.NotEmpty(t, of["Reason"])
			addresses = append(addresses, address)
		}
	}
	return addresses
}

func TestTroubleNotices(t *testing.T) {
	t.Parallel()
	refused := post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_refused", Reason: "X refused this."}
	for name, tt := range map[string]struct {
		sponsored, unknown bool
		quiet              bool // ada is unsubscribed
		told               []string
	}{
		"a member's post failed: the member":                 {sponsored: true, told: []string{"ada@example.com"}},
		"a member's post is unknown: the founders decide":    {sponsored: true, unknown: true, told: []string{"ada@example.com", "grace@example.com"}},
		"a founders' post failed: the founders":              {told: []string{"grace@example.com"}},
		"an unsubscribed member gets none":                   {sponsored: true, quiet: true},
		"the founders are notified though the member is not": {sponsored: true, quiet: true, unknown: true, told: []string{"grace@example.com"}},
	} {
		each(t, name, func(t *testing.T, s *store.DB) {
			sponsor := concerned(t, s)
			if tt.quiet {
				require.NoError(t, s.Accounts.SetNotices(t.Context(), must(s.Accounts.AccountByEmail(t.Context(), "ada@example.com"))(t).ID, false))
			}
			if !tt.sponsored {
				sponsor = nil
			}
			p := arm(t, s, sponsor)
			for range 2 { // a repeated step notifies once
				if tt.unknown {
					must(s.Posts.DoubtPost(t.Context(), p.ID, 1, "x_unreadable", "The outcome is unknown."))(t)
				} else {
					must(s.Posts.ConcludePost(t.Context(), p.ID, refused, november))(t)
				}
			}
			require.ElementsMatch(t, tt.told, notified(t, s))
		})
	}
}

// race gives a command to a post while it is armed.
type race struct {
	p     post.Post
	order string
	armed post.Post // the result of arming
	err   error     // the result of the command
}

// run gives the command and arms the post concurrently, in random order.
func (r *race) run(t *testing.T, s *store.DB, connection string, late bool) error {
	t.Helper()
	var failed error
	both := []func(){
		func() { r.armed, failed = s.Posts.ArmPost(t.Context(), r.p.ID, 1, connection, november) },
		func() { r.err = r.give(t, s) },
	}
	if late { // the goroutine started second often runs first
		slices.Reverse(both)
	}
	atOnce(t, 2, func(i int) error { both[i](); return nil })
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

// TestConcurrentCommandAndArming checks that a command is carried out completely or refused: the sent
// text is the row's, and a cancelled post is never sent.
// Proves: F13 seeded
func TestConcurrentCommandAndArming(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		const rounds, together = 5, 8 // concurrent races
		connection, drawn := storetest.Connection(t, s), testseed.New(t)
		armed := 0
		for range rounds {
			races, late := make([]*race, together), make([]bool, together)
			for i := range races {
				races[i] = &race{p: create(t, s, nil, november), order: [...]string{"cancel", "edit", "move"}[drawn.IntN(3)]}
				late[i] = drawn.IntN(2) == 1
			}
			require.Equal(t, together, atOnce(t, together, func(i int) error { return races[i].run(t, s, connection, late[i]) }))
			for _, r := range races {
				now := must(s.Posts.Post(t.Context(), r.p.ID))(t)
				r.holds(t, now)
				if now.Status == post.StatusArmed {
					armed++
				}
			}
		}
		require.Equal(t, armed, usage(t, s, "2026-11").Reserved, "one slot for each sent post")
		require.Zero(t, usage(t, s, "2026-12").Reserved, "a post takes its slot in the month in which it is sent")
	})
}

// holds checks that one came first and that the other saw it.
func (r *race) holds(t *testing.T, now post.Post) {
	t.Helper()
	if r.order == "cancel" && r.err == nil {
		require.Equal(t, post.StatusCancelled, now.Status)
		require.NotEqual(t, post.StatusArmed, r.armed.Status, "a cancelled post was armed")
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

// TestConcurrentSlotsNeverExceedTheMonth requests 900 posts while granted ones are cancelled: at most
// 500 slots are held at any time, and in the end the counts match.
// Proves: F28
func TestConcurrentSlotsNeverExceedTheMonth(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		const asked = 900
		var cancelled atomic.Int64
		crowded, watched := watchMonth(t, s)
		granted := atOnce(t, asked, func(i int) error {
			p, err := s.Posts.CreatePost(t.Context(), draft(nil, november), november)
			if err == nil && i%3 == 0 {
				if _, err = s.Posts.CancelPost(t.Context(), p.ID, november); err == nil {
					cancelled.Add(1)
				}
			}
			return err
		}, problem.QuotaExhausted, problem.ShareExhausted)
		close(watched)
		require.LessOrEqual(t, <-crowded, post.MonthlyPosts)
		require.Less(t, granted, asked, "the month was full now and then")
		require.Positive(t, cancelled.Load())
		kept := granted - int(cancelled.Load())
		require.Equal(t, kept, usage(t, s, "2026-11").Reserved, "held = counted")
		for range post.MonthlyPosts - kept {
			create(t, s, nil, november)
		}
		// Exactly the released slots were available again.
		requireCode(t, problem.QuotaExhausted, errOf(s.Posts.CreatePost(t.Context(), draft(nil, november), november)))
		require.Equal(t, post.MonthlyPosts, usage(t, s, "2026-11").Reserved)
	})
}

// watchMonth polls the month until over is closed, and reports the most slots held.
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
