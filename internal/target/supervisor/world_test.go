package supervisor_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/target/faults"
	"customerzero/internal/target/supervisor"
)

const key = "the key of the tests"

func golden() fstest.MapFS {
	files := fstest.MapFS{}
	for _, name := range target.Files() {
		files[name] = &fstest.MapFile{Data: []byte("the golden " + name)}
	}
	return files
}

// world is a supervisor with its replica, and a directory outside the chaos target that must not change.
type world struct {
	*testing.T
	dir, outside    string
	supervisor      *supervisor.Supervisor
	public, control string
	log             *testwait.Buffer
	stop            func() // stops the supervisor and its replica
}

func setup(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "target"), outside: t.TempDir()}
	w.start(nil)
	require.Eventually(t, func() bool { return len(w.glob("snapshots/*.db")) > 0 }, testwait.Limit, 10*time.Millisecond)
	return w
}

func (w *world) start(change func(*supervisor.Options)) {
	w.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w, err)
	w.log = &testwait.Buffer{}
	o := supervisor.Options{
		Dir: w.dir, Listener: listener, Command: []string{self(w.T)}, Env: []string{asReplica + "=" + w.dir},
		Golden: golden(), Key: key, Log: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	if change != nil {
		change(&o)
	}
	w.supervisor, err = supervisor.New(o)
	require.NoError(w, err)
	control := httptest.NewServer(w.supervisor.Handler())
	w.public, w.control = "http://"+listener.Addr().String(), control.URL
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.supervisor.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(w, <-ended)
		control.Close()
		_ = listener.Close()
	})
	w.Cleanup(w.stop)
	require.Eventually(w, func() bool { return w.supervisor.Inspect().Process.Starts > 0 }, testwait.Limit, 5*time.Millisecond)
}

// send calls the supervisor and returns its response.
func (w *world) send(method, path, key, body string) (status int, reply string) {
	w.Helper()
	req, err := http.NewRequest(method, w.control+path, strings.NewReader(body))
	require.NoError(w, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := testwait.Client.Do(req)
	require.NoError(w, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(w, err)
	require.Equal(w, "application/json", res.Header.Get("Content-Type"))
	return res.StatusCode, string(text)
}

// order sends a command and decodes the response.
func (w *world) order(path string, in, out any) int {
	w.Helper()
	body, err := json.Marshal(in)
	require.NoError(w, err)
	status, reply := w.send(http.MethodPost, path, key, string(body))
	if out != nil {
		require.NoError(w, json.Unmarshal([]byte(reply), out))
	}
	return status
}

func (w *world) breakIt(name, run string, lease time.Duration) target.Broken {
	w.Helper()
	var broken target.Broken
	require.Equal(w, http.StatusOK, w.order(target.PathFaults+"/"+name, target.Break{RunID: run, LeaseMS: lease.Milliseconds()}, &broken))
	return broken
}

func (w *world) refused(name, run string) string {
	w.Helper()
	var refusal target.Refusal
	status := w.order(target.PathFaults+"/"+name, target.Break{RunID: run, LeaseMS: 60_000}, &refusal)
	require.Equal(w, http.StatusConflict, status, refusal.Error)
	require.NotContains(w, refusal.Error, w.dir)
	return refusal.Error
}

// get fetches a page of the replica.
func (w *world) get(path string) (int, string) {
	w.Helper()
	status, reply, err := fetch(w.public + path)
	require.NoError(w, err)
	return status, reply
}

func (w *world) note() {
	w.Helper()
	res, err := testwait.Client.Post(w.public+"/facts", "", http.NoBody)
	require.NoError(w, err)
	require.NoError(w, res.Body.Close())
	require.Equal(w, http.StatusOK, res.StatusCode)
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) glob(pattern string) []string {
	names, _ := filepath.Glob(w.path(pattern))
	return names
}

func isHealthy(seen target.Inspection) bool {
	return len(seen.Files) == 0 && seen.Database == "" && seen.Process.ID != 0 && seen.Lease == nil
}

func (w *world) becomesHealthy() {
	w.Helper()
	require.Eventually(w, func() bool { return isHealthy(w.supervisor.Inspect()) }, testwait.Limit, 10*time.Millisecond, "%+v", w.supervisor.Inspect())
}

func names() []string {
	var all []string
	for _, one := range faults.Descriptions() {
		all = append(all, one.Name)
	}
	return all
}

// The test binary also runs as the replica, and as a supervisor that can be killed.
const (
	asReplica    = "SUPERVISOR_TEST_AS_REPLICA"
	asSupervisor = "SUPERVISOR_TEST_AS_SUPERVISOR"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(asReplica); dir != "" {
		replica(dir)
	}
	if dir := os.Getenv(asSupervisor); dir != "" {
		supervisorProcess(dir)
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // the tests mostly wait for processes and leases
	os.Exit(m.Run())
}

// replica serves a chaos target's files and database.
func replica(dir string) {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if dir == "ends at once" {
		os.Exit(1)
	}
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	must(err)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "target.db")+"?_pragma=busy_timeout(1000)&_pragma=journal_mode(WAL)")
	must(err)
	_, _ = db.Exec("CREATE TABLE IF NOT EXISTS facts (fact text); CREATE TABLE IF NOT EXISTS more (fact text)")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /pid", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strconv.Itoa(os.Getpid())) })
	mux.HandleFunc("GET /env", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, os.Environ()) })
	mux.HandleFunc("GET /facts", func(w http.ResponseWriter, _ *http.Request) {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM facts").Scan(&n); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = io.WriteString(w, strconv.Itoa(n))
	})
	mux.HandleFunc("POST /facts", func(w http.ResponseWriter, _ *http.Request) {
		if _, err := db.Exec("INSERT INTO facts (fact) VALUES (?)", "a fact"); err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	mux.Handle("GET /", http.FileServer(http.Dir(filepath.Join(dir, "live"))))
	must(http.Serve(listener, mux))
}

func must(err error) {
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
