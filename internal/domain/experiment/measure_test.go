package experiment

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		metric    Metric
		threshold float64
		r         Reading
		want      Verdict
	}{
		"at the threshold":             {PostsPublished, 10, Reading{Value: 10, Any: true}, Met},
		"above":                        {Conversion, 10, Reading{Value: 10.1, Any: true}, Met},
		"below":                        {SuccessRate, 99, Reading{Value: 98.99, Any: true}, Missed},
		"none of what was promised":    {Members, 1, Reading{Any: true}, Missed},
		"nothing to measure":           {SuccessRate, 0, Reading{}, Unmeasured},
		"fast enough, to the point":    {HealTime, 5, Reading{Value: 5, Any: true}, Met},
		"faster":                       {HealTime, 5, Reading{Value: 0.4, Any: true}, Met},
		"too slow":                     {HealTime, 5, Reading{Value: 5.001, Any: true}, Missed},
		"no run to measure is no time": {HealTime, 5, Reading{}, Unmeasured},
	} {
		require.Equal(t, tt.want, Judge(tt.metric, tt.threshold, tt.r), name)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	for _, g := range Metrics() {
		found, ok := MetricInfoOf(g.Metric)
		require.True(t, ok)
		require.Equal(t, g, found)
		require.Equal(t, g.Metric == HealTime, g.AtMost)
	}
	_, ok := MetricInfoOf("weather")
	require.False(t, ok)
}

func TestRegistered(t *testing.T) {
	t.Parallel()
	due := noon.Add(48 * time.Hour)
	e, err := in(Planning).Registered(&Registration{HealTime, 2.5, due}, noon)
	require.NoError(t, err)
	require.Equal(t, []any{HealTime, 2.5, due, 8, noon}, []any{e.Metric, *e.Threshold, *e.DueAt, e.Version, e.UpdatedAt})
	e, err = e.Registered(&Registration{Members, 0, noon.Add(time.Hour)}, noon)
	require.NoError(t, err, "another promise, while nothing has begun")
	require.Equal(t, Members, e.Metric)
	e, err = e.Registered(nil, noon)
	require.NoError(t, err)
	require.Equal(t, []any{Metric(""), (*float64)(nil), (*time.Time)(nil), 10}, []any{e.Metric, e.Threshold, e.DueAt, e.Version})

	const (
		percent   = "body.threshold: must be a percentage from 0 to 100"
		number    = "body.threshold: must be from 0 to 1000000"
		seconds   = "body.threshold: must be more than 0 seconds"
		dueBounds = "body.due_at: must be between 1 hour and 365 days from now"
	)
	for name, tt := range map[string]struct {
		r    Registration
		want string
	}{
		"no such metric":    {Registration{"weather", 1, due}, "body.metric: must be a known metric"},
		"more than all":     {Registration{SuccessRate, 100.5, due}, percent},
		"less than none":    {Registration{Conversion, -1, due}, percent},
		"no share":          {Registration{Conversion, math.NaN(), due}, percent},
		"less than no post": {Registration{PostsPublished, -1, due}, number},
		"too many members":  {Registration{Members, 1_000_001, due}, number},
		"no number":         {Registration{Members, math.NaN(), due}, number},
		"healed in no time": {Registration{HealTime, 0, due}, seconds},
		"without an end":    {Registration{HealTime, math.Inf(1), due}, number},
		"too soon":          {Registration{Members, 1, noon.Add(time.Hour - time.Second)}, dueBounds},
		"in the past":       {Registration{Members, 1, noon.Add(-time.Hour)}, dueBounds},
		"too late":          {Registration{Members, 1, noon.Add(365*24*time.Hour + time.Second)}, dueBounds},
		"no date":           {Registration{Members, 1, time.Time{}}, dueBounds},
	} {
		before := in(Planning)
		_, err := before.Registered(&tt.r, noon)
		require.Equal(t, tt.want, refusal(t, err), name)
	}
	for _, r := range []Registration{
		{SuccessRate, 0, noon.Add(time.Hour)}, {Conversion, 100, noon.Add(365 * 24 * time.Hour)}, {HealTime, 0.1, due}, {PostsPublished, 1_000_000, due},
	} {
		_, err := in(Planning).Registered(&r, noon)
		require.NoError(t, err)
	}
}

func TestAMetricIsLockedWhenTheExperimentStarts(t *testing.T) {
	t.Parallel()
	for _, status := range all {
		for _, r := range []*Registration{nil, {Members, 1, noon.Add(48 * time.Hour)}} {
			_, err := in(status).Registered(r, noon)
			if status == Planning {
				require.NoError(t, err)
				continue
			}
			require.Equal(t, problem.MetricLocked, problem.CodeOf(err), status)
			if status != Waiting {
				require.EqualError(t, err, "The metric can't be changed once the experiment is active.")
			}
		}
	}
}

func TestSettled(t *testing.T) {
	t.Parallel()
	due := noon.Add(-time.Second)
	for _, from := range []Status{Active, Testing} {
		e := in(from, due).Settled(Reading{Value: 5, Sample: 5, Any: true}, noon)
		require.Equal(t, []any{Met, 5.0, Completed, 100, noon, 8}, []any{e.Verdict, *e.Measured, e.Status, e.Progress, *e.EndedAt, e.Version})
		again := e.Settled(Reading{Value: 1, Any: true}, noon.Add(time.Hour))
		require.Equal(t, e, again, "the first verdict stays")
	}
	e := in(Active, due).Settled(Reading{}, noon)
	require.Equal(t, Unmeasured, e.Verdict)
	require.Nil(t, e.Measured)
	require.Equal(t, in(Active), in(Active).Settled(Reading{Any: true}, noon), "nothing was promised")
	require.Equal(t, in(Planning, due), in(Planning, due).Settled(Reading{Any: true}, noon))
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for want, numbers := range map[float64][]float64{1: {1}, 1.5: {1, 2}, 2: {1, 2, 9}, 2.5: {1, 2, 3, 9}} {
		got, some := Median(numbers)
		require.True(t, some)
		require.InDelta(t, want, got, 0)
	}
	_, some := Median(nil)
	require.False(t, some)
}
