package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"customerzero/api"
)

// collector takes spans as any collector does, and keeps their names by trace.
type collector struct {
	mu    sync.Mutex
	names map[string]map[string]bool
	whose map[string]bool
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	said := &coltrace.ExportTraceServiceRequest{}
	if proto.Unmarshal(body, said) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, process := range said.ResourceSpans {
		for _, a := range process.Resource.Attributes {
			c.whose[a.Value.GetStringValue()] = true
		}
		for _, library := range process.ScopeSpans {
			for _, span := range library.Spans {
				id := string(span.TraceId)
				if c.names[id] == nil {
					c.names[id] = map[string]bool{}
				}
				c.names[id][span.Name] = true
			}
		}
	}
}

// together says whether spans of these names were told, of one trace.
func (c *collector) together(names ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, trace := range c.names {
		missing := 0
		for _, name := range names {
			if !trace[name] {
				missing++
			}
		}
		if missing == 0 {
			return true
		}
	}
	return false
}

// What is under way when a process is stopped still reaches the collector.
func TestUpTellsItsCollectorAndItsLogIsJSON(t *testing.T) {
	t.Parallel()
	c := &collector{names: map[string]map[string]bool{}, whose: map[string]bool{}}
	listening := httptest.NewServer(c)
	t.Cleanup(listening.Close)
	up := startUp(t, filepath.Join(t.TempDir(), "data"), "OTEL_EXPORTER_OTLP_ENDPOINT="+listening.URL, "LOG_FORMAT=json", "LOG_LEVEL=debug")
	var made api.PostReply
	require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", `{"content":"seen by operators"}`, &made))
	require.Eventually(t, func() bool {
		return c.together("POST /api/posts", "StartWorkflow:Post", "RunWorkflow:Post", "RunActivity:Publish")
	}, patience, patience/100)
	require.NoError(t, up.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, up.cmd.Wait(), "said: %s", up.said)
	require.Contains(t, c.whose, "customerzero-up")

	asked := 0
	for line := range strings.Lines(up.said.String()) {
		require.False(t, strings.HasPrefix(line, "time="), line)
		var said map[string]any
		if !strings.HasPrefix(line, "{") { // the greeting is for people
			continue
		}
		require.NoError(t, json.Unmarshal([]byte(line), &said), line)
		if said["msg"] == "request" && said["route"] == "/api/posts" {
			asked++
			require.NotEmpty(t, said["request_id"], line)
			require.Len(t, said["trace_id"], 32, line)
		}
	}
	require.Equal(t, 1, asked)
}

func TestUpWorksWithoutItsCollector(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"), "OTEL_EXPORTER_OTLP_ENDPOINT=http://canary-user:canary-password@127.0.0.1:1")
	var made api.PostReply
	require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", `{"content":"seen by nobody"}`, &made))
	require.Eventually(t, func() bool { return strings.Contains(up.said.String(), "traces are lost") }, patience, patience/100)
	require.NoError(t, up.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, up.cmd.Wait(), "said: %s", up.said)
	require.Equal(t, 1, strings.Count(up.said.String(), "traces are lost"), up.said.String())
	require.NotContains(t, up.said.String(), "canary")
}
