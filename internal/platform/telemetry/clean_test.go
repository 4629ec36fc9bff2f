package telemetry

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Proves: F37, V16.2.5
func TestASpanTellsNothingPersonalAndNoSecret(t *testing.T) {
	t.Parallel()
	tracer, exported := tracer(t, Options{Share: 1})
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

	require.Len(t, exported(), 1)
	require.NotContains(t, fmt.Sprintf("%+v", exported()), "canary")
	require.Equal(t, codes.Error, exported()[0].Status.Code, "the failure itself is exported")
	require.ElementsMatch(t, []attribute.KeyValue{
		attribute.String("url.full", "https://x.example/2/tweets"), attribute.String("http.route", "/api/posts"),
		attribute.String("temporalWorkflowID", "post:1"),
	}, exported()[0].Attributes)
}

// FuzzBare: the exported URL has no user, query and fragment.
func FuzzBare(f *testing.F) {
	for _, address := range []string{
		"https://user:secret-word@example.com/a?token=secret-word#secret-word", "https://example.com/?secret-word", "//secret-word@example.com", "mailto:secret-word@example.com", "https://example.com/%zz?secret-word", "",
		"https://[::1%25eth0]/", "example.com:80?secret-word", "http://a b/", "data:text/plain,secret-word",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		exported := bare(address)
		u, err := url.Parse(exported)
		require.NoError(t, err)
		require.Nil(t, u.User)
		require.Empty(t, u.RawQuery)
		require.Empty(t, u.Fragment)
		require.False(t, strings.ContainsAny(exported, "?#"), exported)
	})
}

const (
	callersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	callersSpan  = "00f067aa0ba902b7"
)

// untrustedHeaders are the trace headers of a request; the flag 01 requests recording.
func untrustedHeaders(flag string) propagation.MapCarrier {
	return propagation.MapCarrier{
		"traceparent": "00-" + callersTrace + "-" + callersSpan + "-" + flag, "tracestate": "a=canary", "baggage": "b=canary",
	}
}

func TestAStrangersWishDoesNotCountButItsIDsDo(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		share    float64
		flag     string
		recorded bool
	}{
		"wants recording, the share is 0":    {0, "01", false},
		"wants no recording, the share is 1": {1, "00", true},
		"wants recording, the share is 1":    {1, "01", true},
		"wants no recording, the share is 0": {0, "00", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tracer, exported := tracer(t, Options{Share: tt.share})
			ctx, span := tracer.Start(Strangers().Extract(t.Context(), untrustedHeaders(tt.flag)), "GET /api/posts")
			require.Equal(t, callersTrace, span.SpanContext().TraceID().String())
			require.Equal(t, tt.recorded, span.SpanContext().IsSampled())
			require.Empty(t, span.SpanContext().TraceState().String())
			oneSpan(ctx, tracer)
			span.End()
			if !tt.recorded {
				require.Empty(t, exported())
				return
			}
			require.Len(t, exported(), 2, "child spans follow the decision")
			require.Equal(t, callersSpan, exported()[1].Parent.SpanID().String())
		})
	}
}

func TestStrangersCannotChooseIDsThatAreRecorded(t *testing.T) {
	t.Parallel()
	const requests, share = 2000, 0.25
	tracer, exported := tracer(t, Options{Share: share})
	for range requests {
		oneSpan(Strangers().Extract(t.Context(), untrustedHeaders("01")), tracer)
	}
	require.InDelta(t, share*requests, len(exported()), 0.1*requests, "with the same trace ID each time")
}

func TestWhatIsNoTraceparentBeginsATrace(t *testing.T) {
	t.Parallel()
	tracer, exported := tracer(t, Options{Share: 1})
	for _, header := range []string{"", "00", "00-" + callersTrace, "00-00000000000000000000000000000000-0000000000000000-01"} {
		oneSpan(Strangers().Extract(t.Context(), propagation.MapCarrier{"traceparent": header}), tracer)
	}
	for _, span := range exported() {
		require.False(t, span.Parent.IsValid())
		require.NotEqual(t, callersTrace, span.SpanContext.TraceID().String())
	}
	require.Len(t, exported(), 4)
}

// TestAnotherProcessOfOursIsFollowed: Temporal's headers are trusted, so the first process decides.
func TestAnotherProcessOfOursIsFollowed(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"00", "01"} {
		for _, share := range []float64{0, 1} {
			tracer, _ := tracer(t, Options{Share: share})
			_, span := tracer.Start(propagation.TraceContext{}.Extract(t.Context(), untrustedHeaders(flag)), "RunWorkflow:Post")
			require.Equal(t, flag == "01", span.SpanContext().IsSampled(), "share %v", share)
		}
	}
}

func TestFlowsWithoutAnEndBeginNoTrace(t *testing.T) {
	t.Parallel()
	tracer, exported := tracer(t, Options{Share: 1, Quiet: []string{"SelfHeal"}})
	for _, name := range []string{"StartWorkflow:SelfHeal", "RunWorkflow:SelfHeal"} {
		ctx, span := tracer.Start(t.Context(), name)
		oneSpan(ctx, tracer)
		span.End()
	}
	require.Empty(t, exported())
	ctx, asked := tracer.Start(t.Context(), "GET /x", trace.WithNewRoot())
	_, span := tracer.Start(ctx, "SignalWorkflow:SelfHeal")
	span.End()
	asked.End()
	require.Len(t, exported(), 2, "a signal is part of the request that sends it")
}
