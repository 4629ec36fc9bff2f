package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

// A post that may have gone out after the backup is looked for before it is sent.
func TestRestoredPostsAreCareful(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.DB, kind string) {
		connection := storetest.Connection(t, from)
		due := create(t, from, nil, time.Now().Add(-time.Minute))
		waiting := create(t, from, nil, time.Now().Add(-time.Minute))
		_, err := from.Posts.DelayPost(t.Context(), waiting.ID, "x", "X asked us to wait.", time.Now().Add(time.Hour))
		require.NoError(t, err)
		later := create(t, from, nil, time.Now().Add(time.Hour))
		sent := armRestored(t, from, connection)
		_, err = from.Posts.ConcludePost(t.Context(), sent.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "1", At: time.Now()}, time.Now())
		require.NoError(t, err)
		armed := armRestored(t, from, connection)
		failed := create(t, from, nil, november)
		require.NoError(t, from.Exec("UPDATE posts SET status = 'failed', code = 'x' WHERE id = ?", failed.ID))

		l := takeDump(t, from).load()
		l.TakenAt = time.Now().Add(-time.Second).UTC().Truncate(time.Microsecond)
		to := storetest.New(t, kind)
		require.NoError(t, to.Load(t.Context(), l))

		for name, tt := range map[string]struct {
			id      string
			status  post.Status
			attempt int
			looks   bool // since the backup
		}{
			"its time has come":     {due.ID, post.StatusArmed, 1, true},
			"it waited for X":       {waiting.ID, post.StatusScheduled, 1, true},
			"still to come":         {later.ID, post.StatusScheduled, 1, true},
			"failed":                {failed.ID, post.StatusFailed, 0, true},
			"published: left alone": {sent.ID, post.StatusPublished, 1, false},
			"armed: left alone":     {armed.ID, post.StatusArmed, 1, false},
		} {
			p, err := to.Posts.Post(t.Context(), tt.id)
			require.NoError(t, err, name)
			require.Equal(t, tt.status, p.Status, name)
			require.Equal(t, tt.attempt, p.Attempt, name)
			require.Equal(t, tt.looks, p.FirstArmedAt != nil && p.FirstArmedAt.Equal(l.TakenAt), name)
			attempts := storetest.Attempts(t, to, tt.id)
			require.Len(t, attempts, tt.attempt, name)
			require.Equal(t, tt.status == post.StatusArmed, tt.attempt > 0 && attempts[0].EndedAt == nil, name)
		}
	})
}

func armRestored(t *testing.T, s *store.DB, connection string) post.Post {
	t.Helper()
	p := create(t, s, nil, november)
	armed, err := s.Posts.ArmPost(t.Context(), p.ID, 1, connection, time.Now().Add(-time.Minute))
	require.NoError(t, err)
	require.Equal(t, post.StatusArmed, armed.Status)
	return armed
}

// An SQLite file is in its place when it is whole, and never before.
func TestAnUnfinishedDatabaseIsNobodys(t *testing.T) {
	t.Parallel()
	address := testdb.Address(t, "sqlite")
	path := store.SQLitePath(address + "?busy_timeout=1s")
	taken := takeDump(t, storetest.New(t, "sqlite"))
	u, err := store.OpenUnfinished(t.Context(), address, taken.version)
	require.NoError(t, err)
	require.NoError(t, u.Load(t.Context(), taken.load()))
	require.NoFileExists(t, path)
	require.NoError(t, u.Drop())
	require.NoFileExists(t, path+".restoring")

	storetest.Open(t, address) // an empty one may be there
	u, err = store.OpenUnfinished(t.Context(), address, taken.version)
	require.NoError(t, err)
	require.NoError(t, u.Load(t.Context(), taken.load()))
	require.NoError(t, u.Finish())
	require.NoFileExists(t, path+".restoring")
	s, err := store.Open(address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.Equal(t, taken, takeDump(t, s))
}
