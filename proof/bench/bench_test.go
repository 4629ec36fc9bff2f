package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStartAndMemoryAreHeldAgainstTheServerAlone(t *testing.T) {
	t.Parallel()
	alone := []sample{{first: time.Second, again: 250 * time.Millisecond, rss: 100 << 10, pss: 100 << 10}}
	for name, tt := range map[string]struct {
		up     sample
		missed int
	}{
		"within the targets":      {sample{first: time.Second, again: 500 * time.Millisecond, rss: 150 << 10, pss: 300 << 10}, 0},
		"too slow":                {sample{first: time.Second, again: 501 * time.Millisecond, rss: 150 << 10}, 1},
		"too large":               {sample{first: time.Second, again: 500 * time.Millisecond, rss: 151 << 10}, 1},
		"too slow, and too large": {sample{first: time.Second, again: time.Second, rss: 200 << 10}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.up.cellRSS, tt.up.cellPSS = 60<<10, 50<<10
			figures := results{alone, []sample{tt.up}}.figures()
			require.Len(t, missed(figures), tt.missed)
			var out strings.Builder
			printTables(&out, figures)
			require.Equal(t, tt.missed, strings.Count(out.String(), "MISSED"), out.String())
			require.Regexp(t, `the cell.*60 MB`, out.String(), "it is told of, and counted nowhere else")
		})
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	require.Contains(t, children(os.Getppid()), os.Getpid())
	grand, err := field(os.Getppid(), "status", "PPid:")
	require.NoError(t, err)
	require.Contains(t, family(grand), os.Getpid(), "children's children, too")
	require.False(t, runs(os.Getpid(), "target"))
	rss, pss, err := memory([]int{os.Getpid()})
	require.NoError(t, err)
	require.Positive(t, rss)
	require.Positive(t, pss)
	_, _, err = memory([]int{-1})
	require.Error(t, err)
}
