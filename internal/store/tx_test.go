package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store/storetest"
)

// Postgres ends all sessions when it is told to restart, with the words that are used here.
// Proves: F3
func TestNobodyNoticesThatTheServerEndsItsSessions(t *testing.T) {
	t.Parallel()
	address := storetest.Address(t, "postgres")
	s := storetest.Open(t, address)
	end := sessionsOf(t, address)

	const writers, each = 8, 150
	var taken, ended atomic.Int32
	lives, done := context.WithCancel(t.Context())
	var ending, writing sync.WaitGroup
	ending.Go(func() {
		often := time.NewTicker(200 * time.Millisecond)
		defer often.Stop()
		// A server is not restarted again and again while one change is tried: on a busy machine that
		// would be so, if only the clock said when.
		for seen := int32(-1); lives.Err() == nil; <-often.C {
			if now := taken.Load(); now >= seen+2*writers {
				seen = now
				ended.Add(end())
			}
		}
	})
	for w := range writers {
		writing.Go(func() {
			for i := 0; i < each || ended.Load() == 0; i++ { // a fast machine is done before the first end
				limit := account.Limit{Name: fmt.Sprintf("w%d-%d", w, i), Most: 1, Per: time.Hour, Doing: "tests"}
				if err := s.Limits.Consume(t.Context(), limit, "ada", november); err != nil {
					t.Errorf("a change was refused: %v", err)
					return
				}
				if _, err := s.Members.Members(t.Context(), "2026-11"); err != nil {
					t.Errorf("a read was refused: %v", err)
					return
				}
				taken.Add(1)
			}
		})
	}
	writing.Wait()
	done()
	ending.Wait()
	require.Positive(t, ended.Load(), "no session was ended, so nothing was tried")
	require.Equal(t, int(taken.Load()), s.Number(t, "SELECT sum(used) FROM rate_windows"), "a change was lost, or done twice")
}

// sessionsOf gives what ends all sessions of a database but its own, and says how many they were.
func sessionsOf(t *testing.T, address string) func() int32 {
	t.Helper()
	admin, err := sql.Open("pgx", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = admin.Close() })
	return func() int32 {
		var n int32
		if err := admin.QueryRow(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`).Scan(&n); err != nil {
			t.Errorf("the sessions could not be ended: %v", err)
		}
		return n
	}
}

// A connection that ends between a COMMIT and its answer leaves open what came of it. Who then did the
// change anew would do it twice, or be refused by their own first try.
func TestAChangeIsNotDoneAgainWhenItMayBeDone(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	luck, done := testseed.New(t), make(chan struct{})
	var cutting sync.WaitGroup
	defer cutting.Wait()
	defer close(done)
	cutting.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(luck.IntN(25)) * time.Millisecond):
				assert.NoError(t, way.Reset())
			}
		}
	})
	const enough = 20
	for n, open := 0, 0; open < enough; n++ {
		p := post.Post{ID: fmt.Sprintf("p%d", n), Text: fmt.Sprintf("number %d", n), Status: post.StatusDraft, ScheduledAt: november}
		if _, err := s.Posts.CreatePost(t.Context(), p, november); err != nil {
			require.ErrorIs(t, err, problem.ErrAway)
			open++
		}
	}
}

// atOnce does things at once and counts how many were done. The others must have been
// refused with one of the codes.
func atOnce(t *testing.T, n int, do func(i int) error, refusals ...problem.Code) (done int) {
	t.Helper()
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = do(i) })
	}
	all.Wait()
	for _, err := range errs {
		switch {
		case err == nil:
			done++
		case !slices.Contains(refusals, problem.CodeOf(err)):
			t.Error(err)
		}
	}
	return done
}
