package cli_test

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"customerzero/api/httpapi"
	"customerzero/api/posts"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/cli"
	"customerzero/internal/platform/testwait"
)

const (
	beProgram = "CUSTOMERZERO_TEST_BE_PROGRAM"
	patience  = testwait.Limit
)

// TestMain lets the test binary be the program, so that it can be killed.
func TestMain(m *testing.M) {
	if os.Getenv(beProgram) != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	// Child processes of a test are the program, too: without this, the chaos target of an up in this process
	// would run the tests again.
	if err := os.Setenv(beProgram, "1"); err != nil {
		panic(err)
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // most tests wait for processes
	os.Exit(m.Run())
}

// running is the program in a separate process.
type running struct {
	cmd    *exec.Cmd
	output *testwait.Buffer
}

func begin(t *testing.T, args []string, settings ...string) running {
	t.Helper()
	p := running{exec.Command(os.Args[0], args...), &testwait.Buffer{}}
	p.cmd.Env = slices.Concat(os.Environ(), freePorts, []string{"ADMIN_KEY=", "DATABASE_URL=", "X_BASE_URL=", "TEMPORAL_ADDRESS=", "LOG_LEVEL=info"}, settings)
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

// stop shuts it down with its children.
func (u *upped) stop(t *testing.T, signal os.Signal) {
	t.Helper()
	require.NoError(t, u.cmd.Process.Signal(signal))
	require.NoError(t, u.cmd.Wait(), "output: %s", u.output)
	require.NoFileExists(t, filepath.Join(u.dir, "up.json"))
}

// upped is a running `customerzero up`.
type upped struct {
	running
	dir, url string
}

// temporald returns the path of the built Temporal server.
func temporald(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("TEMPORAL_BIN"); given != "" {
		return given
	}
	path, err := filepath.Abs("../../../bin/temporald")
	require.NoError(t, err)
	require.FileExists(t, path, "run make build first")
	return path
}

func startUp(t *testing.T, dir string, settings ...string) *upped {
	t.Helper()
	settings = append([]string{"DATA_DIR=" + dir, "TEMPORAL_BIN=" + temporald(t), "POST_SEND_TIMEOUT=10s"}, settings...)
	u := &upped{running: begin(t, []string{"up"}, settings...), dir: dir}
	t.Cleanup(func() { u.kill() })
	require.Eventually(t, func() bool {
		if !strings.Contains(u.output.String(), "Customer Zero is running.") {
			return false // up.json may be an old one
		}
		u.url = u.addresses(t).URL
		resp, err := http.Get(u.url + "/readyz")
		if err != nil {
			return false
		}
		defer func() { _ = resp.Body.Close() }()
		return resp.StatusCode == http.StatusOK
	}, patience, 20*time.Millisecond, "output: %s", u.output)
	return u
}

// kill waits for the children, which end by themselves and write into the directory until then.
func (u *upped) kill() {
	_ = u.cmd.Process.Kill()
	_ = u.cmd.Wait()
	waiting, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, child := range []string{"temporal-1.32.db.lock", "target/supervisor.lock"} {
		lock := flock.New(filepath.Join(u.dir, child))
		if free, err := lock.TryLockContext(waiting, 10*time.Millisecond); err == nil && free {
			_ = lock.Unlock()
		}
	}
}

// addresses reads up.json.
func (u *upped) addresses(t *testing.T) (found struct{ URL, X, Target, TargetControl string }) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(contents(t, u.dir, "up.json")), &found))
	return found
}

func (u *upped) call(t *testing.T, method, path, body string, reply any) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, u.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Admin-Key", strings.TrimSpace(contents(t, u.dir, "admin-key")))
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, reply), string(text))
	return resp.StatusCode
}

// Proves: F1
func TestUpSurvivesSIGKILLAndGoesOn(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	up := startUp(t, dir)
	require.Contains(t, up.output.String(), "admin key", "printed when it is generated")

	var soon posts.PostReply
	at := time.Now().Add(15 * time.Second).UTC().Format(time.RFC3339)
	require.Equal(t, 201, up.call(t, "POST", "/api/posts", `{"content":"after the crash","scheduledAt":"`+at+`"}`, &soon))
	require.NoError(t, up.cmd.Process.Kill())
	_ = up.cmd.Wait()

	up = startUp(t, dir)
	require.NotContains(t, up.output.String(), "admin key", "printed once")
	kept := up.ends(t, soon.Post.ID, post.StatusPublished)
	require.Equal(t, soon.Post.RunID, kept.RunID, "the same run continued")
	require.Equal(t, 1, kept.Attempt)
}

// TestUpTriesOtherPortsWhenTemporalDoesNotStart: another program can take the port between check and start.
func TestUpTriesOtherPortsWhenTemporalDoesNotStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	once := filepath.Join(dir, "temporald")
	script := "#!/bin/sh\nmkdir " + filepath.Join(dir, "tried") + " 2>/dev/null && exit 1\nexec " + temporald(t) + ` "$@"` + "\n"
	require.NoError(t, os.WriteFile(once, []byte(script), 0o700))
	up := startUp(t, filepath.Join(dir, "data"), "TEMPORAL_BIN="+once)
	require.Contains(t, up.output.String(), "trying other ports")
}

func TestTakenPortIsReplacedAndSaid(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, taken.Close()) })
	up := startUp(t, filepath.Join(t.TempDir(), "data"), "ADDR="+taken.Addr().String())
	require.NotContains(t, up.url, taken.Addr().String())
	require.Contains(t, up.output.String(), "the port is in use; listening on a free one")
	up.stop(t, os.Interrupt)
	require.NotRegexp(t, `(?m)^time=\S+ level=ERROR`, up.output.String(), "a line may quote the output of another program")
}

// A stopped Temporal server accepts connections and does not respond. Commands that need a run are refused
// in time, new posts are accepted, and everything resumes by itself.
// Proves: F5
func TestWithoutTemporalPeopleAreAnsweredInTime(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"))
	var known posts.PostReply
	require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", later("first thought"), &known))
	temporal := temporalOf(t, up.cmd.Process.Pid)
	t.Cleanup(func() { _ = syscall.Kill(temporal, syscall.SIGCONT) })

	require.NoError(t, syscall.Kill(temporal, syscall.SIGSTOP))
	var refused httpapi.Problem
	var taken posts.PostReply
	var requests sync.WaitGroup
	requests.Go(func() {
		if status := up.call(t, "PATCH", "/api/posts/"+known.Post.ID, `{"content":"second thought"}`, &refused); status != http.StatusServiceUnavailable {
			t.Errorf("an edit without Temporal returned %d", status)
		}
	})
	requests.Go(func() {
		if status := up.call(t, "POST", "/api/posts", `{"content":"written without Temporal"}`, &taken); status != http.StatusCreated {
			t.Errorf("a new post returned %d", status)
		}
	})
	requests.Wait()
	require.Equal(t, problem.Unavailable, refused.Code)
	require.NotEmpty(t, refused.Message)
	require.Equal(t, http.StatusOK, up.call(t, "GET", "/api/posts/"+known.Post.ID, "", &struct{}{}), "reads need no Temporal")

	require.NoError(t, syscall.Kill(temporal, syscall.SIGCONT))
	up.edits(t, known.Post.ID, "third thought")
	up.ends(t, taken.Post.ID, post.StatusPublished)

	require.NoError(t, syscall.Kill(temporal, syscall.SIGKILL))
	require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", `{"content":"written after its death"}`, &taken))
	up.edits(t, known.Post.ID, "fourth thought")
	up.ends(t, taken.Post.ID, post.StatusPublished)
	up.stop(t, os.Interrupt)
}

// edits retries an edit until it succeeds.
func (u *upped) edits(t *testing.T, id, text string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var reply posts.PostReply
		return u.call(t, "PATCH", "/api/posts/"+id, `{"content":"`+text+`"}`, &reply) == http.StatusOK && reply.Post.Content == text
	}, patience, 50*time.Millisecond, "output: %s", u.output)
}

// redirecting starts a server that redirects to another one, whose requests it counts.
func redirecting(t *testing.T, status int) (address string, met *atomic.Int32) {
	t.Helper()
	met = &atomic.Int32{}
	trap := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		met.Add(1)
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(trap.Close)
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, trap.URL+r.URL.Path, status)
	}))
	t.Cleanup(first.Close)
	return first.URL, met
}

// Go keeps X-Admin-Key when it follows a redirect to another host.
// Proves: V15.3.2
func TestV15_3_2_TheFoundersKeyFollowsNoRedirect(t *testing.T) {
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		isolated(t)
		address, met := redirecting(t, status)
		t.Setenv("PUBLIC_URL", address)
		t.Setenv("ADMIN_KEY", "the-founders-key-of-this-test")
		fails(t, "the server returned "+strconv.Itoa(status), "post", "hello")
		require.Zero(t, met.Load())
	}
}

// Proves: V15.3.2
func TestV15_3_2_WhoAsksWhetherWeAreWellIsNotLedElsewhere(t *testing.T) {
	isolated(t)
	address, met := redirecting(t, http.StatusFound)
	fails(t, "returned 302 Found", "health", "--of", address+"/readyz")
	require.Zero(t, met.Load())
}
