package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLatenessIsMeasuredAtX(t *testing.T) {
	t.Parallel()
	due := time.Now()
	d := dues{at: map[string]time.Time{"one": due, "two": due}}
	came := map[string]time.Time{"one": due.Add(time.Millisecond), "two": due.Add(time.Second)}
	cameAt := func(text string) time.Time { return came[text] }
	late, err := d.arrive(t.Context(), cameAt)
	require.NoError(t, err)
	require.ElementsMatch(t, []time.Duration{time.Millisecond, time.Second}, late)

	came["two"] = due.Add(-time.Millisecond)
	_, err = d.arrive(t.Context(), cameAt)
	require.ErrorContains(t, err, "too early")
}
