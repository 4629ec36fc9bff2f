package metrics_test

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"customerzero/internal/platform/metrics"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/internal/platform/testwait"
)

var update = flag.Bool("update", false, "write the list of used metrics of Temporal")

const temporalMetrics = "../../../deploy/prometheus/metrics/temporal.txt"

// TestTemporalTellsWhatAlarmsAndDashboardsAskFor writes a list against which tools/deploy checks alerts and
// dashboards. Run with -update after a change of these.
func TestTemporalTellsWhatAlarmsAndDashboardsAskFor(t *testing.T) {
	t.Parallel()
	registry := metrics.NewRegistry("test")
	handler, err := metrics.Temporal(registry)
	require.NoError(t, err)
	runWorkflows(t, handler)

	families, err := registry.Gather()
	require.NoError(t, err)
	types := map[string]string{}
	for _, family := range families {
		types[family.GetName()] = strings.ToLower(family.GetType().String())
		for _, m := range family.GetMetric() {
			for _, label := range m.GetLabel() {
				require.NotContains(t, []string{"namespace", "client_name", "otel_scope_name"}, label.GetName(), family.GetName())
			}
		}
	}
	var lines []string
	for _, name := range usedMetrics(t) {
		require.Contains(t, types, name)
		lines = append(lines, name+" "+types[name]+"\n")
	}
	if *update {
		require.NoError(t, os.WriteFile(temporalMetrics, []byte(strings.Join(lines, "")), 0o600))
	}
	written, err := os.ReadFile(temporalMetrics)
	require.NoError(t, err)
	require.Equal(t, string(written), strings.Join(lines, ""))
	text := scrapeOf(t, registry)
	require.Regexp(t, `temporal_workflow_task_execution_failed_total\{.*failure_reason="NonDeterminismError".*workflow_type="Changed"`, text)
	require.Regexp(t, `temporal_num_pollers\{poller_type="workflow_task",task_queue="core"`, text)
	require.NotContains(t, text, "endtoend")
}

// usedMetrics lists the metrics in alerts and dashboards, without the suffixes of histograms.
func usedMetrics(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../../../deploy/grafana/dashboards/*.json")
	require.NoError(t, err)
	for _, file := range append(files, "../../../deploy/prometheus/alerts.yml") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, name := range regexp.MustCompile(`\btemporal_[a-z_]+\b`).FindAllString(string(text), -1) {
			names = append(names, regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, ""))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

const queue = "core"

// runWorkflows lets workflows end in every way, and one fail its replay with changed code.
func runWorkflows(t *testing.T, handler client.MetricsHandler) {
	t.Helper()
	server, err := launcher.Start(t.Context(), launcher.Options{
		Bin: filepath.Join("..", "..", "..", "bin", "temporald"), DBFile: filepath.Join(t.TempDir(), "temporal.db"),
	})
	require.NoError(t, err, "run make build first")
	t.Cleanup(func() { require.NoError(t, server.Stop(context.WithoutCancel(t.Context()))) })
	c, err := client.DialContext(t.Context(), client.Options{
		HostPort: server.Address(), MetricsHandler: handler, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)

	first := newWorker(t, c, func(ctx workflow.Context) error { return workflow.Sleep(ctx, time.Hour) })
	begin := func(flow string, in ...any) client.WorkflowRun {
		run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: flow, TaskQueue: queue}, flow, in...)
		require.NoError(t, err)
		return run
	}
	changed, left := begin("Changed"), begin("Left")
	require.NoError(t, begin("Fine", 2).Get(t.Context(), nil))
	require.Error(t, begin("Broken").Get(t.Context(), nil))
	require.NoError(t, c.CancelWorkflow(t.Context(), left.GetID(), ""))
	require.Error(t, left.Get(t.Context(), nil))
	require.Error(t, c.CancelWorkflow(t.Context(), "unknown", ""))
	require.Eventually(t, func() bool {
		text, err := c.DescribeWorkflowExecution(t.Context(), changed.GetID(), "")
		return err == nil && text.GetWorkflowExecutionInfo().GetHistoryLength() > 4 // its timer runs
	}, testwait.Limit, 50*time.Millisecond)
	first.Stop()

	worker.PurgeStickyWorkflowCache()
	second := newWorker(t, c, func(ctx workflow.Context) error { return step(ctx, "Do") })
	defer second.Stop()
	require.NoError(t, c.SignalWorkflow(t.Context(), changed.GetID(), "", "go-on", nil))
	require.Eventually(t, func() bool {
		text, err := c.DescribeWorkflowExecution(t.Context(), changed.GetID(), "")
		return err == nil && text.GetPendingWorkflowTask().GetAttempt() > 1
	}, testwait.Limit, 50*time.Millisecond)
}

func newWorker(t *testing.T, c client.Client, changed func(workflow.Context) error) worker.Worker {
	t.Helper()
	w := worker.New(c, queue, worker.Options{})
	register := func(name string, flow any) { w.RegisterWorkflowWithOptions(flow, workflow.RegisterOptions{Name: name}) }
	register("Changed", changed)
	register("Left", func(ctx workflow.Context) error { return workflow.Sleep(ctx, time.Hour) })
	register("Broken", func(ctx workflow.Context) error { return step(ctx, "Fail") })
	register("Fine", func(ctx workflow.Context, times int) error {
		if err := step(ctx, "Do"); err != nil || times == 0 {
			return err
		}
		return workflow.NewContinueAsNewError(ctx, "Fine", times-1)
	})
	w.RegisterActivityWithOptions(func() error { return nil }, activity.RegisterOptions{Name: "Do"})
	w.RegisterActivityWithOptions(func() error { return errors.New("weather") }, activity.RegisterOptions{Name: "Fail"})
	require.NoError(t, w.Start())
	return w
}

func step(ctx workflow.Context, name string) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, DisableEagerExecution: true, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	return workflow.ExecuteActivity(ctx, name).Get(ctx, nil)
}
