package testseed

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheSeedDecidesTheNumbers(t *testing.T) {
	t.Setenv(Setting, "7")
	require.EqualValues(t, 7, Seed(t))
	first, second := New(t).Uint64(), New(t).Uint64()
	require.Equal(t, first, second)
	require.NotEqual(t, Of(t, 7, 0).Uint64(), Of(t, 7, 1).Uint64(), "each goroutine has its own")
	require.NotEqual(t, Of(t, 7, 0).Uint64(), Of(t, 8, 0).Uint64())
	t.Run("another test has its own", func(t *testing.T) { require.NotEqual(t, first, New(t).Uint64()) })
}
