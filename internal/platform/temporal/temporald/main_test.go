package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"customerzero/internal/platform/temporal/temporald/node"
)

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	garbage := filepath.Join(t.TempDir(), "garbage.db")
	require.NoError(t, os.WriteFile(garbage, bytes.Repeat([]byte("noise "), 1000), 0o600))
	tests := map[string]struct {
		args []string
		code int
		says string
	}{
		"an unknown flag":         {args: []string{"-nope"}, code: 2, says: "temporald: flag provided but not defined: -nope\n"},
		"an argument":             {args: []string{"up"}, code: 2, says: "temporald: unexpected argument \"up\"\n"},
		"a file of other kind":    {args: []string{"-db", garbage, "-port", freePort(t), "-ui-port", "0"}, code: 1, says: "is not a SQLite database"},
		"an attribute of no type": {args: []string{"-search-attributes", "Flow"}, code: 2, says: "is not Name=Type"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			require.Equal(t, tt.code, run(t.Context(), tt.args, strings.NewReader(""), &stdout, &stderr))
			require.Contains(t, stderr.String(), tt.says)
			require.Equal(t, 1, strings.Count(stderr.String(), "\n"), "one sentence: %s", stderr.String())
			require.Empty(t, stdout.String())
		})
	}
}

func TestRunHelps(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"-h"}, strings.NewReader(""), &stdout, &stderr))
	require.Contains(t, stdout.String(), "-exit-with-stdin")
	require.Empty(t, stderr.String())
}

func TestRunStops(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flags []string
		end   func(stdin io.Closer, interrupt func())
	}{
		"when its launcher exits": {
			flags: []string{"-exit-with-stdin"},
			end:   func(stdin io.Closer, _ func()) { _ = stdin.Close() },
		},
		"when it is interrupted": {
			end: func(_ io.Closer, interrupt func()) { interrupt() },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, interrupt := context.WithCancel(t.Context())
			gateOut, gate := io.Pipe()
			lines, stdout := io.Pipe()
			var stderr lockedBuffer
			args := append(tt.flags, "-db", filepath.Join(t.TempDir(), "t.db"), "-port", freePort(t), "-ui-port", freePort(t))
			code := make(chan int)
			go func() { code <- run(ctx, args, gateOut, stdout, &stderr) }()

			line := make([]byte, 200)
			n, err := lines.Read(line)
			require.NoError(t, err)
			require.Regexp(t, `^temporald: serving 127\.0\.0\.1:\d+ after \d+`, string(line[:n]))
			before := stderr.String() // on a busy machine the server may log warnings while it starts
			tt.end(gate, interrupt)
			require.Zero(t, <-code)
			require.Equal(t, before, stderr.String(), "an ordinary shutdown logs nothing")
		})
	}
}

// lockedBuffer is safe for concurrent use.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func TestWithin(t *testing.T) {
	t.Parallel()
	require.True(t, within(time.Minute, func() {}))
	hangs := make(chan struct{})
	defer close(hangs)
	require.False(t, within(time.Millisecond, func() { <-hangs }))
}

func freePort(t *testing.T) string {
	t.Helper()
	ports, err := node.ClaimPorts(1)
	require.NoError(t, err)
	t.Cleanup(ports.Release)
	return strconv.Itoa(ports.Numbers[0])
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text  string
		want  attributes
		fails string
	}{
		"lists names and types": {text: "Flow=Keyword,Amount=Int", want: attributes{
			"Flow": enums.INDEXED_VALUE_TYPE_KEYWORD, "Amount": enums.INDEXED_VALUE_TYPE_INT,
		}},
		"empty text is no attribute":    {text: "", want: attributes{}},
		"a type is needed":              {text: "Flow", fails: `"Flow" is not Name=Type`},
		"a name is needed":              {text: "=Keyword", fails: `"=Keyword" is not Name=Type`},
		"an unknown type is refused":    {text: "Flow=String", fails: `"Flow=String" is not Name=Type`},
		"no type is not a type":         {text: "Flow=Unspecified", fails: "is not Name=Type"},
		"a name is listed once at most": {text: "Flow=Keyword,Flow=Int", fails: "Flow is listed twice"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := attributes{}
			err := got.Set(tt.text)
			if tt.fails != "" {
				require.ErrorContains(t, err, tt.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.Equal(t, len(tt.want) > 0, got.String() != "")
		})
	}
}
