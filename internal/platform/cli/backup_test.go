package cli_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/store/testdb"
)

// The data directory of a running up is backed up, destroyed and restored, with its Temporal.
// Proves: F35
func TestADestroyedUpIsRestoredAndGoesOn(t *testing.T) {
	t.Parallel()
	up := startUp(t, t.TempDir(), "VERIFY_EVERY=off")
	early := up.post(t, "before the backup", 0)
	up.ends(t, early, post.StatusPublished)
	refuses(t, up.sandboxed(t), true)
	failed := up.post(t, "refused at first", 0)
	up.ends(t, failed, post.StatusFailed)
	refuses(t, up.sandboxed(t), false)
	started := up.wishes(t)
	soon := up.post(t, "right after the disaster", 20*time.Second)
	later := up.post(t, "long after the disaster", time.Hour)

	file, written := backUp(t, up.dir)
	require.True(t, written.Has("temporal-1.32.db"))
	said, err := program(up.dir, nil, "restore", file)
	require.Error(t, err)
	require.Contains(t, said, "another customerzero up runs on the data directory")
	up.end(t)
	keys := keepKeys(t, up.dir)
	require.NoError(t, os.RemoveAll(up.dir))

	_, again := backUp(t, restore(t, file, keys, nil, "--as-it-was"))
	require.Equal(t, written.Tables, again.Tables, "same counts, same sums")

	up = startUp(t, restore(t, file, keys, nil), "VERIFY_EVERY=off")
	require.Equal(t, 1, up.ends(t, early, post.StatusPublished).Attempt)
	up.ends(t, soon, post.StatusPublished)
	require.Equal(t, 1, isPublic(t, up.dir, "right after the disaster"))
	var reply any
	require.Equal(t, 200, up.call(t, "POST", "/api/posts/"+failed+"/retry", "", &reply), reply)
	up.ends(t, failed, post.StatusPublished)
	require.Equal(t, 1, isPublic(t, up.dir, "refused at first"))
	up.sendsNow(t, later)
	up.ends(t, later, post.StatusPublished)
	require.Equal(t, 1, isPublic(t, up.dir, "long after the disaster"))
	up.pays(t, started)
}

// What went out between the backup and the disaster is on X's timeline and not in our rows.
// With a Temporal that knows nothing, it is found there, and nothing goes out twice.
// Proves: F35
func TestWhatWentOutAfterTheBackupDoesNotGoOutAgain(t *testing.T) {
	t.Parallel()
	world, settings := outside(t)
	x := strings.TrimPrefix(settings[0], "X_BASE_URL=")
	settings = append(settings, "VERIFY_EVERY=off")
	up := startUp(t, t.TempDir(), settings...)
	refuses(t, x, true)
	failed := up.post(t, "refused, and retried after the backup", 0)
	up.ends(t, failed, post.StatusFailed)
	refuses(t, x, false)
	due := up.post(t, "due after the backup", time.Hour)
	early := up.post(t, "sent early after the backup", time.Hour)
	still := up.post(t, "still to come", time.Hour)
	passed := up.post(t, "due while all was down", 15*time.Second)
	up.sendsNow(t, due)
	file, written := backUp(t, up.dir, settings...)
	up.ends(t, due, post.StatusPublished)
	up.sendsNow(t, early)
	up.ends(t, early, post.StatusPublished)
	var reply any
	require.Equal(t, 200, up.call(t, "POST", "/api/posts/"+failed+"/retry", "", &reply), reply)
	up.ends(t, failed, post.StatusPublished)
	up.end(t)
	keys := keepKeys(t, up.dir)
	require.NoError(t, os.RemoveAll(up.dir))

	up = startUp(t, restore(t, file, keys, settings, "--without-temporal"), settings...)
	require.LessOrEqual(t, up.ends(t, due, post.StatusPublished).Attempt, 1, "it was looked for, not sent")
	up.sendsNow(t, early)
	up.ends(t, early, post.StatusPublished)
	require.Equal(t, 200, up.call(t, "POST", "/api/posts/"+failed+"/retry", "", &reply), reply)
	require.Equal(t, 1, up.ends(t, failed, post.StatusPublished).Attempt)
	up.ends(t, passed, post.StatusPublished)
	up.sendsNow(t, still)
	up.ends(t, still, post.StatusPublished)
	for _, text := range []string{"refused, and retried", "due after", "sent early", "still to come", "due while all was down"} {
		require.Equal(t, 1, isPublic(t, world, text), text)
	}
	require.NotEmpty(t, written.Keys)
}

// A laptop's file goes into Postgres, and Postgres' own back into either.
// Proves: F35
func TestALaptopMovesToPostgres(t *testing.T) {
	t.Parallel()
	up := startUp(t, t.TempDir(), "VERIFY_EVERY=off")
	soon := up.post(t, "written on the laptop", 15*time.Second)
	started := up.wishes(t)
	file, _ := backUp(t, up.dir)
	up.end(t)

	postgres := []string{"DATABASE_URL=" + testdb.Address(t, "postgres")}
	up = startUp(t, restore(t, file, up.dir, postgres, "--without-temporal"), append(postgres, "VERIFY_EVERY=off")...)
	up.ends(t, soon, post.StatusPublished)
	require.Equal(t, 1, isPublic(t, up.dir, "written on the laptop"))
	up.pays(t, started)
	up.end(t)

	file, written := backUp(t, up.dir, postgres...)
	require.Equal(t, "postgres", written.Dialect)
	for _, kind := range testdb.Kinds {
		settings := []string{"DATABASE_URL="}
		if kind == "postgres" {
			settings[0] += testdb.Address(t, kind)
		}
		_, again := backUp(t, restore(t, file, up.dir, settings, "--as-it-was"), settings...)
		require.Equal(t, written.Tables, again.Tables, kind)
	}
}
