package store_test

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
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
	address, err := url.Parse(storetest.Address(t, "postgres"))
	require.NoError(t, err)
	way, err := network.Open(address.Host)
	require.NoError(t, err)
	t.Cleanup(way.Close)
	address.Host = way.Address()
	return storetest.Open(t, address.String()), way
}

const mostAtOnce = 40 // more than there are connections

// Reads and changes whose database says nothing end with their callers, and leave nothing behind.
// Proves: F4
func TestASilentDatabaseHoldsNobodyLongerThanTheyWait(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	ada := *newMember(t, s, "ada")
	for range 2 { // the second time there are connections that were made after the first
		require.NoError(t, way.Silence())
		const patience = time.Second
		for _, err := range manyAsk(t, s, ada, patience) { // all of them end while the database is still silent
			require.ErrorIs(t, err, context.DeadlineExceeded, "the caller's time is over, and nothing else")
		}
		require.NoError(t, way.Mend())
		way.Cut()
		for _, err := range manyAsk(t, s, ada, patience/4) {
			late := errors.Is(err, context.DeadlineExceeded) // it waited for a connection, or for the server
			require.True(t, late || errors.Is(err, problem.ErrAway), "people are told that it is away, and not %v", err)
		}
		require.NoError(t, way.Mend())
		_, err := s.Experiments.CastVote(t.Context(), "001", ada, 1, november)
		require.NoError(t, err, "it goes on by itself")
		require.Eventually(t, func() bool { return s.Busy(t) == 0 }, testwait.Limit, 10*time.Millisecond, "connections are lost for good")
		require.Equal(t, experiment.Tally{Up: 1}, rowsOf(t, s, "001"))
	}
}

// manyAsk asks and changes something at once, more often than there are connections.
func manyAsk(t *testing.T, s *store.DB, memberID string, patience time.Duration) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	errs := make([]error, mostAtOnce)
	var asking sync.WaitGroup
	for i := range errs {
		asking.Go(func() {
			if i%2 == 0 {
				_, errs[i] = s.Members.Members(ctx, "2026-11")
				return
			}
			_, errs[i] = s.Experiments.CastVote(ctx, "001", memberID, 1, november)
		})
	}
	asking.Wait()
	return errs
}

// A slow database is slow, and nothing else.
// Proves: F4
func TestASlowDatabaseDoesAllItIsAskedTo(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	ada := *newMember(t, s, "ada")
	require.NoError(t, way.Slow(20*time.Millisecond))
	require.NoError(t, errors.Join(manyAsk(t, s, ada, testwait.Limit)...))
	require.NoError(t, way.Mend())
	require.Equal(t, experiment.Tally{Up: 1}, rowsOf(t, s, "001"))
	require.Zero(t, s.Busy(t))
}

// Connections are reset in the middle of changes. One that was told of is there, as it was told;
// nobody waits for a connection that is gone.
// Proves: F4
func TestAResetConnectionLosesNoChangeThatWasToldOf(t *testing.T) {
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
		require.Equal(t, experiment.Tally{Up: (1 + value) / 2, Down: (1 - value) / 2}, told)
		votes, err := s.Experiments.VotesOf(t.Context(), ada)
		require.NoError(t, err, "a read is asked of another connection")
		require.Equal(t, value, votes[e.ID])
	}
	require.Greater(t, done, 6*unclear, "most were begun anew")
	require.Zero(t, s.Busy(t))
}

// The connection is gone before COMMIT could be sent: nothing was done, so all is done anew.
// Proves: F4
func TestAChangeThatCouldNotBeCommittedIsBegunAnew(t *testing.T) {
	t.Parallel()
	s, way := behindProxy(t)
	for range 10 {
		tries := 0
		_, err := s.HideAnd(t.Context(), "a secret", func() {
			if tries++; tries == 1 {
				require.NoError(t, way.Reset())
			}
		})
		require.NoError(t, err)
		require.Equal(t, 2, tries)
	}
	require.Equal(t, 10, s.Count(t, "secrets"))
}
