package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	checkoutapi "customerzero/api/checkout"
	"customerzero/api/httpapi"
	"customerzero/api/posts"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/backup"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/platform/ports/portstest"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

// The data directory of a running up is backed up, destroyed and restored, with its Temporal.
// Proves: F35
func TestADestroyedUpIsRestoredAndGoesOn(t *testing.T) {
	t.Parallel()
	up := startUp(t, t.TempDir(), "VERIFY_EVERY=off")
	early := up.post(t, "before the backup", 0)
	up.ends(t, early, post.StatusPublished)
	refuses(t, up.addresses(t).X, true)
	failed := up.post(t, "refused at first", 0)
	up.ends(t, failed, post.StatusFailed)
	refuses(t, up.addresses(t).X, false)
	started := up.startsPayment(t)
	soon := up.post(t, "right after the disaster", 20*time.Second)
	later := up.post(t, "long after the disaster", time.Hour)

	file, written := backUp(t, up.dir)
	require.True(t, written.Has("temporal-1.32.db"))
	output, err := program(up.dir, nil, "restore", file)
	require.Error(t, err)
	require.Contains(t, output, "another customerzero up uses the data directory")
	up.stop(t, syscall.SIGTERM)
	keys := keepKeys(t, up.dir)
	require.NoError(t, os.RemoveAll(up.dir))

	_, again := backUp(t, restore(t, file, keys, nil, "--as-it-was"))
	require.Equal(t, written.Tables, again.Tables, "same counts and checksums")

	up = startUp(t, restore(t, file, keys, nil), "VERIFY_EVERY=off")
	require.Equal(t, 1, up.ends(t, early, post.StatusPublished).Attempt)
	up.ends(t, soon, post.StatusPublished)
	require.Equal(t, 1, published(t, up.dir, "right after the disaster"))
	var reply any
	require.Equal(t, 200, up.call(t, "POST", "/api/posts/"+failed+"/retry", "", &reply), reply)
	up.ends(t, failed, post.StatusPublished)
	require.Equal(t, 1, published(t, up.dir, "refused at first"))
	up.sendsNow(t, later)
	up.ends(t, later, post.StatusPublished)
	require.Equal(t, 1, published(t, up.dir, "long after the disaster"))
	up.pays(t, started)
}

// Posts that were published after the backup are on X's timeline and not in the rows. Without Temporal's
// database they are found there, and none is published twice.
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
	up.stop(t, syscall.SIGTERM)
	keys := keepKeys(t, up.dir)
	require.NoError(t, os.RemoveAll(up.dir))

	up = startUp(t, restore(t, file, keys, settings, "--without-temporal"), settings...)
	require.LessOrEqual(t, up.ends(t, due, post.StatusPublished).Attempt, 1, "it was found, not sent again")
	up.sendsNow(t, early)
	up.ends(t, early, post.StatusPublished)
	require.Equal(t, 200, up.call(t, "POST", "/api/posts/"+failed+"/retry", "", &reply), reply)
	require.Equal(t, 1, up.ends(t, failed, post.StatusPublished).Attempt)
	up.ends(t, passed, post.StatusPublished)
	up.sendsNow(t, still)
	up.ends(t, still, post.StatusPublished)
	for _, text := range []string{"refused, and retried", "due after", "sent early", "still to come", "due while all was down"} {
		require.Equal(t, 1, published(t, world, text), text)
	}
	require.NotEmpty(t, written.Keys)
}

// An SQLite backup is restored into Postgres, and a Postgres backup into both.
// Proves: F35
func TestALaptopMovesToPostgres(t *testing.T) {
	t.Parallel()
	up := startUp(t, t.TempDir(), "VERIFY_EVERY=off")
	soon := up.post(t, "written on the laptop", 15*time.Second)
	started := up.startsPayment(t)
	file, _ := backUp(t, up.dir)
	up.stop(t, syscall.SIGTERM)

	postgres := []string{"DATABASE_URL=" + testdb.Address(t, "postgres")}
	up = startUp(t, restore(t, file, up.dir, postgres, "--without-temporal"), append(postgres, "VERIFY_EVERY=off")...)
	up.ends(t, soon, post.StatusPublished)
	require.Equal(t, 1, published(t, up.dir, "written on the laptop"))
	up.pays(t, started)
	up.stop(t, syscall.SIGTERM)

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

// usedDataDir returns a data directory with rows and a secret, without a running process.
func usedDataDir(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	key := keyOf(t, "k1")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret-keys"), []byte(key), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "admin-key"), []byte("k"), 0o600))
	ring, err := keyring.Parse(key)
	require.NoError(t, err)
	db := storetest.Open(t, "sqlite:"+filepath.Join(dir, "customerzero.db"))
	db.UseKeys(ring)
	require.NoError(t, db.Bot.SeedConnection(t.Context(), bot.Tokens{AccessToken: "1-token", AccessSecret: "hush-hush"}, "bot", time.Now()))
	return dir
}

func TestABackupIsCarefulWithFiles(t *testing.T) {
	t.Parallel()
	dir := usedDataDir(t)
	file, _ := backUp(t, dir)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoFileExists(t, file+".partial")

	output, err := program(dir, nil, "backup", file)
	require.Error(t, err)
	require.Contains(t, output, "already exists, and backups are never overwritten")
	require.NoError(t, os.Rename(file, file+".partial")) // as after an aborted backup
	output, err = program(dir, nil, "backup", file)
	require.NoError(t, err, output)
	output, err = program(t.TempDir(), []string{"DATABASE_URL=postgres://nobody@127.0.0.1:1/none"}, "backup", "--verify", file)
	require.NoError(t, err, output)
	require.Contains(t, output, "is intact")

	output, err = program(t.TempDir(), nil, "backup", file+"2")
	require.Error(t, err)
	require.Contains(t, output, "no database found at")
}

func TestABackupGoesToTheStandardOutput(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "backup", "-")
	cmd.Env = append(os.Environ(), "DATA_DIR="+usedDataDir(t), "DATABASE_URL=", "SECRET_KEYS=")
	out, err := cmd.Output()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "piped.tar.gz")
	require.NoError(t, os.WriteFile(file, out, 0o600))
	require.Len(t, read(t, file).Keys, 1)
}

func TestARestoreIsRefusedInASentence(t *testing.T) {
	t.Parallel()
	dir := usedDataDir(t)
	file, _ := backUp(t, dir)
	whole := contents(t, file)
	cut := filepath.Join(t.TempDir(), "cut.tar.gz")
	require.NoError(t, os.WriteFile(cut, []byte(whole[:len(whole)-10]), 0o600))

	for name, tt := range map[string]struct {
		file, dir string
		settings  []string
		says      string
	}{
		"no file":           {file + "?", "", nil, "the backup cannot be opened"},
		"cut off":           {cut, "", nil, "cannot be used: the backup is damaged: it ends too early"},
		"no keys":           {file, "", nil, "decrypt its secrets are missing; set SECRET_KEYS, or copy secret-keys to"},
		"other keys":        {file, "", []string{"SECRET_KEYS=" + keyOf(t, "k2")}, `cannot be authenticated without key "k1"`},
		"keys of that name": {file, "", []string{"SECRET_KEYS=" + keyOf(t, "k1")}, "was altered, or was written with another key"},
		"its source":        {file, dir, nil, "the database is not empty"},
		"an unreachable Postgres": {
			file, dir, []string{"DATABASE_URL=postgres://nobody@127.0.0.1:1/none"}, "no response from the database at DATABASE_URL",
		},
	} {
		place := tt.dir
		if place == "" {
			place = t.TempDir()
		}
		output, err := program(place, tt.settings, "restore", tt.file)
		require.Error(t, err, name)
		require.Contains(t, output, tt.says, name)
		require.Equal(t, 1, strings.Count(output, "\n"), "%s: one sentence: %s", name, output)
		if tt.dir == "" {
			require.NoFileExists(t, filepath.Join(place, "customerzero.db"), name)
		}
	}
}

// A limit on the size of files simulates a full disk: a write fails in the middle.
// Proves: F24
func TestAFullDiskLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := usedDataDir(t)
	file, _ := backUp(t, dir)
	full := func(dir string, args ...string) string {
		cmd := exec.Command("sh", append([]string{"-c", `ulimit -f 16; exec "$@"`, "sh", os.Args[0]}, args...)...)
		cmd.Env = append(os.Environ(), "DATA_DIR="+dir, "DATABASE_URL=", "SECRET_KEYS=", "TMPDIR="+t.TempDir())
		output, err := cmd.CombinedOutput()
		require.Error(t, err, string(output))
		return string(output)
	}
	small := filepath.Join(t.TempDir(), "small.tar.gz")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sandbox-x.jsonl"), []byte(strings.Repeat("a line of the world\n", 2000)), 0o600))
	require.Contains(t, full(dir, "backup", small), "the backup was not written")
	require.NoFileExists(t, small)
	require.NoFileExists(t, small+".partial")

	place := keepKeys(t, dir)
	require.Contains(t, full(place, "restore", file), "nothing was restored")
	left, err := filepath.Glob(filepath.Join(place, "*.db*"))
	require.NoError(t, err)
	require.Empty(t, left)
	output, err := program(place, nil, "restore", file)
	require.NoError(t, err, output)
	s, err := store.Open("sqlite:" + filepath.Join(place, "customerzero.db"))
	require.NoError(t, err)
	require.NoError(t, s.CheckSchema(t.Context()))
	require.NoError(t, s.Close())
}

// program runs a command of the program to its end, on a data directory.
func program(dir string, settings []string, args ...string) (output string, err error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "DATA_DIR="+dir, "ADMIN_KEY=", "SECRET_KEYS=", "DATABASE_URL=", "TEMPORAL_ADDRESS=")
	cmd.Env = append(cmd.Env, settings...)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// backUp backs up a data directory and returns the manifest.
func backUp(t *testing.T, dir string, settings ...string) (file string, found backup.Manifest) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "backup.tar.gz")
	output, err := program(dir, settings, "backup", file)
	require.NoError(t, err, output)
	require.Contains(t, output, "The keys are not included")
	return file, read(t, file)
}

func read(t *testing.T, file string) backup.Manifest {
	t.Helper()
	in, err := os.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, in.Close()) }()
	found, err := backup.Verify(in, nil)
	require.NoError(t, err)
	return found.Manifest
}

// restore restores into a new data directory with the keys of another one.
func restore(t *testing.T, file, keysOf string, settings []string, flags ...string) (dir string) {
	t.Helper()
	dir = keepKeys(t, keysOf)
	output, err := program(dir, settings, append([]string{"restore", file}, flags...)...)
	require.NoError(t, err, output)
	require.Contains(t, output, "every table matches its checksum")
	return dir
}

// keepKeys copies the keys, which no backup contains, to a new data directory.
func keepKeys(t *testing.T, dir string) string {
	t.Helper()
	safe := t.TempDir()
	for _, key := range []string{"secret-keys", "admin-key"} {
		require.NoError(t, os.WriteFile(filepath.Join(safe, key), []byte(contents(t, dir, key)), 0o600))
	}
	return safe
}

func (u *upped) post(t *testing.T, text string, after time.Duration) string {
	t.Helper()
	body := map[string]string{"content": text}
	if after > 0 {
		body["scheduledAt"] = time.Now().Add(after).UTC().Format(time.RFC3339)
	}
	sent, err := json.Marshal(body)
	require.NoError(t, err)
	var reply posts.PostReply
	require.Less(t, u.call(t, "POST", "/api/posts", string(sent), &reply), 300)
	return reply.Post.ID
}

func (u *upped) ends(t *testing.T, id string, status post.Status) (p posts.Post) {
	t.Helper()
	require.Eventually(t, func() bool {
		u.call(t, "GET", "/api/posts/"+id, "", &p)
		return p.Status == status
	}, patience, 50*time.Millisecond, "%s, output: %s", status, u.output)
	return p
}

// sendsNow reschedules a post to the next second.
func (u *upped) sendsNow(t *testing.T, id string) {
	t.Helper()
	at := time.Now().Add(time.Second).UTC().Format(time.RFC3339Nano)
	var reply any
	require.Equal(t, 200, u.call(t, "PATCH", "/api/posts/"+id, `{"scheduledAt":"`+at+`"}`, &reply), reply)
}

// refuses makes X refuse posts, or accept them again.
func refuses(t *testing.T, x string, posts bool) {
	t.Helper()
	method, body := http.MethodDelete, ""
	if posts {
		method, body = http.MethodPut, `{"seed":1,"rules":[{"on":"post","fault":"no_credits"}]}`
	}
	req, err := http.NewRequestWithContext(t.Context(), method, x+"/sandbox/x/faults", strings.NewReader(body))
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Less(t, resp.StatusCode, 300)
}

// published counts a text on the sandbox's timeline.
func published(t *testing.T, dir, text string) int {
	t.Helper()
	return strings.Count(contents(t, dir, "sandbox-x.jsonl"), text)
}

func (u *upped) startsPayment(t *testing.T) (started checkoutapi.PaymentStarted) {
	t.Helper()
	resp, err := http.Post(u.url+"/api/dynamic-payment", "application/json", strings.NewReader(`{"service":"founding_membership"}`))
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, 200, resp.StatusCode, string(text))
	require.NoError(t, json.Unmarshal(text, &started))
	return started
}

// pays submits a payment page, at the address that up has now.
func (u *upped) pays(t *testing.T, started checkoutapi.PaymentStarted) {
	t.Helper()
	page, err := url.Parse(started.PaymentURL)
	require.NoError(t, err)
	form := url.Values{"email": {"buyer@example.com"}, "card": {"4242"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.url+page.Path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", u.url)
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Equal(t, http.StatusSeeOther, resp.StatusCode)
	require.Eventually(t, func() bool {
		var r checkoutapi.Receipt
		u.call(t, "GET", "/api/receipts/"+started.CheckoutID, "", &r)
		return r.State == "paid"
	}, patience, 100*time.Millisecond, "output: %s", u.output)
}

// outside starts the sandboxes in a separate process, so that no restore resets their state.
func outside(t *testing.T) (dir string, settings []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "world")
	address := portstest.Address(t)
	p := begin(t, []string{"sandbox"}, "DATA_DIR="+dir, "X_SANDBOX_ADDR="+address)
	require.Eventually(t, func() bool { return strings.Contains(p.output.String(), "the sandboxes are serving") }, patience, 20*time.Millisecond, "output: %s", p.output)
	return dir, []string{
		"X_BASE_URL=http://" + address, "X_CONSUMER_KEY=sandbox0consumer0key00000", "X_CONSUMER_SECRET=sandbox0consumer0secret000000000000000000000000000",
		"X_ACCESS_TOKEN=4242-sandbox-access-token", "X_ACCESS_SECRET=sandbox-access-secret", "FOUNDERS=founder_one",
	}
}

// limitWrites sets the maximum file size of processes to 0, which simulates a full disk, or removes the limit.
func limitWrites(t *testing.T, anything bool, processes ...int) {
	t.Helper()
	for _, process := range processes {
		var room unix.Rlimit
		require.NoError(t, unix.Prlimit(process, unix.RLIMIT_FSIZE, nil, &room))
		if room.Cur = 0; anything {
			room.Cur = room.Max
		}
		require.NoError(t, unix.Prlimit(process, unix.RLIMIT_FSIZE, &room, nil))
	}
}

// temporalOf returns the process ID of the Temporal server that a process has started.
func temporalOf(t *testing.T, process int) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "pid=,args=", "--ppid", strconv.Itoa(process)).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.Contains(rest, "temporald") {
			found, err := strconv.Atoi(id)
			require.NoError(t, err)
			return found
		}
	}
	require.Fail(t, "it has no Temporal server", string(out))
	return 0
}

// The disk is full for the product alone, or for its Temporal server, too.
// Proves: F24
func TestAFullDiskStopsWritesAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} {
		t.Run(fmt.Sprintf("Temporal's disk, too: %t", whole), func(t *testing.T) {
			t.Parallel()
			up := startUp(t, filepath.Join(t.TempDir(), "data"))
			processes := []int{up.cmd.Process.Pid}
			if whole {
				processes = append(processes, temporalOf(t, processes[0]))
			}
			kept := up.schedules(t, "before")
			limitWrites(t, false, processes...)
			for n := range 3 {
				var refused httpapi.Problem
				require.Equal(t, http.StatusServiceUnavailable, up.call(t, "POST", "/api/posts", later(fmt.Sprintf("refused %d", n)), &refused))
				require.Equal(t, problem.Unavailable, refused.Code)
				require.Contains(t, refused.Message, "Storage is full, so nothing was saved.")
			}
			require.Equal(t, []string{kept}, up.texts(t), "reads work")
			for _, path := range []string{"/healthz", "/api/experiments", "/api/stats"} {
				require.Equal(t, http.StatusOK, up.call(t, "GET", path, "", &struct{}{}), path)
			}

			limitWrites(t, true, processes...)
			again := up.schedules(t, "after")
			require.ElementsMatch(t, []string{kept, again}, up.texts(t), "refused posts are not stored")
			var now posts.PostReply
			require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", `{"content":"it resumes by itself"}`, &now))
			up.ends(t, now.Post.ID, post.StatusPublished)
			up.stop(t, os.Interrupt)
		})
	}
}

func later(text string) string {
	return `{"content":"` + text + `","scheduledAt":"` + time.Now().Add(48*time.Hour).UTC().Format(time.RFC3339) + `"}`
}

// schedules creates a post for another day and returns its text.
func (u *upped) schedules(t *testing.T, text string) string {
	t.Helper()
	var reply posts.PostReply
	require.Equal(t, http.StatusCreated, u.call(t, "POST", "/api/posts", later(text), &reply))
	return text
}

func (u *upped) texts(t *testing.T) (texts []string) {
	t.Helper()
	var list struct{ Posts []posts.Post }
	require.Equal(t, http.StatusOK, u.call(t, "GET", "/api/posts?status=scheduled", "", &list))
	for _, p := range list.Posts {
		texts = append(texts, p.Content)
	}
	return texts
}
