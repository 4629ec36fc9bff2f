package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/proof/crash/network"
)

// behindProxy opens a Postgres store through a proxy.
func behindProxy(t *testing.T) (*store.DB, *network.Proxy) {
	t.Helper()
	address := must(url.Parse(storetest.Address(t, "postgres")))(t)
	way := must(network.Open(address.Host))(t)
	t.Cleanup(way.Close)
	address.Host = way.Address()
	return storetest.Open(t, address.String()), way
}

const mostAtOnce = 40 // more than the pool size

// TestSilentDatabase checks that calls to a database that does not answer end at their deadline and
// release everything.
// Proves: F4
func TestSilentDatabase(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	ada := *newMember(t, s, "ada")
	for range 2 { // the second round uses new connections
		require.NoError(t, way.Silence())
		const patience = time.Second
		for _, err := range manyAsk(t, s, ada, patience) { // all end while the database does not answer
			require.ErrorIs(t, err, context.DeadlineExceeded, "the caller's time is over, and nothing else")
		}
		require.NoError(t, way.Restore())
		way.Cut()
		for _, err := range manyAsk(t, s, ada, patience/4) {
			late := errors.Is(err, context.DeadlineExceeded) // waiting for a connection or for the server
			require.True(t, late || errors.Is(err, problem.ErrAway), "unexpected error: %v", err)
		}
		require.NoError(t, way.Restore())
		must(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: ada}, 1, november))(t, "it recovers by itself")
		require.Eventually(t, func() bool { return s.Busy(t) == 0 }, testwait.Limit, 10*time.Millisecond, "connections leaked")
		require.Equal(t, experiment.VoteCounts{Up: 1}, rowsOf(t, s, "001"))
	}
}

// manyAsk reads and writes concurrently with more calls than connections.
func manyAsk(t *testing.T, s *store.DB, memberID string, patience time.Duration) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	errs := make([]error, mostAtOnce)
	atOnce(t, mostAtOnce, func(i int) error {
		if i%2 == 0 {
			errs[i] = errOf(s.Members.Members(ctx, "2026-11"))
		} else {
			errs[i] = errOf(s.Experiments.CastVote(ctx, "001", experiment.Voter{MemberID: memberID}, 1, november))
		}
		return nil
	})
	return errs
}

// Proves: F4
func TestSlowDatabase(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	ada := *newMember(t, s, "ada")
	require.NoError(t, way.Slow(20*time.Millisecond))
	require.NoError(t, errors.Join(manyAsk(t, s, ada, testwait.Limit)...))
	require.NoError(t, way.Restore())
	require.Equal(t, experiment.VoteCounts{Up: 1}, rowsOf(t, s, "001"))
	require.Zero(t, s.Busy(t))
}

// TestResetConnections resets connections in the middle of changes: every acknowledged change is stored
// as acknowledged, and no call waits for a dead connection.
// Proves: F4
func TestResetConnections(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	ada := *newMember(t, s, "ada")
	e := activeExperiment(t, s, "Emoji reactions")
	chance := testseed.New(t)
	done, unclear := 0, 0
	for n := range 40 {
		var resetting sync.WaitGroup
		if n%5 == 0 {
			soon := time.After(time.Duration(chance.IntN(6000)) * time.Microsecond)
			resetting.Go(func() { <-soon; assert.NoError(t, way.Reset()) })
		}
		value := 1 - 2*(n%2)
		told, err := s.Experiments.CastVote(t.Context(), e.ID, experiment.Voter{MemberID: ada}, value, november)
		resetting.Wait()
		if err != nil {
			unclear++ // lost during the commit
			continue
		}
		done++
		require.Equal(t, experiment.VoteCounts{Up: (1 + value) / 2, Down: (1 - value) / 2}, told)
		votes := must(s.Experiments.VotesOf(t.Context(), experiment.Voter{MemberID: ada}))(t, "a read is retried on another connection")
		require.Equal(t, value, votes[e.ID])
	}
	require.Greater(t, done, 6*unclear, "most were retried")
	require.Zero(t, s.Busy(t))
}

// TestUnsentCommitIsRetried loses the connection before COMMIT is sent, so nothing happened.
// Proves: F4
func TestUnsentCommitIsRetried(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	for range 10 {
		tries := 0
		must(s.HideAnd(t.Context(), "a secret", func() {
			if tries++; tries == 1 {
				require.NoError(t, way.Reset())
			}
		}))(t)
		require.Equal(t, 2, tries)
	}
	require.Equal(t, 10, s.Count(t, "secrets"))
}

// TestServerRestart ends all sessions with the error that Postgres sends at a restart.
// Proves: F3
func TestServerRestart(t *testing.T) {
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
		// Restarts are spaced by completed changes, because on a busy machine a timer could interrupt all
		// attempts of one change.
		for seen := int32(-1); lives.Err() == nil; <-often.C {
			if now := taken.Load(); now >= seen+2*writers {
				seen = now
				ended.Add(end())
			}
		}
	})
	for w := range writers {
		writing.Go(func() {
			for i := 0; i < each || ended.Load() == 0; i++ { // a fast machine may finish before the first restart
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

// sessionsOf returns a function that ends all other sessions of a database, and returns how many.
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

// TestUncertainCommitIsNotRetried loses the connection between COMMIT and its answer: a retry might
// repeat the change or conflict with itself.
func TestUncertainCommitIsNotRetried(t *testing.T) {
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

// TestNestedReadDoesNotDeadlock fails with GORM's cache of prepared statements: with all connections in
// use, callers wait for the one that prepares a statement first.
// Proves: F4
func TestNestedReadDoesNotDeadlock(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) { s.AskInside(t, "SELECT count(*) FROM members") })
}

// TestMigrationWhileServing adds columns while older programs run.
// Proves: F26
func TestMigrationWhileServing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Members.AddMember(t.Context(), newcomer("ada"), nil))
		tables := []string{"members", "posting_times", "rate_windows", "posts", "recurring_posts", "checkouts"}
		limit := account.Limit{Name: "reading", Most: 1000, Per: time.Hour, Doing: "tests"}
		work := func(int) error {
			if err := s.ReadAll(t.Context(), tables...); err != nil { // several tables in one transaction
				return err
			}
			if err := s.Limits.Consume(t.Context(), limit, "ada", november); err != nil {
				return err
			}
			return errOf(s.Members.Members(t.Context(), "2026-11"))
		}
		const readers = 40 // more than the pool size
		require.Equal(t, readers, atOnce(t, readers, work))
		for _, table := range tables {
			require.NoError(t, s.Exec("ALTER TABLE "+table+" ADD COLUMN of_the_next_version text"))
		}
		require.Equal(t, readers, atOnce(t, readers, work))
	})
}
