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

// What is told of an address is neither who asks nor what for.
func FuzzBare(f *testing.F) {
	for _, address := range []string{
		"https://user:secret-word@example.com/a?token=secret-word#secret-word", "https://example.com/?secret-word", "//secret-word@example.com", "mailto:secret-word@example.com", "https://example.com/%zz?secret-word", "",
		"https://[::1%25eth0]/", "example.com:80?secret-word", "http://a b/", "data:text/plain,secret-word",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		told := bare(address)
		u, err := url.Parse(told)
		require.NoError(t, err)
		require.Nil(t, u.User)
		require.Empty(t, u.RawQuery)
		require.Empty(t, u.Fragment)
		require.False(t, strings.ContainsAny(told, "?#"), told)
	})
}

const (
	strangersTrace = "4bf92f3577b34da6a3ce929d0e0e4736"
	strangersSpan  = "00f067aa0ba902b7"
)

// stranger is what a request brings along that wants to be recorded, or not to be.
func stranger(flag string) propagation.MapCarrier {
	return propagation.MapCarrier{
		"traceparent": "00-" + strangersTrace + "-" + strangersSpan + "-" + flag, "tracestate": "a=canary", "baggage": "b=canary",
	}
}

func TestAStrangersWishDoesNotCountButItsIDsDo(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		share    float64
		flag     string
		recorded bool
	}{
		"wants to be recorded where nothing is": {0, "01", false},
		"wants not to be where everything is":   {1, "00", true},
		"wants what is so":                      {1, "01", true},
		"wants not to be, and is not":           {0, "00", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tracer, told := tracer(t, Options{Share: tt.share})
			ctx, span := tracer.Start(Strangers().Extract(t.Context(), stranger(tt.flag)), "GET /api/posts")
			require.Equal(t, strangersTrace, span.SpanContext().TraceID().String())
			require.Equal(t, tt.recorded, span.SpanContext().IsSampled())
			require.Empty(t, span.SpanContext().TraceState().String())
			oneSpan(ctx, tracer)
			span.End()
			if !tt.recorded {
				require.Empty(t, told())
				return
			}
			require.Len(t, told(), 2, "what comes of it is decided with it")
			require.Equal(t, strangersSpan, told()[1].Parent.SpanID().String())
		})
	}
}

func TestStrangersCannotChooseIDsThatAreRecorded(t *testing.T) {
	t.Parallel()
	const requests, share = 2000, 0.25
	tracer, told := tracer(t, Options{Share: share})
	for range requests {
		oneSpan(Strangers().Extract(t.Context(), stranger("01")), tracer)
	}
	require.InDelta(t, share*requests, len(told()), 0.1*requests, "the same id, again and again")
}

func TestWhatIsNoTraceparentBeginsATrace(t *testing.T) {
	t.Parallel()
	tracer, told := tracer(t, Options{Share: 1})
	for _, said := range []string{"", "00", "00-" + strangersTrace, "00-00000000000000000000000000000000-0000000000000000-01"} {
		oneSpan(Strangers().Extract(t.Context(), propagation.MapCarrier{"traceparent": said}), tracer)
	}
	for _, span := range told() {
		require.False(t, span.Parent.IsValid())
		require.NotEqual(t, strangersTrace, span.SpanContext.TraceID().String())
	}
	require.Len(t, told(), 4)
}

// Temporal's headers are ours: what one process decided, the others follow.
func TestAnotherProcessOfOursIsFollowed(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"00", "01"} {
		for _, share := range []float64{0, 1} {
			tracer, _ := tracer(t, Options{Share: share})
			_, span := tracer.Start(propagation.TraceContext{}.Extract(t.Context(), stranger(flag)), "RunWorkflow:Post")
			require.Equal(t, flag == "01", span.SpanContext().IsSampled(), "share %v", share)
		}
	}
}

func TestFlowsWithoutAnEndBeginNoTrace(t *testing.T) {
	t.Parallel()
	tracer, told := tracer(t, Options{Share: 1, Quiet: []string{"SelfHeal"}})
	for _, name := range []string{"StartWorkflow:SelfHeal", "RunWorkflow:SelfHeal"} {
		ctx, span := tracer.Start(t.Context(), name)
		oneSpan(ctx, tracer)
		span.End()
	}
	require.Empty(t, told())
	ctx, asked := tracer.Start(t.Context(), "GET /x", trace.WithNewRoot())
	_, span := tracer.Start(ctx, "SignalWorkflow:SelfHeal")
	span.End()
	asked.End()
	require.Len(t, told(), 2, "what a request asks of one is part of the request")
}
