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

// behindProxy opens a Postgres store by a way that can go bad.
func behindProxy(t *testing.T) (*store.DB, *network.Proxy) {
	t.Helper()
	address := must(url.Parse(storetest.Address(t, "postgres")))(t)
	way := must(network.Open(address.Host))(t)
	t.Cleanup(way.Close)
	address.Host = way.Address()
	return storetest.Open(t, address.String()), way
}

const mostAtOnce = 40 // more than there are connections

// Reads and changes whose database says nothing end with their callers, and leave nothing behind.
// Proves: F4
func TestSilentDatabase(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	ada := *newMember(t, s, "ada")
	for range 2 { // the second time there are connections that were made after the first
		require.NoError(t, way.Silence())
		const patience = time.Second
		for _, err := range manyAsk(t, s, ada, patience) { // all of them end while the database is still silent
			require.ErrorIs(t, err, context.DeadlineExceeded, "the caller's time is over, and nothing else")
		}
		require.NoError(t, way.Restore())
		way.Cut()
		for _, err := range manyAsk(t, s, ada, patience/4) {
			late := errors.Is(err, context.DeadlineExceeded) // it waited for a connection, or for the server
			require.True(t, late || errors.Is(err, problem.ErrAway), "people are told that it is away, and not %v", err)
		}
		require.NoError(t, way.Restore())
		must(s.Experiments.CastVote(t.Context(), "001", ada, 1, november))(t, "it goes on by itself")
		require.Eventually(t, func() bool { return s.Busy(t) == 0 }, testwait.Limit, 10*time.Millisecond, "connections are lost for good")
		require.Equal(t, experiment.VoteCounts{Up: 1}, rowsOf(t, s, "001"))
	}
}

// manyAsk asks and changes something at once, more often than there are connections.
func manyAsk(t *testing.T, s *store.DB, memberID string, patience time.Duration) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	errs := make([]error, mostAtOnce)
	atOnce(t, mostAtOnce, func(i int) error {
		if i%2 == 0 {
			errs[i] = errOf(s.Members.Members(ctx, "2026-11"))
		} else {
			errs[i] = errOf(s.Experiments.CastVote(ctx, "001", memberID, 1, november))
		}
		return nil
	})
	return errs
}

// A slow database is slow, and nothing else.
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

// Connections are reset in the middle of changes. One that was told of is there, as it was told;
// nobody waits for a connection that is gone.
// Proves: F4
func TestResetConnections(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	ada := *newMember(t, s, "ada")
	e := begun(t, s, "Emoji reactions")
	chance := testseed.New(t)
	done, unclear := 0, 0
	for n := range 40 {
		var resetting sync.WaitGroup
		if n%5 == 0 {
			soon := time.After(time.Duration(chance.IntN(6000)) * time.Microsecond)
			resetting.Go(func() { <-soon; assert.NoError(t, way.Reset()) })
		}
		value := 1 - 2*(n%2)
		told, err := s.Experiments.CastVote(t.Context(), e.ID, ada, value, november)
		resetting.Wait()
		if err != nil {
			unclear++ // it was being committed: nobody knows
			continue
		}
		done++
		require.Equal(t, experiment.VoteCounts{Up: (1 + value) / 2, Down: (1 - value) / 2}, told)
		votes := must(s.Experiments.VotesOf(t.Context(), ada))(t, "a read is asked of another connection")
		require.Equal(t, value, votes[e.ID])
	}
	require.Greater(t, done, 6*unclear, "most were begun anew")
	require.Zero(t, s.Busy(t))
}

// The connection is gone before COMMIT could be sent: nothing was done, so all is done anew.
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

// Postgres ends all sessions when it is told to restart, with the words that are used here.
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

// GORM's own cache of prepared statements has everybody wait for who prepares one first: with all
// connections in use, a replica that had just been started stood still until its visitors gave up.
// Proves: F4
func TestNestedReadDoesNotDeadlock(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) { s.AskInside(t, "SELECT count(*) FROM members") })
}

// The schema of the next version comes before its programs: those of the last one go on.
// Proves: F26
func TestMigrationWhileServing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Members.AddMember(t.Context(), newcomer("ada"), nil))
		tables := []string{"members", "posting_times", "rate_windows", "posts", "recurring_posts", "checkouts"}
		limit := account.Limit{Name: "reading", Most: 1000, Per: time.Hour, Doing: "tests"}
		work := func(int) error {
			if err := s.ReadAll(t.Context(), tables...); err != nil { // many of them in one transaction
				return err
			}
			if err := s.Limits.Consume(t.Context(), limit, "ada", november); err != nil {
				return err
			}
			return errOf(s.Members.Members(t.Context(), "2026-11"))
		}
		const readers = 40 // more than there are connections
		require.Equal(t, readers, atOnce(t, readers, work))
		for _, table := range tables {
			require.NoError(t, s.Exec("ALTER TABLE "+table+" ADD COLUMN of_the_next_version text"))
		}
		require.Equal(t, readers, atOnce(t, readers, work))
	})
}
