package browser

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/platform/testwait"
)

var hostile = flag.Int("hostile", 24, "how many looks at hostile pages TestManyHostileLooksLeaveNothing takes")

// pagesOf are the processes of a browser that show pages.
func pagesOf(r *running) (found []process) {
	for _, m := range family(r.main) {
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
			for _, m := range family(r.main) {
				seen = append(seen, m.process)
			}
			if n%6 == 5 {
				kill(family(r.main), drawn.Uint64())
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
