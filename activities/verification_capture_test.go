package activities

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

// captureWorld is a run, its screenshots, and a slow browser.
type captureWorld struct {
	VerificationStore
	ScreenshotStore
	Pictures
	took  time.Duration
	slow  int // attempts that time out before one succeeds
	looks int
	err   error
	state verification.BrowserState
	shots []verification.Shot
	noted int
}

func (g *captureWorld) Verification(context.Context, string) (verification.Run, error) {
	return verification.Run{ID: "v1", URL: "https://example.com/", Stage: verification.Capturing}, nil
}

func (g *captureWorld) Look(ctx context.Context, _ verification.PageRequest) (verification.Capture, error) {
	if g.looks++; g.looks <= g.slow {
		return verification.Capture{}, problem.New(problem.PageSlow, "The page took more than 15s.")
	}
	select {
	case <-time.After(g.took):
		return verification.Capture{Facts: verification.Facts{Browser: "Chromium 1.2"}}, g.err
	case <-ctx.Done():
		return verification.Capture{}, ctx.Err()
	}
}

func (g *captureWorld) Put(context.Context, []byte) (string, error) { return "key", nil }

func (g *captureWorld) SaveScreenshot(_ context.Context, s verification.Shot) error {
	g.shots = append(g.shots, s)
	return nil
}

func (g *captureWorld) Browser(context.Context) (verification.BrowserState, error) {
	return g.state, nil
}

func (g *captureWorld) NoteBrowser(_ context.Context, b verification.BrowserState) error {
	g.state, g.noted = b, g.noted+1
	return nil
}

// capture captures once, and returns the number of heartbeats.
func (g *captureWorld) capture() (beats int, err error) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	heard := &heartbeatCounter{}
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{heard}})
	acts := &Verification{Store: g, Shots: g, Browser: g, Pictures: g, Now: time.Now}
	env.RegisterActivity(acts)
	_, err = env.ExecuteActivity(acts.CapturePage, CapturePageInput{
		VerificationID: "v1", Theme: verification.Dark, Viewport: "narrow",
	})
	return heard.beats, err
}

// heartbeatCounter counts heartbeats as they are recorded: Temporal's client sends fewer.
type heartbeatCounter struct {
	interceptor.WorkerInterceptorBase
	interceptor.ActivityInboundInterceptorBase
	interceptor.ActivityOutboundInterceptorBase
	beats int
}

func (l *heartbeatCounter) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	l.ActivityInboundInterceptorBase.Next = next
	return l
}

func (l *heartbeatCounter) Init(out interceptor.ActivityOutboundInterceptor) error {
	l.ActivityOutboundInterceptorBase.Next = out
	return l.ActivityInboundInterceptorBase.Next.Init(l)
}

func (l *heartbeatCounter) RecordHeartbeat(ctx context.Context, details ...any) {
	l.beats++
	l.ActivityOutboundInterceptorBase.Next.RecordHeartbeat(ctx, details...)
}

func TestCaptureHeartbeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &captureWorld{took: 9500 * time.Millisecond}
		beats := must(g.capture())
		require.GreaterOrEqual(t, beats, 9)
		shot := g.shots[0]
		require.Equal(t, []any{"key", verification.Dark, "narrow"}, []any{shot.ImageHash, shot.Theme, shot.Viewport})
	})
}

func TestASlowPageIsOpenedOnceMore(t *testing.T) {
	t.Parallel()
	for slow, want := range map[int][]any{
		0: {1, false, "key", ""},
		1: {2, true, "key", ""},
		2: {2, true, "", "The page took more than 15s."},
	} {
		g := &captureWorld{slow: slow}
		must(g.capture())
		require.Len(t, g.shots, 1)
		shot := g.shots[0]
		require.Equal(t, want, []any{g.looks, shot.Retried, shot.ImageHash, shot.Error}, "%d slow attempts", slow)
	}
}

// Proves: F22
func TestHangingBrowserTimesOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &captureWorld{took: time.Hour}
		began := time.Now()
		_, err := g.capture()
		require.Error(t, err, "it is tried again")
		require.Equal(t, 50*time.Second, time.Since(began), "the view's 15 s and 35 s for the start of the browser")
		require.Empty(t, g.shots)
	})
}

func TestBrowserStateIsNoted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &captureWorld{}
		look := func(after time.Duration, noted int) {
			t.Helper()
			<-time.After(after)
			_, _ = g.capture()
			require.Equal(t, noted, g.noted)
		}
		look(0, 1)
		look(4*time.Minute, 1)
		look(time.Minute, 2)
		g.err = errors.New("killed")
		look(0, 2)
		require.True(t, g.state.Ready)
	})
}
