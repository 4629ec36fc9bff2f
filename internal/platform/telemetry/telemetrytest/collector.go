// Package telemetrytest is a collector for tests: it keeps what traces tell, so that it can be held against
// what they should tell, and searched for what they must not.
package telemetrytest

import (
	"context"
	"strings"
	"sync"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// Collector takes spans instead of a collector, cleaned as they would leave. It keeps what they say, and the whole spans of the traces that somebody follows.
type Collector struct {
	mu       sync.Mutex
	words    map[string]bool
	followed map[trace.TraceID]tracetest.SpanStubs
}

// New has been told nothing yet.
func New() *Collector {
	return &Collector{words: map[string]bool{}, followed: map[trace.TraceID]tracetest.SpanStubs{}}
}

// ExportSpans takes spans.
func (c *Collector) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, span := range tracetest.SpanStubsFromReadOnlySpans(spans) {
		c.read(span)
		id := span.SpanContext.TraceID()
		if so, ok := c.followed[id]; ok {
			c.followed[id] = append(so, span)
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

// Shutdown has nothing to do.
func (c *Collector) Shutdown(context.Context) error { return nil }

// Holds says whether any span so far tells a word.
func (c *Collector) Holds(word string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for said := range c.words {
		if strings.Contains(said, word) {
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

// Of is what was told of a trace that is followed.
func (c *Collector) Of(id trace.TraceID) tracetest.SpanStubs {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(tracetest.SpanStubs(nil), c.followed[id]...)
}
