package browser

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/platform/testwait"
)

// lookInto starts a visit to a page that never finishes loading, and waits until its last request has arrived.
func lookInto(ctx context.Context, t *testing.T, b *Browser, address string, requested <-chan struct{}) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := b.Look(ctx, wide(address))
		ended <- err
	}()
	select {
	case <-requested:
	case err := <-ended:
		require.Fail(t, "the visit ended", "%v", err)
	}
	return ended
}

// Proves: F22
func TestABrowserThatDiesIsReplaced(t *testing.T) {
	t.Parallel()
	requested := make(chan struct{}, 1)
	origin := serve(t, pages{"/healthy": html(healthy), "/never": hang(requested)})
	b := open(t, Options{}, origin)
	victims := map[string]func(*running) int{
		"browser": func(r *running) int { return r.main.PID },
		"driver":  func(r *running) int { return r.node.PID },
	}
	for name, victim := range victims {
		ended := lookInto(t.Context(), t, b, origin+"/never", requested)
		old, gone := runningOf(t, b)
		require.NoError(t, syscall.Kill(victim(old), syscall.SIGKILL))
		err := <-ended
		require.ErrorIs(t, err, errLost, name)
		_, final := errors.AsType[*problem.Error](err)
		require.False(t, final, name)
		works(t, b, origin)
		require.Eventually(t, gone, testwait.Limit, 20*time.Millisecond, name)

		old = current(b)
		require.NoError(t, syscall.Kill(victim(old), syscall.SIGKILL), "between two visits")
		require.Eventually(t, func() bool { return !old.alive() }, testwait.Limit, time.Millisecond, name)
		works(t, b, origin)
	}
}

// Proves: F22
func TestALookEndsWithItsContext(t *testing.T) {
	t.Parallel()
	requested := make(chan struct{}, 1)
	origin := serve(t, pages{"/healthy": html(healthy), "/never": hang(requested)})
	b := open(t, Options{Jobs: 1}, origin)
	ctx, cancel := context.WithCancel(t.Context())
	ended := lookInto(ctx, t, b, origin+"/never", requested)
	waiting, giveUp := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer giveUp()
	_, err := b.Look(waiting, wide(origin+"/healthy"))
	require.ErrorIs(t, err, context.DeadlineExceeded, "while it waits for a slot")
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	works(t, b, origin)
}

// Proves: F22
func TestAPageThatNeedsTooMuchMemory(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"outside of the script's bound": `<script>const all = []; setInterval(() => { const a = new Uint8Array(16 << 20); for (let i = 0; i < a.length; i += 512) a[i] = i; all.push(a) }, 1)</script>`,
		"within it":                     `<script>const all = []; setInterval(() => { for (let i = 0; i < 5; i++) all.push(new Array(1e5).fill(0.5)) }, 20)</script>`,
	}
	for name, page := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requested := make(chan struct{}, 1)
			origin := serve(t, pages{"/healthy": html(healthy), "/greedy": html(page + `<img alt="" src="/never">`), "/never": hang(requested)})
			b := open(t, Options{MaxRSS: 1 << 30}, origin)
			_, err := b.Look(t.Context(), wide(origin+"/greedy"))
			require.Equal(t, problem.PageHeavy, problem.CodeOf(err), "%v", err)
			works(t, b, origin)
		})
	}
}

// TestABrowserThatIsTooLargeIsKilled uses a limit that is too low for the smallest page.
// Proves: F22
func TestABrowserThatIsTooLargeIsKilled(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/never": hang(make(chan struct{}, 1))})
	b := open(t, Options{MaxRSS: 1 << 20}, origin)
	_, err := b.Look(t.Context(), wide(origin+"/never"))
	require.Equal(t, problem.PageHeavy, problem.CodeOf(err), "%v", err)
	require.Eventually(t, func() bool { return len(processes(b)) == 0 }, testwait.Limit, 10*time.Millisecond)
}

// Proves: F22
func TestTwoAtATime(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	origin := serve(t, pages{"/healthy": func(w http.ResponseWriter, r *http.Request) {
		for n, seen := now.Add(1), most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		html(healthy)(w, r)
		now.Add(-1)
	}})
	b := open(t, Options{}, origin)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { works(t, b, origin) })
	}
	all.Wait()
	require.LessOrEqual(t, most.Load(), int32(2))
	b.Sweep()
	require.NotEmpty(t, processes(b), "it was not idle long enough")
}

// Proves: F22
func TestItIsClosedWhenIdle(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/healthy": html(healthy)})
	b := open(t, Options{Idle: time.Millisecond}, origin)
	require.Empty(t, processes(b))
	works(t, b, origin)
	_, gone := runningOf(t, b)
	require.NotEmpty(t, processes(b))
	require.Eventually(t, func() bool { b.Sweep(); return len(processes(b)) == 0 }, testwait.Limit, 10*time.Millisecond)
	require.Eventually(t, gone, testwait.Limit, 20*time.Millisecond)
	works(t, b, origin)
}

// TestCloseLeavesNothing is not parallel because it counts all goroutines.
// Proves: F22
func TestCloseLeavesNothing(t *testing.T) {
	requested := make(chan struct{}, 1)
	origin := serve(t, pages{"/healthy": html(healthy), "/never": hang(requested)})
	before := runtime.NumGoroutine()
	b := open(t, Options{}, origin)
	works(t, b, origin)
	ended := lookInto(t.Context(), t, b, origin+"/never", requested)
	_, gone := runningOf(t, b)
	require.False(t, gone())
	require.NoError(t, b.Close())
	require.ErrorIs(t, <-ended, errClosed)
	require.True(t, gone())
	_, err := b.Look(t.Context(), wide(origin+"/healthy"))
	require.ErrorIs(t, err, errClosed)
	require.Empty(t, processes(b))
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, testwait.Limit, 20*time.Millisecond,
		"goroutines are left")
}

func current(b *Browser) *running {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.run
}

// runningOf returns the running browser, and whether all its current processes and directories are gone.
func runningOf(t *testing.T, b *Browser) (r *running, gone func() bool) {
	t.Helper()
	r = current(b)
	all := []process{r.node}
	for _, m := range processTree(r.main) {
		all = append(all, m.process)
	}
	require.Greater(t, len(all), 3, "a browser is many processes")
	return r, func() bool {
		for _, dir := range []string{r.dir, r.profile} {
			if _, err := os.Stat(dir); err == nil {
				return false
			}
		}
		return !slices.ContainsFunc(all, process.alive)
	}
}

func TestAStartThatIsNotInTimeIsAFailure(t *testing.T) {
	t.Parallel()
	require.NoError(t, inTime(true, nil))
	require.ErrorContains(t, inTime(false, nil), "took more than", "even if it started")
	require.ErrorIs(t, inTime(false, errLost), errLost)
}

var hostile = flag.Int("hostile", 24, "number of visits to hostile pages in TestManyHostileLooksLeaveNothing")

// TestALookWhosePageDiesEndsAtOnce kills a renderer while the browser lives: the visit ends at once with a
// retryable error.
// Proves: F22
func TestALookWhosePageDiesEndsAtOnce(t *testing.T) {
	t.Parallel()
	requested := make(chan struct{}, 1)
	origin := serve(t, pages{"/healthy": html(healthy), "/never": hang(requested), "/half": html(healthy + `<img alt="" src="/never">`)})
	b := open(t, Options{}, origin)
	works(t, b, origin)
	ended := lookInto(t.Context(), t, b, origin+"/half", requested)
	r := current(b)
	dying := processesByType(r.main)["renderer"]
	require.NotEmpty(t, dying)
	for _, p := range dying {
		require.NoError(t, syscall.Kill(p.PID, syscall.SIGKILL))
	}
	require.ErrorIs(t, <-ended, errCrashed)
	require.Same(t, r, current(b), "the browser survives")
	works(t, b, origin)
}

// nasty are hostile and healthy pages.
var nasty = pages{
	"/healthy":  html(healthy),
	"/spins":    html(`<script>for (;;) {}</script>`),
	"/asks":     html(healthy + `<script>alert(1); print(); onbeforeunload = () => "stay"</script>`),
	"/redirect": sendTo("/redirect"),
	"/tall":     html(`<div style="height:1000000px">.</div>`),
	"/windows":  html(healthy + `<script>for (let i = 0; i < 3; i++) open("/healthy", "", "noopener")</script>`),
	"/file":     download,
	"/breaks":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
}

// TestManyHostileLooksLeaveNothing is not parallel because it counts all goroutines and open files.
// Proves: F22
func TestManyHostileLooksLeaveNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // it holds only this browser's files
	origin := serve(t, nasty)
	drawn := testseed.New(t)
	paths := make([]string, 0, len(nasty))
	for path := range nasty {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	b := open(t, Options{Jobs: 3}, origin)
	works(t, b, origin)

	var seen []process
	var visits sync.WaitGroup
	for n := range *hostile {
		path := paths[drawn.IntN(len(paths))]
		request := wide(origin + path)
		request.Axe, request.Within = true, 3*time.Second
		places <- struct{}{}
		visits.Go(func() {
			defer func() { <-places }()
			_, err := b.Look(t.Context(), request)
			if err != nil && problem.CodeOf(err) == problem.BrowserMissing {
				t.Errorf("%s: %v", path, err)
			}
		})
		if r := current(b); r != nil {
			for _, m := range processTree(r.main) {
				seen = append(seen, m.process)
			}
			if n%6 == 5 {
				kill(processTree(r.main), drawn.Uint64())
			}
		}
	}
	visits.Wait()
	works(t, b, origin)
	_, gone := runningOf(t, b)
	require.NoError(t, b.Close())
	require.True(t, gone())
	require.NotEmpty(t, seen)
	require.Eventually(t, func() bool { return !slices.ContainsFunc(seen, process.alive) }, testwait.Limit, 20*time.Millisecond)
	require.Eventually(t, func() bool { return len(leftIn(t, os.TempDir())) == 0 }, testwait.Limit, 20*time.Millisecond, "%v", leftIn(t, os.TempDir()))
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 }, testwait.Limit, 20*time.Millisecond)
	require.Eventually(t, func() bool { return openFiles(t) <= files+2 }, testwait.Limit, 20*time.Millisecond)
}

// places limits the concurrent visits.
var places = make(chan struct{}, 3)

// kill kills one of a browser's processes, selected by which.
func kill(of []member, which uint64) {
	if len(of) > 0 {
		of[which%uint64(len(of))].kill()
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(entries)
}

// leftIn lists the files that a browser left in a directory.
func leftIn(t *testing.T, dir string) (left []string) {
	t.Helper()
	entries, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, entry := range entries {
		// A driver that is killed with its browser may leave this directory empty.
		within, _ := os.ReadDir(entry)
		emptied := strings.HasPrefix(filepath.Base(entry), "playwright-artifacts-") && len(within) == 0
		if !strings.HasPrefix(filepath.Base(entry), "Test") && !emptied {
			left = append(left, entry)
		}
	}
	return left
}

// TestABrowserThatLosesAHelperIsWellAgain kills each kind of helper process. The running visit may fail; the
// next one succeeds.
// Proves: F22
func TestABrowserThatLosesAHelperIsWellAgain(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/healthy": html(healthy)})
	b := open(t, Options{}, origin)
	works(t, b, origin)
	kinds := processesByType(current(b).main)
	delete(kinds, "renderer")
	require.Contains(t, kinds, "zygote")
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			for _, p := range processesByType(current(b).main)[kind] {
				require.NoError(t, syscall.Kill(p.PID, syscall.SIGKILL))
			}
			request := wide(origin + "/healthy")
			if kind != "zygote" {
				request.Within = 20 * time.Second // the visit may hang
			}
			_, err := b.Look(t.Context(), request)
			if kind == "zygote" { // Chromium restarts the others itself
				require.NotEqual(t, problem.PageSlow, problem.CodeOf(err))
			}
			works(t, b, origin)
		})
	}
}

// A killed worker removes nothing; the next one does.
func TestDirectoriesOfKilledProcessesAreRemoved(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	made := func() (string, *flock.Flock) {
		dir, owned, err := makeDir(parts{node: "/node", driver: "/package/cli.js"})
		require.NoError(t, err)
		return dir, owned
	}
	killed, owned := made()
	require.NoError(t, owned.Close()) // as the system does for a killed process
	inUse, _ := made()
	foreign := filepath.Join(os.TempDir(), dirPrefix+"foreign")
	require.NoError(t, os.Mkdir(foreign, 0o700))
	elsewhere := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(elsewhere, ownerLock), nil, 0o600))
	link := filepath.Join(os.TempDir(), dirPrefix+"link")
	require.NoError(t, os.Symlink(elsewhere, link))

	require.Equal(t, 1, Sweep())
	require.NoDirExists(t, killed)
	for _, kept := range []string{inUse, foreign, filepath.Join(elsewhere, ownerLock), link} {
		_, err := os.Lstat(kept)
		require.NoError(t, err)
	}
	require.Zero(t, Sweep())
}
