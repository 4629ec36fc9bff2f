package telemetry

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// exportWithin bounds the delivery of a batch, with its second tries. Spans that come meanwhile
// wait in a queue of a fixed length, and are dropped when it is full.
const exportWithin = 10 * time.Second

// collector hands spans to the collector. It complains once of an outage, not of each batch.
type collector struct {
	sdktrace.SpanExporter
	host string // as it may be logged
	out  atomic.Bool
}

func newCollector(ctx context.Context, endpoint string) (*collector, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return nil, errors.New("OTEL_EXPORTER_OTLP_ENDPOINT is not a URL that begins with http:// or https://")
	}
	options := []otlptracehttp.Option{
		otlptracehttp.WithEndpoint(u.Host), otlptracehttp.WithURLPath(strings.TrimRight(u.Path, "/") + "/v1/traces"),
		otlptracehttp.WithTimeout(exportWithin / 2),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: time.Second, MaxInterval: exportWithin / 4, MaxElapsedTime: exportWithin,
		}),
	}
	if u.Scheme != "https" {
		options = append(options, otlptracehttp.WithInsecure())
	}
	if u.User != nil {
		password, _ := u.User.Password()
		login := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
		options = append(options, otlptracehttp.WithHeaders(map[string]string{"Authorization": "Basic " + login}))
	}
	exporter, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, errors.New("the collector of OTEL_EXPORTER_OTLP_ENDPOINT cannot be used")
	}
	return &collector{SpanExporter: exporter, host: u.Host}, nil
}

// ExportSpans says when deliveries begin to fail, and when they succeed again. What the library
// says of it stays at debug: it repeats what the collector answered.
func (c *collector) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !c.out.Swap(true):
		slog.Warn("traces are lost, because the collector does not take them; everything else works. Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT",
			"collector", c.host)
	case err == nil && c.out.Swap(false):
		slog.Info("the collector takes traces again", "collector", c.host)
	}
	return err
}
