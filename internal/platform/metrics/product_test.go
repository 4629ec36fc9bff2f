package metrics_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/stats"
	"customerzero/internal/domain/target"
	"customerzero/internal/domain/verification"
	"customerzero/internal/platform/metrics"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var now = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

const front = "https://bot.example/"

func productOf(source metrics.Stats, looks metrics.Verifications) *metrics.Product {
	return &metrics.Product{Stats: source, Verifications: looks, Front: front, Every: 15 * time.Minute, Now: func() time.Time { return now }, Within: time.Second}
}

// scrape returns the text that Prometheus gets.
func scrape(t *testing.T, collectors ...*metrics.Product) string {
	t.Helper()
	registry := metrics.NewRegistry("test")
	for _, c := range collectors {
		registry.MustRegister(c)
	}
	return scrapeOf(t, registry)
}

func scrapeOf(t *testing.T, registry *prometheus.Registry) string {
	t.Helper()
	rec := httptest.NewRecorder()
	metrics.Handler(registry).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody))
	require.Equal(t, http.StatusOK, rec.Code)
	return rec.Body.String()
}

func TestMetricsSayWhatTheRowsSay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, err := s.Posts.CreatePost(t.Context(), post.Post{ID: "p", Text: "hello", Status: post.StatusScheduled, ScheduledAt: now.Add(-time.Minute)}, now)
		require.NoError(t, err)
		healOnce(t, s)
		storeVerification(t, s, now.Add(-5*time.Minute))
		text := scrape(t, productOf(s.Stats, s.Verifications))
		for _, line := range []string{
			"customerzero_scrape_ok 1",
			`customerzero_posts{status="scheduled"} 1`, `customerzero_posts{status="unknown"} 0`,
			"customerzero_posts_overdue 1", "customerzero_posts_overdue_oldest_seconds 60",
			`customerzero_quota_slots{state="reserved"} 1`, `customerzero_quota_slots{state="free"} 499`,
			`customerzero_chaos_runs_total{fault="crash-api",verdict="healed"} 1`,
			`customerzero_chaos_runs_total{fault="crash-api",verdict="failed"} 0`,
			`customerzero_chaos_heal_duration_seconds_bucket{fault="crash-api",le="1"} 0`,
			`customerzero_chaos_heal_duration_seconds_bucket{fault="crash-api",le="2"} 1`,
			`customerzero_chaos_heal_duration_seconds_sum{fault="crash-api"} 1.2`,
			`customerzero_verification_status{status="error"} 1`, `customerzero_verification_status{status="active"} 0`,
			"customerzero_verification_age_seconds 300", "customerzero_verification_passed_ratio 0.75",
		} {
			require.Contains(t, text, line+"\n")
		}
	})
}

func healOnce(t *testing.T, s *store.DB) {
	t.Helper()
	run := chaos.Run{ID: "r", Fault: "crash-api", Source: "page", RequestedBy: chaos.Schedule, PromiseMS: 5000, LeaseMS: 30_000, RequestedAt: now}
	require.NoError(t, s.Chaos.RequestChaos(t.Context(), run, account.Asker{Founder: true}))
	_, err := s.Chaos.BeginChaos(t.Context(), "r", "chaos:chaos-target", "run")
	require.NoError(t, err)
	require.NoError(t, s.Chaos.LeaseChaos(t.Context(), "r", now.Add(time.Minute)))
	require.NoError(t, s.Chaos.InjectedChaos(t.Context(), "r", now, now.Add(time.Minute)))
	detect, heal := 300, 1200
	_, err = s.Chaos.EndChaos(t.Context(), "r", chaos.Outcome{Verdict: chaos.Healed, Restored: true, DetectMS: &detect, HealMS: &heal}, now)
	require.NoError(t, err)
}

// storeVerification stores a verification of the front page: three checks passed, one failed.
func storeVerification(t *testing.T, s *store.DB, at time.Time) {
	t.Helper()
	open := verification.BySchedule
	run := verification.Run{
		ID: xid.New().String(), URL: front, Path: "/", OpenKey: &open, RequestedBy: verification.Schedule, Stage: verification.Requested, RequestedAt: at,
	}
	require.NoError(t, s.Verifications.RequestVerification(t.Context(), run, account.Asker{Founder: true}))
	outcome := verification.Outcome{ChecksVerdict: verification.Broken, Verdict: verification.Broken, Reason: "broken"}
	for _, state := range []verification.CheckState{verification.Pass, verification.Pass, verification.Pass, verification.Fail} {
		outcome.Checks = append(outcome.Checks, verification.Check{State: state})
	}
	_, err := s.Verifications.EndVerification(t.Context(), run.ID, outcome, true, at)
	require.NoError(t, err)
}

// fakeRows counts its reads.
type fakeRows struct {
	times atomic.Int32
	err   error
	hangs chan struct{} // nil: it returns
}

func (a *fakeRows) Read(context.Context, time.Time) (stats.Reading, error) {
	a.times.Add(1)
	if a.hangs != nil {
		<-a.hangs // like a driver that ignores its context
	}
	return stats.Reading{}, a.err
}

func (a *fakeRows) LastVerifications(context.Context, string, int) ([]verification.Run, error) {
	return nil, nil
}

// Proves: F4
func TestADeadDatabaseLeavesItsMetricsOut(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		product := productOf(s.Stats, s.Verifications)
		require.Contains(t, scrape(t, product), "customerzero_scrape_ok 1\n")
		require.NoError(t, s.Close())
		text := scrape(t, productOf(s.Stats, s.Verifications))
		require.Contains(t, text, "customerzero_scrape_ok 0\n")
		require.NotContains(t, text, "customerzero_posts")
		require.Contains(t, text, "go_goroutines", "other metrics are exported")
		require.Contains(t, text, "customerzero_build_info")
	})
}

// Proves: F4
func TestADatabaseThatHangsHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source := &fakeRows{hangs: make(chan struct{})}
		product, began := productOf(source, source), time.Now()
		for range 5 {
			require.Contains(t, scrape(t, product), "customerzero_scrape_ok 0\n")
		}
		require.Equal(t, 5*time.Second, time.Since(began))
		require.EqualValues(t, 1, source.times.Load(), "a scrape waits for the open query")
		close(source.hangs)
		synctest.Wait()
		require.Contains(t, scrape(t, product), "customerzero_scrape_ok 1\n")
	})
}

func TestManyScrapersAskOnce(t *testing.T) {
	t.Parallel()
	source := &fakeRows{}
	product := productOf(source, source)
	for range 10 {
		require.Contains(t, scrape(t, product), "customerzero_scrape_ok 1\n")
	}
	require.EqualValues(t, 1, source.times.Load())
	product.Now = func() time.Time { return now.Add(2 * time.Second) }
	scrape(t, product)
	require.EqualValues(t, 2, source.times.Load(), "a reading is reused for 2 seconds")
}

func TestWhatTheDatabaseComplainsOfIsNotTold(t *testing.T) {
	t.Parallel()
	text := scrape(t, productOf(&fakeRows{err: errors.New("dial postgres://admin:hunter2@db")}, nil))
	require.NotContains(t, text, "hunter2")
	require.Contains(t, text, "customerzero_scrape_ok 0\n")
}

// TestALookThatIsTooOldWarns: like the status page, an old verification gives a warning.
func TestALookThatIsTooOldWarns(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]string{30 * time.Minute: "active", 31 * time.Minute: "warning"} {
		ended := now.Add(-age)
		source := &fakeRun{run: verification.Run{RequestedBy: verification.Schedule, ChecksVerdict: verification.Active, Verdict: verification.Active, Passed: 4, EndedAt: &ended}}
		require.Contains(t, scrape(t, productOf(source, source)), `customerzero_verification_status{status="`+want+`"} 1`)
	}
}

type fakeRun struct {
	fakeRows
	run verification.Run
}

func (l *fakeRun) LastVerifications(context.Context, string, int) ([]verification.Run, error) {
	return []verification.Run{l.run}, nil
}

// TestNamesKeepTheRules checks names and units against Prometheus's rules.
func TestNamesKeepTheRules(t *testing.T) {
	t.Parallel()
	broken, err := promlint.New(strings.NewReader(scrape(t, productOf(&fakeRows{}, &fakeRows{})))).Lint()
	require.NoError(t, err)
	for _, p := range broken {
		require.NotContains(t, p.Metric, "customerzero_", p.Text)
	}
}

func TestPoolAndChaosTarget(t *testing.T) {
	t.Parallel()
	collected := func(c prometheus.Collector) string {
		registry := prometheus.NewRegistry()
		registry.MustRegister(c)
		return scrapeOf(t, registry)
	}
	pool := collected(metrics.Pool(func() sql.DBStats {
		return sql.DBStats{MaxOpenConnections: 16, InUse: 3, Idle: 2, WaitCount: 7, WaitDuration: 1500 * time.Millisecond}
	}))
	for _, line := range []string{
		`database_connections{state="in_use"} 3`, `database_connections{state="idle"} 2`, "database_connections_max 16",
		"database_waits_total 7", "database_wait_seconds_total 1.5",
	} {
		require.Contains(t, pool, "customerzero_"+line+"\n")
	}
	broken := target.Inspection{Process: target.Process{Starts: 2}, Files: []string{"a", "b", "c"}, Database: "malformed", Lease: &target.Lease{}}
	for seen, values := range map[*target.Inspection][5]int{{Process: target.Process{ID: 9, Starts: 1}}: {1, 1, 0, 1, 0}, &broken: {0, 2, 3, 0, 1}} {
		text := collected(metrics.ChaosTarget(func() target.Inspection { return *seen }))
		for i, name := range []string{"instance_up", "instance_starts_total", "files_differing", "database_intact", "fault_held"} {
			require.Contains(t, text, fmt.Sprintf("customerzero_chaos_target_%s %d\n", name, values[i]))
		}
	}
}
