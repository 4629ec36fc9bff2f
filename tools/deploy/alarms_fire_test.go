package deploy_test

import (
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/require"
)

// histories has two inputs for each alert: the first one fires it, the second one does not. Each line is a series with
// a value a minute; alerts are evaluated after 30 minutes.
var histories = map[string][2]string{
	"PostsOverdue": {
		`customerzero_posts_overdue_oldest_seconds{instance="a"} 0x25 180x10`,
		`customerzero_posts_overdue_oldest_seconds{instance="a"} 500x25 5x10`,
	},
	"UnknownPosts": {`customerzero_posts_unknown{instance="a"} 1x40`, `customerzero_posts_unknown{instance="a"} 0x40`},
	"FailedEmails": {`customerzero_emails_failed{instance="a"} 4x20 5x20`, `customerzero_emails_failed{instance="a"} 4x40`},
	"MonthNearlyFull": {
		`customerzero_quota_slots{instance="a",state="free"} 49x40`, `customerzero_quota_slots{instance="a",state="free"} 50x40`,
	},
	"CheckoutsRefused": {
		`customerzero_quote_duration_seconds_count{outcome="refused"} 0+1x40
		 customerzero_quote_duration_seconds_count{outcome="given"} 0+1x40`,
		`customerzero_quote_duration_seconds_count{outcome="refused"} 0x40
		 customerzero_quote_duration_seconds_count{outcome="given"} 0+1x40`,
	},
	"CheckoutsSlow": {
		`customerzero_quote_duration_seconds_bucket{outcome="given",le="5"} 0x40
		 customerzero_quote_duration_seconds_bucket{outcome="given",le="10"} 0+9x40
		 customerzero_quote_duration_seconds_bucket{outcome="given",le="+Inf"} 0+9x40`,
		`customerzero_quote_duration_seconds_bucket{outcome="given",le="5"} 0+9x40
		 customerzero_quote_duration_seconds_bucket{outcome="given",le="+Inf"} 0+9x40`,
	},
	// The series starts with the first failure.
	"NonDeterminism": {
		`temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError",workflow_type="Post"} _x25 1x10`,
		`temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError",workflow_type="Post"} 1x40`,
	},
	"WorkflowFailures": {
		`customerzero_workflows_ended_total{flow="Post",outcome="failed"} _x25 3x10`,
		`customerzero_workflows_ended_total{flow="Post",outcome="failed"} 7x40`,
	},
	// The same rows, exported by two processes, of which one was restarted.
	"HealFailed": {
		`customerzero_chaos_runs_total{instance="a",fault="crash-api",verdict="failed"} 3x20 4x20
		 customerzero_chaos_runs_total{instance="b",fault="crash-api",verdict="failed"} _x20 4x20`,
		`customerzero_chaos_runs_total{instance="a",fault="crash-api",verdict="failed"} 3x40
		 customerzero_chaos_runs_total{instance="b",fault="crash-api",verdict="failed"} _x20 3x20`,
	},
	"SiteNotWell": {
		`customerzero_verification_status{instance="a",status="error"} 1x40`,
		`customerzero_verification_status{instance="a",status="error"} 0x40
		 customerzero_verification_status{instance="a",status="active"} 1x40`,
	},
	"ApiErrors": {
		`customerzero_http_request_duration_seconds_count{route="/api/posts",status="500"} 0+1x40
		 customerzero_http_request_duration_seconds_count{route="/api/posts",status="200"} 0+9x40`,
		`customerzero_http_request_duration_seconds_count{route="/readyz",status="503"} 0+1x40
		 customerzero_http_request_duration_seconds_count{route="/api/posts",status="409"} 0+9x40`,
	},
	"ApiSlow": {
		`customerzero_http_request_duration_seconds_bucket{route="/api/posts",le="1"} 0x40
		 customerzero_http_request_duration_seconds_bucket{route="/api/posts",le="+Inf"} 0+9x40
		 customerzero_http_request_duration_seconds_bucket{route="/api/posts",le="3"} 0+9x40`,
		`customerzero_http_request_duration_seconds_bucket{route="/api/chaos/runs/:id/events",le="1"} 0x40
		 customerzero_http_request_duration_seconds_bucket{route="/api/chaos/runs/:id/events",le="+Inf"} 0+9x40`,
	},
	"NotReady": {`customerzero_ready{job="api",instance="a"} 0x40`, `customerzero_ready{job="api",instance="a"} 1x40`},
	"WorkersGone": {
		`temporal_num_pollers{task_queue="core",poller_type="workflow_task",instance="a"} 2x20`, // then nothing
		`temporal_num_pollers{task_queue="core",poller_type="workflow_task",instance="a"} 2x40`,
	},
	"DatabasePoolExhausted": {
		`customerzero_database_wait_seconds_total{instance="a"} 0+90x40`, `customerzero_database_wait_seconds_total{instance="a"} 0+9x40`,
	},
	"ScrapeBroken": {
		`up{job="api",instance="a"} 1x40
		 customerzero_scrape_ok{job="api",instance="a"} 0x40`,
		`up{job="api",instance="a"} 1x40
		 customerzero_scrape_ok{job="api",instance="a"} 1x40`,
	},
}

func TestAlarmsAreRaisedByWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	rules := alarms(t)
	for name, history := range histories {
		require.Contains(t, rules, name)
		require.True(t, fires(t, rules[name].Expr, history[0]), "%s does not fire", name)
		require.False(t, fires(t, rules[name].Expr, history[1]), "%s fires without a cause", name)
	}
}

// fires evaluates an expression with Prometheus's engine, 30 minutes after the history started.
func fires(t *testing.T, expr, history string) bool {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: 100_000, Timeout: time.Minute, Parser: parser.NewParser(parser.Options{}),
	})
	at := time.Unix(0, 0).Add(30 * time.Minute)
	query, err := engine.NewInstantQuery(t.Context(), storageOf(t, history), promql.NewPrometheusQueryOpts(false, 0, nil), expr, at)
	require.NoError(t, err)
	defer query.Close()
	vector, err := query.Exec(t.Context()).Vector()
	require.NoError(t, err)
	return len(vector) > 0
}
