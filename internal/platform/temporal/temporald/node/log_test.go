package node

import (
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/log/tag"
)

func TestAdapter(t *testing.T) {
	t.Parallel()
	lost := tag.Error(errors.New("port lost"))
	tests := map[string]struct {
		speak func(adapter)
		quiet bool
		want  string
		code  int
	}{
		"drops what is below the level": {speak: func(a adapter) { a.Debug("x"); a.Info("x", lost) }},
		"keeps the tags":                {speak: func(a adapter) { a.Warn("slow", tag.ShardID(1)) }, want: `level=WARN msg=slow shard-id=1`},
		"speaks errors":                 {speak: func(a adapter) { a.Error("bad", lost) }, want: `level=ERROR msg=bad error="port lost"`},
		"says nothing during a stop":    {speak: func(a adapter) { a.Error("bad"); a.DPanic("bad") }, quiet: true},
		"ends the process when fatal":   {speak: func(a adapter) { a.Fatal("bad", lost) }, quiet: true, want: `error="port lost"`, code: 1},
		"panics when asked to": {
			speak: func(a adapter) { defer func() { _ = recover() }(); a.Panic("bad"); a.Fatal("came back") },
			want:  "level=ERROR msg=bad",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			code, quiet := 0, &atomic.Bool{}
			quiet.Store(tt.quiet)
			tt.speak(adapter{
				logger: slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn})),
				quiet:  quiet, exit: func(c int) { code = c },
			})
			require.Contains(t, out.String(), tt.want)
			require.Equal(t, tt.want == "", out.String() == "")
			require.Equal(t, tt.code, code)
		})
	}
}
