package store_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// TestCheckDurable uses the test server, which runs without fsync.
func TestCheckDurable(t *testing.T) {
	t.Parallel()
	require.NoError(t, storetest.New(t, "sqlite").CheckDurable(t.Context()))
	address := must(url.Parse(storetest.Address(t, "postgres")))(t)
	careless := address.Query()
	careless.Set("synchronous_commit", "off")
	for _, tt := range []struct{ query, off string }{{address.RawQuery, "fsync"}, {careless.Encode(), "fsync, synchronous_commit"}} {
		address.RawQuery = tt.query
		require.EqualError(t, storetest.Open(t, address.String()).CheckDurable(t.Context()),
			"PostgreSQL can lose committed changes in a crash: turn on "+tt.off)
	}
}

// TestSQLitePath checks that special characters of a path do not create other files.
func TestSQLitePath(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"a#b", "50%", "%41", "a b", "é&c=d"} {
		dir := filepath.Join(t.TempDir(), folder)
		require.NoError(t, os.Mkdir(dir, 0o700))
		path := filepath.Join(dir, "books.db")
		db := must(store.Open("sqlite:" + path))(t)
		require.NoError(t, db.Migrate(t.Context()), folder)
		require.NoError(t, db.Close())
		require.FileExists(t, path)
	}
}

// fill makes a database report a full disk: SQLite by a page limit, Postgres by a trigger with its
// error.
func fill(t *testing.T, s *store.DB) (empty func()) {
	t.Helper()
	if s.Dialect() == "sqlite" {
		s.UseConnections(1) // the limit applies to one connection
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
func TestFullDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		create(t, s, ada, november)
		kept, empty := 1, fill(t, s)
		long := func() post.Post { return saying(xid.New().String() + strings.Repeat(" and so on", 300)) }
		err := errOf(s.Posts.CreatePost(t.Context(), long(), november))
		for ; err == nil; kept++ { // existing pages have some room left
			err = errOf(s.Posts.CreatePost(t.Context(), long(), november))
		}
		require.ErrorIs(t, err, problem.ErrNoRoom)
		require.Equal(t, problem.Internal, problem.CodeOf(err), "a flow tries again")

		before, refused := takeDump(t, s), long()
		for range 3 {
			require.ErrorIs(t, errOf(s.Posts.CreatePost(t.Context(), refused, november)), problem.ErrNoRoom)
		}
		require.Equal(t, before, takeDump(t, s), "nothing is half written")
		require.Equal(t, []int{kept, 89}, []int{s.Count(t, "posts"), balance(t, s, ada)}, "what was answered is there")
		empty()
		must(s.Posts.CreatePost(t.Context(), refused, november))(t, "it recovers by itself")
		require.Equal(t, kept+1, usage(t, s, "2026-11").Reserved)
	})
}

func TestRenewSeesDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := storetest.Open(t, "sqlite:"+path)
	reads := func() error {
		_, _, err := s.Posts.PublishedPosts(t.Context(), 1, 0)
		return err
	}
	require.NoError(t, s.Renew(t.Context())) // now the changes are in the file
	require.NoError(t, reads())
	whole := must(os.ReadFile(path))(t)
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte{0xA5}, len(whole)), 0o600))
	require.NoError(t, reads(), "an old connection remembers")
	require.Error(t, s.Renew(t.Context()))
	require.Error(t, reads())
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	require.NoError(t, s.Renew(t.Context()))
	require.NoError(t, reads())
}

func TestRenewDuringReads(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.Equal(t, 2, atOnce(t, 2, func(i int) (err error) {
			for range []int{200, 50}[i] {
				if i == 0 {
					err = errOf2(s.Posts.PublishedPosts(t.Context(), 1, 0))
				} else {
					err = s.Renew(t.Context())
				}
				if err != nil {
					return err
				}
			}
			return nil
		}))
	})
}

func TestSettle(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	s := storetest.Open(t, "sqlite:"+path)
	log := func() int64 {
		return must(os.Stat(path + "-wal"))(t).Size()
	}
	require.NoError(t, s.ClientErrors.SaveClientError(t.Context(), problem.ClientError{ID: "ce_1", Path: "/", Message: "boom", CreatedAt: time.Now()}, account.Asker{}))
	require.Positive(t, log())
	require.NoError(t, s.Settle(t.Context()))
	require.Zero(t, log())
}

// A process whose files were removed would write to a file that no other process can open.
func TestRemovedFileIsNotReachable(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	file := filepath.Join(dir, "customerzero.db")
	require.NoError(t, os.Mkdir(dir, 0o700))
	s, err := store.Open("sqlite:" + file)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(t.Context()))
	for range 2 {
		require.NoError(t, s.CheckReachable(t.Context()))
	}
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, s.Ping(t.Context()), "the open file still answers")
	require.ErrorIs(t, s.CheckReachable(t.Context()), fs.ErrNotExist)

	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, s.CheckReachable(t.Context()), "replaced")
}

// Deleted personal data must not remain in unused space of the file or in its log.
// Proves: V14.2.7
func TestErasedAddressLeavesTheFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "customerzero.db")
	s := storetest.Open(t, "sqlite:"+file)
	const address = "ada-leaves-nothing@example.com"
	holds := func() (files []string) {
		for _, suffix := range []string{"", "-wal"} {
			text := must(os.ReadFile(file + suffix))(t)
			if bytes.Contains(text, []byte(address)) {
				files = append(files, suffix)
			}
		}
		return files
	}
	ada := emailAccount(t, s, "ada", address)
	require.NoError(t, s.Settle(t.Context()))
	require.Equal(t, []string{""}, holds(), "it is in the file, not in the log")
	erased(t, s, requestDeletion(t, s, ada.ID))
	require.Empty(t, holds())
}
