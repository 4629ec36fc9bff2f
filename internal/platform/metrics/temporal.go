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

// Temporal lets Temporal's client and workers count into a registry, as temporal_….
func Temporal(registry prometheus.Registerer) (client.MetricsHandler, error) {
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo(), exporter.WithoutTargetInfo(),
		exporter.WithTranslationStrategy(otlptranslator.UnderscoreEscapingWithSuffixes))
	if err != nil {
		return nil, fmt.Errorf("metrics of Temporal: %w", err)
	}
	provider := metric.NewMeterProvider(metric.WithReader(reader), metric.WithView(narrow), metric.WithResource(resource.Empty()))
	return opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{
		Meter: provider.Meter("temporal"), UseMonotonicCounters: true,
		OnError: func(err error) { slog.Warn("a metric of Temporal's client is left out", "error", err) },
	}), nil
}

// unread are metrics that nobody needs here: what another one tells as well, each attempt of what
// is counted as a whole, what long polls take, and the time of flows that wait for weeks. The time
// of steps is measured by the worker, local ones included.
var unread = regexp.MustCompile(`^temporal_(nexus_.*|.*_attempt|long_request_latency|workflow_endtoend_latency|workflow_task_replay_latency|` +
	`(local_)?activity_(succeed_endtoend|execution)_latency|local_activity_(canceled|failed|total))$`)

// same are labels that never differ, or that nobody asks by: without them there are far fewer series.
var same = []struct {
	names  *regexp.Regexp
	labels []attribute.Key
}{
	{regexp.MustCompile(`_request`), []attribute.Key{"workflow_type", "activity_type", "task_queue"}},
	{regexp.MustCompile(`_(workflow|sticky_cache|worker|poller|num_pollers)`), []attribute.Key{"activity_type"}},
	{regexp.MustCompile(`_(sticky_cache|worker|poller|num_pollers)`), []attribute.Key{"workflow_type"}},
	{regexp.MustCompile(``), []attribute.Key{"client_name", "namespace", "nexus_service", "nexus_operation"}},
}

// seconds are the buckets of Temporal's times.
var seconds = []float64{.01, .03, .1, .3, 1, 3, 10, 60}

// narrow keeps out what nobody reads.
func narrow(i metric.Instrument) (metric.Stream, bool) {
	var dropped []attribute.Key
	for _, rule := range same {
		if rule.names.MatchString(i.Name) {
			dropped = append(dropped, rule.labels...)
		}
	}
	stream := metric.Stream{
		Name: i.Name, Description: i.Description, Unit: i.Unit, AttributeFilter: attribute.NewDenyKeysFilter(dropped...),
	}
	switch {
	case unread.MatchString(i.Name):
		stream.Aggregation = metric.AggregationDrop{}
	case i.Kind == metric.InstrumentKindHistogram:
		stream.Aggregation = metric.AggregationExplicitBucketHistogram{Boundaries: seconds, NoMinMax: true}
	}
	return stream, true
}
