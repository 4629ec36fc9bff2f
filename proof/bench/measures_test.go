package main

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAMeasureThatFailsKeepsNoOtherFromBeingTaken(t *testing.T) {
	t.Parallel()
	one, two := figure{Subject: "one"}, figure{Subject: "two"}
	figures, err := runAll(t.Context(), []measure{
		{"broken", time.Minute, func(context.Context) ([]figure, error) { return []figure{one}, errors.New("no luck") }},
		{"endless", time.Nanosecond, func(ctx context.Context) ([]figure, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}},
		{"well", time.Minute, func(context.Context) ([]figure, error) { return []figure{two}, nil }},
	}, io.Discard)
	require.ErrorContains(t, err, "broken: no luck")
	require.ErrorContains(t, err, "endless: not over after 1ns")
	require.Equal(t, []figure{one, two}, figures)
}

func TestOneMissedTargetIsMissed(t *testing.T) {
	t.Parallel()
	good, bad := figure{Ours: 1, Target: atMost(1)}, figure{Ours: 2, Target: atMost(1)}
	require.NoError(t, verdictOn([]figure{good, {}}))
	require.ErrorIs(t, verdictOn([]figure{good, bad}), errMissed)
	bad.Subject = "Slots"
	bad.What = "slots of scheduled posts, one after the other"
	require.NoError(t, verdictOn([]figure{good, bad}), "why is known, and told")
	require.Equal(t, 0, exit(nil))
	require.Equal(t, 1, exit(errMissed))
	require.Equal(t, 2, exit(errors.New("no luck")))
}

func TestEveryMeasureHasANameAndATime(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, m := range (&bench{}).measures() {
		require.NotEmpty(t, m.name)
		require.False(t, known[m.name], m.name)
		require.Positive(t, m.within)
		require.NotNil(t, m.run)
		known[m.name] = true
	}
}

func TestAnswersThatAreLateByChanceAreAskedForAgain(t *testing.T) {
	t.Parallel()
	small, large := &elder{posts: 1}, &elder{posts: 2}
	for name, tt := range map[string]struct {
		later time.Duration // what the large one takes after the first time
		taken int
		met   bool
	}{
		"by chance": {time.Millisecond, 2, true},
		"always":    {9 * time.Millisecond, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken := 0
			found, err := compareOn("SQLite", "a page", []*elder{small, large}, func() ([][]time.Duration, error) {
				taken++
				if taken == 1 {
					return [][]time.Duration{{time.Millisecond}, {9 * time.Millisecond}}, nil
				}
				return [][]time.Duration{{time.Millisecond, time.Millisecond}, {tt.later, tt.later}}, nil
			})
			require.NoError(t, err)
			require.Equal(t, tt.taken, taken)
			require.Equal(t, tt.met, found.met(), found)
		})
	}
}
