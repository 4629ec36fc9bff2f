//go:build proof

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheTimeOfATestIsThatOfItsParts(t *testing.T) {
	t.Parallel()
	found := outcome{tests: map[string]ending{
		"TestOne": {"pass", time.Second},
		"TestTwo": {"pass", time.Second}, "TestTwo/a": {"pass", 2 * time.Second}, "TestTwo/b": {"pass", time.Second},
		"TestTwo/b/c": {"pass", 4 * time.Second}, "TestTwoMore": {"pass", time.Hour},
	}}
	require.Equal(t, time.Second, found.timeOf(row(1, []string{"TestOne"}, nil).Tests[0]))
	require.Equal(t, 6*time.Second, found.timeOf(row(1, []string{"TestTwo"}, nil).Tests[0]))
}
