package telemetry

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Proves: F37, V16.2.5
func TestASpanTellsNothingPersonalAndNoSecret(t *testing.T) {
	t.Parallel()
	tracer, told := tracer(t, Options{Share: 1})
	_, link := tracer.Start(t.Context(), "another")
	_, span := tracer.Start(t.Context(), "POST /api/posts", trace.WithLinks(trace.Link{
		SpanContext: link.SpanContext(), Attributes: []attribute.KeyValue{attribute.String("who", "canary")},
	}))
	for _, key := range []string{
		"url.path", "url.query", "client.address", "user_agent.original", "network.peer.address", "server.address", "db.query.text",
		"exception.message", "enduser.id", "http.request.header.cookie", "http.request.body", "something.new",
	} {
		span.SetAttributes(attribute.String(key, "canary"))
	}
	span.SetAttributes(attribute.String("url.full", "https://canary:canary@x.example/2/tweets?token=canary#canary"),
		attribute.String("http.route", "/api/posts"), attribute.String("temporalWorkflowID", "post:1"))
	span.AddEvent("canary", trace.WithAttributes(attribute.String("canary", "canary")))
	span.RecordError(errors.New("canary"))
	span.SetStatus(codes.Error, "canary")
	span.End()

	require.Len(t, told(), 1)
	require.NotContains(t, fmt.Sprintf("%+v", told()), "canary")
	require.Equal(t, codes.Error, told()[0].Status.Code, "that it failed may be told")
	require.ElementsMatch(t, []attribute.KeyValue{
		attribute.String("url.full", "https://x.example/2/tweets"), attribute.String("http.route", "/api/posts"),
		attribute.String("temporalWorkflowID", "post:1"),
	}, told()[0].Attributes)
}
