package telemetry

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
)

// made is a client that only counts schedules.
type made struct {
	interceptor.ClientOutboundInterceptorBase
	schedules int
}

func (m *made) CreateSchedule(context.Context, *interceptor.ScheduleClientCreateInput) (client.ScheduleHandle, error) {
	m.schedules++
	return nil, errors.New("made, and nobody to ask of it")
}

// It has the tracer of the process to itself, and is not parallel.
func TestAScheduleBelongsToNoTrace(t *testing.T) {
	told := tracetest.NewInMemoryExporter()
	stop, err := Start(t.Context(), Options{Exporter: told, Share: 1})
	require.NoError(t, err)
	defer stop()
	ctx, request := otel.Tracer("test").Start(t.Context(), "POST /api/series")
	m := &made{}
	require.Len(t, Flows(), 1)
	_, err = Flows()[0].InterceptClient(m).CreateSchedule(ctx, &interceptor.ScheduleClientCreateInput{Options: &client.ScheduleOptions{ID: "series:1"}})
	require.Error(t, err, "the stand-in's")
	request.End()
	require.Equal(t, 1, m.schedules)
	require.Len(t, told.GetSpans(), 1, "its runs go on when the request is long over")
}
