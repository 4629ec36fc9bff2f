package node

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"google.golang.org/protobuf/types/known/durationpb"
)

func newOptions(t *testing.T) Options {
	t.Helper()
	ports, err := ClaimPorts(2)
	require.NoError(t, err)
	t.Cleanup(ports.Release)
	return Options{
		DBFile: filepath.Join(t.TempDir(), "data", "temporal.db"), Port: ports.Numbers[0], UIPort: ports.Numbers[1],
		Namespace: "default", Retention: 48 * time.Hour, LockWait: 50 * time.Millisecond,
		SearchAttributes: map[string]enums.IndexedValueType{"Flow": enums.INDEXED_VALUE_TYPE_KEYWORD},
		Logs:             t.Output(),
	}
}

// start runs a node. It waits for the lock for a minute, because the machine may be busy.
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

func get(t *testing.T, o Options, path string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address(o.UIPort)+path, nil)
	require.NoError(t, err)
	reply, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.StatusCode)
	defer func() { _ = reply.Body.Close() }()
	body, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	return string(body)
}

// TestConsoleOnlyReads sends what a page of another site could send, and what a program on this machine could.
func TestConsoleOnlyReads(t *testing.T) {
	t.Parallel()
	o := newOptions(t)
	n := start(t, o)
	console, httpAPI := address(o.UIPort), address(n.ports.Numbers[3])
	start := `{"workflowType":{"name":"Refund"},"taskQueue":{"name":"core"},"input":[{"CheckoutID":"chk_1","Send":true}]}`
	const workflows, read = "/api/v1/namespaces/default/workflows/refund:chk_1", "/api/v1/namespaces/default/workflows"
	want, got := map[string]int{}, map[string]int{}
	for name, c := range map[string]struct {
		method, to, path, host string
		status                 int
	}{
		"read the console":                   {"GET", console, read, console, http.StatusOK},
		"read it as localhost":               {"GET", console, read, "localhost:8233", http.StatusOK},
		"read it under another name":         {"GET", console, read, "attacker.example", http.StatusMisdirectedRequest},
		"read a page under another name":     {"GET", console, "/namespaces/default/workflows", "attacker.example:8233", http.StatusMisdirectedRequest},
		"read it as another address":         {"GET", console, read, "192.0.2.1", http.StatusMisdirectedRequest},
		"start a workflow in the console":    {"POST", console, workflows, console, http.StatusMethodNotAllowed},
		"signal in the console":              {"POST", console, workflows + "/signal/cancelled", console, http.StatusMethodNotAllowed},
		"update in the console":              {"POST", console, workflows + "/update/edit", console, http.StatusMethodNotAllowed},
		"terminate in the console":           {"POST", console, workflows + "/terminate", console, http.StatusMethodNotAllowed},
		"start a workflow over the HTTP API": {"POST", httpAPI, workflows, httpAPI, http.StatusForbidden},
		"read over the HTTP API":             {"GET", httpAPI, read, "localhost", http.StatusForbidden},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+c.to+c.path, strings.NewReader(start))
		require.NoError(t, err)
		request.Host = c.host
		reply, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, reply.Body.Close())
		want[name], got[name] = c.status, reply.StatusCode
	}
	require.Equal(t, want, got)
	_, err := dial(t, o).WorkflowService().StartActivityExecution(t.Context(), &workflowservice.StartActivityExecutionRequest{
		Namespace: o.Namespace, ActivityId: "refund", ActivityType: &common.ActivityType{Name: "RefundPayment"},
		TaskQueue: &taskqueue.TaskQueue{Name: "core"}, StartToCloseTimeout: durationpb.New(time.Minute), RequestId: "1",
	})
	require.ErrorContains(t, err, "disabled", "no activity runs without a workflow of the product")
}

// Proves: F26
func TestTwoNodesNeverShareAFile(t *testing.T) {
	t.Parallel()
	o, second := newOptions(t), newOptions(t)
	second.DBFile = o.DBFile
	first := start(t, o)
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
	first.Stop() // a second call does nothing
	require.NoError(t, <-started, "the second starts once the first has stopped")
}

func TestNodeRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*Options)
		says   string
	}{
		"an invalid port":               {func(o *Options) { o.Port = 70000 }, "between 1 and 65535"},
		"one port for two things":       {func(o *Options) { o.UIPort = o.Port }, "is used twice"},
		"a retention below the minimum": {func(o *Options) { o.Retention = time.Minute }, "below Temporal's minimum"},
		"a namespace without a name":    {func(o *Options) { o.Namespace = "" }, "must have names"},
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

func TestPortsAreClaimed(t *testing.T) {
	t.Parallel()
	ports, err := ClaimPorts(4)
	require.NoError(t, err)
	require.Len(t, ports.Numbers, 4)
	base := ports.Numbers[0] - 1
	for i, port := range ports.Numbers {
		require.Equal(t, base+1+i, port)
		require.Less(t, port, 32_768, "higher ports are ephemeral")
		require.NoError(t, checkPort(port), "the server can bind it")
	}
	_, err = claimBlock(base, 4)
	require.Error(t, err, "a block has one owner, even if none of its ports is bound")

	ports.Release()
	again, err := claimBlock(base, 4)
	require.NoError(t, err)
	again.Release()
}

func TestABlockWithATakenPortIsNotGiven(t *testing.T) {
	t.Parallel()
	ports, err := ClaimPorts(2)
	require.NoError(t, err)
	taken, err := net.Listen("tcp", address(ports.Numbers[1]))
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	ports.Release()
	_, err = claimBlock(ports.Numbers[0]-1, 2)
	require.ErrorContains(t, err, "cannot be used")
}
