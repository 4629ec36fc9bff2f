package launcher

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/platform/ports"
)

// bin returns the path of the built server.
func bin(t *testing.T) string {
	t.Helper()
	path := os.Getenv("TEMPORALD_BIN")
	if path == "" {
		path = "../../../../bin/temporald"
	}
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	require.FileExists(t, path, "run make build")
	return path
}

func newOptions(t *testing.T) Options {
	t.Helper()
	uiPort, err := ports.Free("127.0.0.1", 0)
	require.NoError(t, err)
	return Options{
		Bin: bin(t), DBFile: filepath.Join(t.TempDir(), "temporal.db"), UIPort: uiPort, Logs: t.Output(),
		SearchAttributes: map[string]enums.IndexedValueType{"Flow": enums.INDEXED_VALUE_TYPE_KEYWORD},
	}
}

func startServer(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	return s
}

func dial(t *testing.T, s *Server) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{
		HostPort: s.Address(), Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func alive(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, newOptions(t))
	require.True(t, alive(s.Pid()))
	c := dial(t, s)
	_, err := c.DescribeTaskQueue(t.Context(), "any", enums.TASK_QUEUE_TYPE_WORKFLOW)
	require.NoError(t, err, "the namespace is usable")

	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.UIURL(), nil)
	require.NoError(t, err)
	page, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, page.StatusCode)
	require.NoError(t, page.Body.Close())

	pid := s.Pid()
	require.NoError(t, s.Stop(t.Context()))
	require.NoError(t, s.Stop(t.Context()), "a second call does nothing")
	require.NoError(t, s.Err())
	require.False(t, alive(pid))
}

func TestServerIsNotHitByCtrlC(t *testing.T) {
	t.Parallel()
	s := startServer(t, newOptions(t))
	group, err := syscall.Getpgid(s.Pid())
	require.NoError(t, err)
	require.NotEqual(t, syscall.Getpgrp(), group, "the terminal signals the launcher's group only")
}

func TestStopKillsWhatDoesNotStop(t *testing.T) {
	t.Parallel()
	s := startServer(t, newOptions(t))
	pid := s.Pid()
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP)) // hangs
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorContains(t, s.Stop(ctx), "did not stop in time")
	require.False(t, alive(pid))
}

func TestStartTellsWhatTheServerSaid(t *testing.T) {
	t.Parallel()
	garbage := filepath.Join(t.TempDir(), "garbage.db")
	require.NoError(t, os.WriteFile(garbage, bytes.Repeat([]byte("noise "), 1000), 0o600))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	tests := map[string]struct {
		change func(*Options)
		says   string
	}{
		"a file of another kind": {func(o *Options) { o.DBFile = garbage }, garbage + " is not a SQLite database"},
		"a taken port":           {func(o *Options) { o.Port = listener.Addr().(*net.TCPAddr).Port }, "on 127.0.0.1 cannot be used"},
		"a missing binary":       {func(o *Options) { o.Bin = "/nowhere/temporald" }, "no such file"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOptions(t)
			o.Logs = brokenWriter{} // the error does not depend on the log
			tt.change(&o)
			_, err := Start(t.Context(), o)
			require.ErrorContains(t, err, tt.says)
		})
	}
}

func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	o := newOptions(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the launcher gave up"))
	_, err := Start(ctx, o)
	require.ErrorContains(t, err, "the launcher gave up")
	startServer(t, o) // the file is not locked
}

func TestEnsureSearchAttributes(t *testing.T) {
	t.Parallel()
	s := startServer(t, newOptions(t))
	c := dial(t, s)
	want := map[string]enums.IndexedValueType{
		"Flow": enums.INDEXED_VALUE_TYPE_KEYWORD, "Amount": enums.INDEXED_VALUE_TYPE_INT,
	}
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wait.Go(func() { errs[i] = EnsureSearchAttributes(t.Context(), c, "default", want) })
	}
	wait.Wait()
	require.NoError(t, errors.Join(errs...), "several processes may call it concurrently")

	missing, err := missingAttributes(t.Context(), c, "default", want)
	require.NoError(t, err)
	require.Empty(t, missing)
	_, err = c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		TaskQueue: "unused", TypedSearchAttributes: temporal.NewSearchAttributes(temporal.NewSearchAttributeKeyInt64("Amount").ValueSet(9)),
	}, "Anything")
	require.NoError(t, err, "the attributes are usable")

	want["Amount"] = enums.INDEXED_VALUE_TYPE_TEXT
	require.EqualError(t, EnsureSearchAttributes(t.Context(), c, "default", want), "search attribute Amount is Int on the server, not Text")
	require.ErrorContains(t, EnsureSearchAttributes(t.Context(), c, "nowhere", want), "list search attributes of nowhere")
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// The server's libraries would triple the product's binary and its build, and would dictate
// the versions of its dependencies.
func TestProductNeverLinksTheServer(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "./...")
	list.Dir = "../../../.."
	out, err := list.Output()
	require.NoError(t, err)
	packages := strings.Fields(string(out))
	require.Contains(t, packages, "customerzero/internal/platform/temporal/launcher")
	for _, name := range packages {
		require.False(t, strings.HasPrefix(name, "go.temporal.io/server"), "%s is linked", name)
		require.False(t, strings.HasPrefix(name, "github.com/temporalio/ui-server"), "%s is linked", name)
	}
}
