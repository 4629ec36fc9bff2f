package browser

import (
	"context"
	"errors"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
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
	require.Eventually(t, func() bool { return len(b.Processes()) == 0 }, testwait.Limit, 10*time.Millisecond)
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
	require.NotEmpty(t, b.Processes(), "it was not idle for long")
}

// Proves: F22
func TestItIsClosedWhenIdle(t *testing.T) {
	t.Parallel()
	origin := serve(t, pages{"/well": html(well)})
	b := open(t, Options{Idle: time.Millisecond}, origin)
	require.Empty(t, b.Processes())
	works(t, b, origin)
	_, gone := remember(t, b)
	require.NotEmpty(t, b.Processes())
	require.Eventually(t, func() bool { b.Sweep(); return len(b.Processes()) == 0 }, testwait.Limit, 10*time.Millisecond)
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
	require.Empty(t, b.Processes())
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, testwait.Limit, 20*time.Millisecond,
		"goroutines are left")
}

func current(b *Browser) *running {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.run
}

// remember gives a question: are all of a browser's processes and directories gone?
func remember(t *testing.T, b *Browser) (r *running, gone func() bool) {
	t.Helper()
	r = current(b)
	all := []process{r.node}
	for _, m := range family(r.main) {
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
