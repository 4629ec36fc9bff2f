package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/server/common/log/tag"
)

// newOptions are of a node of the test's own.
func newOptions(t *testing.T) Options {
	t.Helper()
	ports, err := ClaimPorts("127.0.0.1", 2)
	require.NoError(t, err)
	t.Cleanup(ports.Release)
	return Options{
		DBFile: filepath.Join(t.TempDir(), "data", "temporal.db"), Host: "127.0.0.1", Port: ports.Numbers[0], UIPort: ports.Numbers[1],
		Namespace: "default", Retention: 48 * time.Hour, Sync: "full", LockWait: 50 * time.Millisecond,
		SearchAttributes: map[string]enums.IndexedValueType{"Flow": enums.INDEXED_VALUE_TYPE_KEYWORD},
		Logger:           slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
}

// start runs a node. One that ought to start may wait for the lock: the machine may be busy.
func start(t *testing.T, o Options) *Node {
	t.Helper()
	o.LockWait = time.Minute
	n, err := Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(n.Stop)
	return n
}

func dial(t *testing.T, o Options) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{
		HostPort: o.address(), Namespace: o.Namespace, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestNodeServes(t *testing.T) {
	t.Parallel()
	o := newOptions(t)
	o.DBFile = filepath.Join(t.TempDir(), "a folder?#%41", "temporal.db")
	start(t, o)
	c := dial(t, o)

	namespace, err := c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	require.NoError(t, err)
	require.Equal(t, o.Retention, namespace.Config.WorkflowExecutionRetentionTtl.AsDuration())

	attributes, err := c.OperatorService().ListSearchAttributes(t.Context(), &operatorservice.ListSearchAttributesRequest{Namespace: "default"})
	require.NoError(t, err)
	require.Equal(t, o.SearchAttributes, attributes.CustomAttributes)
	require.FileExists(t, o.DBFile)

	require.Contains(t, get(t, o, "/api/v1/namespaces"), `"default"`)
	require.Contains(t, get(t, o, "/namespaces/default/workflows"), "<html")
}

// get is a page of the Web UI.
func get(t *testing.T, o Options, path string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+hostPort(o.Host, o.UIPort)+path, nil)
	require.NoError(t, err)
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.StatusCode)
	defer func() { _ = reply.Body.Close() }()
	body, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	return string(body)
}

// Proves: F26
func TestTwoNodesNeverShareAFile(t *testing.T) {
	t.Parallel()
	o := newOptions(t)
	first := start(t, o)
	second := newOptions(t)
	second.DBFile = o.DBFile
	_, err := Start(t.Context(), second)
	require.ErrorContains(t, err, o.DBFile+" is used by another server (process ")

	second.LockWait = time.Minute
	started := make(chan error, 1)
	go func() {
		n, err := Start(context.WithoutCancel(t.Context()), second)
		if err == nil {
			n.Stop()
		}
		started <- err
	}()
	first.Stop()
	first.Stop() // again is harmless
	require.NoError(t, <-started, "the second gets the file once the first has stopped")
}

func TestNodeRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*Options)
		says   string
	}{
		"a host that others can reach":  {func(o *Options) { o.Host = "0.0.0.0" }, "not a loopback address"},
		"a host name":                   {func(o *Options) { o.Host = "localhost" }, "not a loopback address"},
		"a port that is none":           {func(o *Options) { o.Port = 70000 }, "between 1 and 65535"},
		"one port for two things":       {func(o *Options) { o.UIPort = o.Port }, "is asked for twice"},
		"a sync mode without promises":  {func(o *Options) { o.Sync = "off" }, "neither full nor normal"},
		"a retention below the minimum": {func(o *Options) { o.Retention = time.Minute }, "below Temporal's minimum"},
		"a namespace without a name":    {func(o *Options) { o.Namespace = "" }, "need names"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOptions(t)
			tt.change(&o)
			_, err := Start(t.Context(), o)
			require.ErrorContains(t, err, tt.says)
			require.NoFileExists(t, o.DBFile)
		})
	}
}

func TestNodeNamesTheTakenPort(t *testing.T) {
	t.Parallel()
	o := newOptions(t)
	start(t, o)
	for _, taken := range []int{o.Port, o.UIPort} {
		second := newOptions(t)
		second.UIPort = taken
		_, err := Start(t.Context(), second)
		require.ErrorContains(t, err, fmt.Sprintf("port %d on 127.0.0.1 cannot be used", taken))
		require.NoFileExists(t, second.DBFile)
	}
}

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

func TestPortsAreClaimed(t *testing.T) {
	t.Parallel()
	ports, err := ClaimPorts("127.0.0.1", 4)
	require.NoError(t, err)
	require.Len(t, ports.Numbers, 4)
	base := ports.Numbers[0] - 1
	for i, port := range ports.Numbers {
		require.Equal(t, base+1+i, port)
		require.Less(t, port, 32_768, "the system may give such a port to a connection before the server binds it")
		require.NoError(t, checkPort("127.0.0.1", port), "to bind it is the server's")
	}
	_, err = claimBlock("127.0.0.1", base, 4)
	require.Error(t, err, "a block has one owner, though nobody has bound a port of it")

	ports.Release()
	again, err := claimBlock("127.0.0.1", base, 4)
	require.NoError(t, err)
	again.Release()
}

func TestABlockWithATakenPortIsNotGiven(t *testing.T) {
	t.Parallel()
	ports, err := ClaimPorts("127.0.0.1", 2)
	require.NoError(t, err)
	taken, err := net.Listen("tcp", hostPort("127.0.0.1", ports.Numbers[1]))
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	ports.Release()
	_, err = claimBlock("127.0.0.1", ports.Numbers[0]-1, 2)
	require.ErrorContains(t, err, "cannot be used")
	_, err = ClaimPorts("192.0.2.1", 1)
	require.ErrorContains(t, err, "no free ports on 192.0.2.1")
}
