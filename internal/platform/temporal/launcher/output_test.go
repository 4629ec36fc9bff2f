package launcher

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutput(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		writes []string
		want   []string
	}{
		"a line is told when it ends":      {writes: []string{"a", "b\nc"}, want: []string{"ab"}},
		"several lines may come at once":   {writes: []string{"a\nb\n"}, want: []string{"a", "b"}},
		"a line without an end is cut":     {writes: []string{strings.Repeat("x", 5000), "y\nz\n"}, want: []string{strings.Repeat("x", 4096) + "y", "z"}},
		"a line loses the space around it": {writes: []string{" a\r\n"}, want: []string{"a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			var logs strings.Builder
			out := &output{mu: &sync.Mutex{}, to: &logs, line: func(line string) { got = append(got, line) }}
			for _, text := range tt.writes {
				n, err := out.Write([]byte(text))
				require.NoError(t, err)
				require.Equal(t, len(text), n)
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, strings.Join(tt.writes, ""), logs.String())
		})
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestOutputSurvivesItsLog(t *testing.T) {
	t.Parallel()
	out := &output{mu: &sync.Mutex{}, to: brokenWriter{}, line: func(string) {}}
	n, err := out.Write([]byte("a\n"))
	require.NoError(t, err)
	require.Equal(t, 2, n)
}
