// Package telemetrytest is a trace collector for tests, which check that expected spans arrive and that no
// span contains a secret.
package telemetrytest

import (
	"context"
	"strings"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// Collector keeps the texts of all spans, as they would be exported, and the complete spans of followed traces.
type Collector struct {
	mu       sync.Mutex
	words    map[string]bool
	followed map[trace.TraceID]tracetest.SpanStubs
}

// New returns an empty Collector.
func New() *Collector {
	return &Collector{words: map[string]bool{}, followed: map[trace.TraceID]tracetest.SpanStubs{}}
}

// ExportSpans implements trace.SpanExporter.
func (c *Collector) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, span := range tracetest.SpanStubsFromReadOnlySpans(spans) {
		c.read(span)
		id := span.SpanContext.TraceID()
		if spans, ok := c.followed[id]; ok {
			c.followed[id] = append(spans, span)
		}
	}
	return nil
}

func (c *Collector) read(span tracetest.SpanStub) {
	c.words[span.Name], c.words[span.Status.Description] = true, true
	c.words[span.SpanContext.TraceState().String()] = true
	attributes := span.Attributes
	for _, event := range span.Events {
		c.words[event.Name] = true
		attributes = append(attributes, event.Attributes...)
	}
	for _, a := range attributes {
		c.words[string(a.Key)+"="+a.Value.String()] = true
	}
}

// Shutdown implements trace.SpanExporter.
func (c *Collector) Shutdown(context.Context) error { return nil }

// Holds reports whether any text of a span contains word.
func (c *Collector) Holds(word string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for text := range c.words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// Follow keeps the spans of a trace from now on.
func (c *Collector) Follow(id trace.TraceID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.followed[id] = nil
}

// Of returns the spans of a followed trace.
func (c *Collector) Of(id trace.TraceID) tracetest.SpanStubs {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(tracetest.SpanStubs(nil), c.followed[id]...)
}
