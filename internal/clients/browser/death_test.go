package browser

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/platform/testwait"
)

// lookInto starts a look at a page that never ends, and waits until it is asked for.
func lookInto(t *testing.T, b *Browser, origin string, asked <-chan struct{}) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := b.Look(t.Context(), wide(origin+"/never"))
		ended <- err
	}()
	select {
	case <-asked:
	case err := <-ended:
		require.Fail(t, "it ended by itself", "%v", err)
	}
	return ended
}

// Proves: F22
func TestABrowserThatDiesIsReplaced(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	origin := serve(t, pages{"/well": html(well), "/never": hang(asked)})
	b := open(t, Options{}, origin)
	victims := map[string]func(*running) int{
		"browser": func(r *running) int { return r.main.PID },
		"driver":  func(r *running) int { return r.node.PID },
	}
	for name, victim := range victims {
		ended := lookInto(t, b, origin, asked)
		old, gone := remember(t, b)
		require.NoError(t, syscall.Kill(victim(old), syscall.SIGKILL))
		err := <-ended
		require.ErrorIs(t, err, errLost, "%s: its death ends the look, and not the look's time", name)
		_, final := errors.AsType[*problem.Error](err)
		require.False(t, final, name)
		works(t, b, origin)
		require.Eventually(t, gone, testwait.Limit, 20*time.Millisecond, name)

		old = current(b)
		require.NoError(t, syscall.Kill(victim(old), syscall.SIGKILL), "between two looks")
		require.Eventually(t, func() bool { return !old.alive() }, testwait.Limit, time.Millisecond, name)
		works(t, b, origin)
	}
}

// Proves: F22
func TestALookEndsWithItsContext(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	origin := serve(t, pages{"/well": html(well), "/never": hang(asked)})
	b := open(t, Options{Jobs: 1}, origin)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := b.Look(ctx, wide(origin+"/never"))
		ended <- err
	}()
	<-asked
	waiting, giveUp := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer giveUp()
	_, err := b.Look(waiting, wide(origin+"/well"))
	require.ErrorIs(t, err, context.DeadlineExceeded, "it heeds its context while it waits for a place")
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
			asked := make(chan struct{}, 1)
			origin := serve(t, pages{"/well": html(well), "/greedy": html(page + `<img alt="" src="/never">`), "/never": hang(asked)})
			b := open(t, Options{MaxRSS: 1 << 30}, origin)
			_, err := b.Look(t.Context(), wide(origin+"/greedy"))
			require.Equal(t, problem.PageHeavy, problem.CodeOf(err), "%v", err)
			works(t, b, origin)
		})
	}
}

// A browser that needs too much for the smallest page is killed as a whole.
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
	origin := serve(t, pages{"/well": func(w http.ResponseWriter, r *http.Request) {
		for n, seen := now.Add(1), most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		html(well)(w, r)
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
	require.NotEmpty(t, processes(b), "it was not idle for long")
}

// Proves: F22
func TestItIsClosedWhenIdle(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/well": html(well)})
	b := open(t, Options{Idle: time.Millisecond}, origin)
	require.Empty(t, processes(b))
	works(t, b, origin)
	_, gone := remember(t, b)
	require.NotEmpty(t, processes(b))
	require.Eventually(t, func() bool { b.Sweep(); return len(processes(b)) == 0 }, testwait.Limit, 10*time.Millisecond)
	require.Eventually(t, gone, testwait.Limit, 20*time.Millisecond)
	works(t, b, origin)
}

// Not parallel: it counts goroutines.
// Proves: F22
func TestCloseLeavesNothing(t *testing.T) {
	asked := make(chan struct{}, 1)
	origin := serve(t, pages{"/well": html(well), "/never": hang(asked)})
	before := runtime.NumGoroutine()
	b := open(t, Options{}, origin)
	works(t, b, origin)
	ended := lookInto(t, b, origin, asked)
	_, gone := remember(t, b)
	require.False(t, gone())
	require.NoError(t, b.Close())
	require.ErrorIs(t, <-ended, errClosed)
	require.True(t, gone())
	_, err := b.Look(t.Context(), wide(origin+"/well"))
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

// remember returns a question: are all of a browser's processes and directories gone?
func remember(t *testing.T, b *Browser) (r *running, gone func() bool) {
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
	require.ErrorContains(t, inTime(false, nil), "took more than", "also when it started after all")
	require.ErrorIs(t, inTime(false, errLost), errLost)
}

var hostile = flag.Int("hostile", 24, "how many looks at hostile pages TestManyHostileLooksLeaveNothing takes")

// pagesOf are the processes of a browser that show pages.
func pagesOf(r *running) (found []process) {
	for _, m := range processTree(r.main) {
		proc, err := procfs.NewProc(m.PID)
		if err != nil {
			continue
		}
		line, err := proc.CmdLine() // they rewrite it: it is one word
		if err == nil && strings.Contains(strings.Join(line, " "), "--type=renderer") {
			found = append(found, m.process)
		}
	}
	return found
}

// A page's process may die and the browser live: the look ends at once, may be taken again, and is
// never taken for a page that was seen.
// Proves: F22
func TestALookWhosePageDiesEndsAtOnce(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	origin := serve(t, pages{"/well": html(well), "/never": hang(asked), "/half": html(well + `<img alt="" src="/never">`)})
	b := open(t, Options{}, origin)
	works(t, b, origin)
	ended := make(chan error, 1)
	go func() {
		_, err := b.Look(t.Context(), wide(origin+"/half"))
		ended <- err
	}()
	<-asked
	r := current(b)
	dying := pagesOf(r)
	require.NotEmpty(t, dying)
	for _, p := range dying {
		require.NoError(t, syscall.Kill(p.PID, syscall.SIGKILL))
	}
	require.ErrorIs(t, <-ended, errCrashed, "the death ends the look, and not the look's time")
	require.Same(t, r, current(b), "the browser itself lives on")
	works(t, b, origin)
}

// nasty are pages that hang, crash, redirect for ever, ask, download, grow, or are all well.
var nasty = pages{
	"/well":     html(well),
	"/spins":    html(`<script>for (;;) {}</script>`),
	"/asks":     html(well + `<script>alert(1); print(); onbeforeunload = () => "stay"</script>`),
	"/redirect": sendTo("/redirect"),
	"/tall":     html(`<div style="height:1000000px">.</div>`),
	"/windows":  html(well + `<script>for (let i = 0; i < 3; i++) open("/well", "", "noopener")</script>`),
	"/file": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment")
		_, _ = w.Write([]byte("file"))
	},
	"/breaks": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
}

// Not parallel: it counts what the process has open. However many pages are hostile, and whoever dies
// of them, nothing is left in the end: no process, no directory, no goroutine, no file.
// Proves: F22
func TestManyHostileLooksLeaveNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // whatever is left there is ours
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
	var looks sync.WaitGroup
	for n := range *hostile {
		path := paths[drawn.IntN(len(paths))]
		look := wide(origin + path)
		look.Axe, look.Within = true, 3*time.Second
		places <- struct{}{}
		looks.Go(func() {
			defer func() { <-places }()
			_, err := b.Look(t.Context(), look)
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
	looks.Wait()
	works(t, b, origin)
	_, gone := remember(t, b)
	require.NoError(t, b.Close())
	require.True(t, gone())
	require.NotEmpty(t, seen)
	require.Eventually(t, func() bool { return !slices.ContainsFunc(seen, process.alive) }, testwait.Limit, 20*time.Millisecond)
	require.Eventually(t, func() bool { return len(leftIn(t, os.TempDir())) == 0 }, testwait.Limit, 20*time.Millisecond, "%v", leftIn(t, os.TempDir()))
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+2 }, testwait.Limit, 20*time.Millisecond)
	require.Eventually(t, func() bool { return openFiles(t) <= files+2 }, testwait.Limit, 20*time.Millisecond)
}

// places are as many as look at once.
var places = make(chan struct{}, 3)

// kill kills one of a browser's processes, not always the same.
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

// leftIn lists what a browser left in a directory.
func leftIn(t *testing.T, dir string) (left []string) {
	t.Helper()
	entries, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, entry := range entries {
		// A driver that is killed with its browser leaves the empty directory that it was about to remove.
		within, _ := os.ReadDir(entry)
		emptied := strings.HasPrefix(filepath.Base(entry), "playwright-artifacts-") && len(within) == 0
		if !strings.HasPrefix(filepath.Base(entry), "Test") && !emptied {
			left = append(left, entry)
		}
	}
	return left
}

var kindOf = regexp.MustCompile(`--type=([a-z-]+)`)

// helpers are a browser's processes beside the first one and those of pages, by what they are for.
func helpers(r *running) map[string][]process {
	found := map[string][]process{}
	for _, m := range processTree(r.main) {
		proc, err := procfs.NewProc(m.PID)
		if err != nil {
			continue
		}
		line, _ := proc.CmdLine() // some rewrite it: it is one word
		if kind := kindOf.FindStringSubmatch(strings.Join(line, " ")); kind != nil && kind[1] != "renderer" {
			found[kind[1]] = append(found[kind[1]], m.process)
		}
	}
	return found
}

// A browser that loses one of its helpers may live on and show nothing any more. The look under way
// may end with it, and the next one is well.
// Proves: F22
func TestABrowserThatLosesAHelperIsWellAgain(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/well": html(well)})
	b := open(t, Options{}, origin)
	works(t, b, origin)
	kinds := helpers(current(b))
	require.Contains(t, kinds, "zygote")
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			for _, p := range helpers(current(b))[kind] {
				require.NoError(t, syscall.Kill(p.PID, syscall.SIGKILL))
			}
			look := wide(origin + "/well")
			if kind != "zygote" {
				look.Within = 20 * time.Second // it may hang
			}
			_, err := b.Look(t.Context(), look)
			if kind == "zygote" { // the others, Chromium starts again by itself
				require.NotEqual(t, problem.PageSlow, problem.CodeOf(err), "the page is not to blame")
			}
			works(t, b, origin)
		})
	}
}
