package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// fill takes all room from a database, and gives it back. SQLite is told how many pages there are;
// Postgres says what it would say.
func fill(t *testing.T, s *store.DB) (empty func()) {
	t.Helper()
	if s.Dialect() == "sqlite" {
		require.NoError(t, s.UseConnections(1)) // the limit is one of the connection
		require.NoError(t, s.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", s.Number(t, "PRAGMA page_count"))))
		return func() { require.NoError(t, s.Exec("PRAGMA max_page_count = 1000000")) }
	}
	for _, statement := range []string{
		`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
		 $$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$`,
		`CREATE TRIGGER full_disk BEFORE UPDATE ON quota_slots EXECUTE FUNCTION full_disk()`, // late in the change
	} {
		require.NoError(t, s.Exec(statement))
	}
	return func() { require.NoError(t, s.Exec("DROP TRIGGER full_disk ON quota_slots")) }
}

// Proves: F24
func TestAFullDatabaseRefusesChangesAndKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		kept := []post.Post{create(t, s, ada, november)}
		empty := fill(t, s)
		long := draft(nil, november)
		long.Text += strings.Repeat(" and so on", 300)
		var err error
		for err == nil { // some room is left in the pages that are there
			next := draft(nil, november)
			next.Text += strings.Repeat(" and so on", 300)
			if next, err = s.Posts.CreatePost(t.Context(), next, november); err == nil {
				kept = append(kept, next)
			}
		}
		require.ErrorIs(t, err, problem.ErrNoRoom)
		require.Equal(t, problem.Internal, problem.CodeOf(err), "a flow tries again")

		before := takeDump(t, s)
		require.NotContains(t, before.lines["posts"], long.ID)
		for range 3 {
			_, err = s.Posts.CreatePost(t.Context(), long, november)
			require.ErrorIs(t, err, problem.ErrNoRoom)
		}
		require.Equal(t, before, takeDump(t, s), "nothing is half written")
		require.Equal(t, len(kept), s.Count(t, "posts"), "what was answered is there")
		require.Equal(t, 89, balance(t, s, ada))

		empty()
		_, err = s.Posts.CreatePost(t.Context(), long, november)
		require.NoError(t, err, "it goes on by itself")
		require.Equal(t, len(kept)+1, usage(t, s, "2026-11").Reserved)
	})
}
