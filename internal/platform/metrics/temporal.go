package metrics

import (
	"fmt"
	"log/slog"
	"regexp"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/otel/attribute"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
)

// Temporal returns a handler that exports the metrics of Temporal's client and workers as temporal_….
func Temporal(registry prometheus.Registerer) (client.MetricsHandler, error) {
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo(), exporter.WithoutTargetInfo(),
		exporter.WithTranslationStrategy(otlptranslator.UnderscoreEscapingWithSuffixes))
	if err != nil {
		return nil, fmt.Errorf("metrics of Temporal: %w", err)
	}
	provider := metric.NewMeterProvider(metric.WithReader(reader), metric.WithView(narrow), metric.WithResource(resource.Empty()))
	return opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{
		Meter: provider.Meter("temporal"), UseMonotonicCounters: true,
		OnError: func(err error) { slog.Warn("a metric of Temporal's client is not exported", "error", err) },
	}), nil
}

// dropped matches metrics that no alert or dashboard needs: duplicates, single attempts, latencies of long
// polls, and durations of workflows that wait for weeks. The worker measures the time of activities.
var dropped = regexp.MustCompile(`^temporal_(nexus_.*|.*_attempt|long_request_latency|workflow_endtoend_latency|workflow_task_replay_latency|` +
	`(local_)?activity_(succeed_endtoend|execution)_latency|local_activity_(canceled|failed|total))$`)

// unusedLabels never differ or are used by no query. Without them there are far fewer series.
var unusedLabels = []struct {
	names  *regexp.Regexp
	labels []attribute.Key
}{
	{regexp.MustCompile(`_request`), []attribute.Key{"workflow_type", "activity_type", "task_queue"}},
	{regexp.MustCompile(`_(workflow|sticky_cache|worker|poller|num_pollers)`), []attribute.Key{"activity_type"}},
	{regexp.MustCompile(`_(sticky_cache|worker|poller|num_pollers)`), []attribute.Key{"workflow_type"}},
	{regexp.MustCompile(``), []attribute.Key{"client_name", "namespace", "nexus_service", "nexus_operation"}},
}

// buckets are the upper bounds of Temporal's latencies, in seconds.
var buckets = []float64{.01, .03, .1, .3, 1, 3, 10, 60}

// narrow removes unneeded metrics and labels.
func narrow(i metric.Instrument) (metric.Stream, bool) {
	var labels []attribute.Key
	for _, rule := range unusedLabels {
		if rule.names.MatchString(i.Name) {
			labels = append(labels, rule.labels...)
		}
	}
	stream := metric.Stream{
		Name: i.Name, Description: i.Description, Unit: i.Unit, AttributeFilter: attribute.NewDenyKeysFilter(labels...),
	}
	switch {
	case dropped.MatchString(i.Name):
		stream.Aggregation = metric.AggregationDrop{}
	case i.Kind == metric.InstrumentKindHistogram:
		stream.Aggregation = metric.AggregationExplicitBucketHistogram{Boundaries: buckets, NoMinMax: true}
	}
	return stream, true
}
