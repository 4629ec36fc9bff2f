package cli_test

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"customerzero/api/posts"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/verification"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store"
)

func TestATakenOpsAddressIsOneSentence(t *testing.T) {
	isolated(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, taken.Close()) })
	t.Setenv("OPS_ADDR", taken.Addr().String())
	for _, name := range []string{"api", "worker", "target", "up"} {
		fails(t, "cannot listen on "+taken.Addr().String()+"; set OPS_ADDR to another address", name)
	}
}

// TestAWorkerIsReadyWhileItCanWork: a worker without Temporal is alive, but not ready.
func TestAWorkerIsReadyWhileItCanWork(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	up := startUp(t, dir, "VERIFY_EVERY=off")
	p := startPart(t, "worker", dir, "PUBLIC_URL="+up.url)
	up.stop(t, os.Interrupt)
	require.Eventually(t, func() bool { return p.status(t, "/readyz") == http.StatusServiceUnavailable }, patience, 50*time.Millisecond)
	require.Equal(t, http.StatusOK, p.status(t, "/healthz"))
	require.Contains(t, p.text(t, "/readyz"), `{"name":"temporal","ok":false,"detail":"Temporal does not answer"}`)
	require.Contains(t, p.text(t, "/metrics"), "\ncustomerzero_ready 0\n")
}

var update = flag.Bool("update", false, "write the list of metrics")

const productMetrics = "../../../deploy/prometheus/metrics/product.txt"

// part is one process of a deployment that uses the services of a running up.
type part struct {
	running
	ops string // URL of its metrics and health checks
}

var opsAddress = regexp.MustCompile(`metrics and health checks are served" address=(\S+)`)

func startPart(t *testing.T, name, dir string, settings ...string) *part {
	t.Helper()
	settings = append([]string{"DATA_DIR=" + dir, "VERIFY_EVERY=off", "LOG_FORMAT=text", "OPS_ADDR=127.0.0.1:0"}, settings...)
	p := &part{running: begin(t, []string{name}, settings...)}
	require.Eventually(t, func() bool {
		found := opsAddress.FindStringSubmatch(p.output.String())
		if found == nil {
			return false
		}
		p.ops = "http://" + found[1]
		return p.status(t, "/readyz") == http.StatusOK
	}, patience, 20*time.Millisecond, "output: %s", p.output)
	return p
}

// status returns 0 if there is no response.
func (p *part) status(t *testing.T, path string) int {
	t.Helper()
	resp, err := http.Get(p.ops + path)
	if err != nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}

func (p *part) text(t *testing.T, path string) string {
	t.Helper()
	resp, err := http.Get(p.ops + path)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(text)
}

func (p *part) metrics(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(p.text(t, "/metrics")))
	require.NoError(t, err)
	return families
}

// TestMetricsAreThoseThatAreWrittenDown: tools/deploy checks alerts and dashboards against this list, so that
// none of them queries a metric that does not exist. Run with -update after a change.
func TestMetricsAreThoseThatAreWrittenDown(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	up := startUp(t, dir, "VERIFY_EVERY=off", "OPS_ADDR=127.0.0.1:0")
	seedRows(t, dir, up.url)
	found := map[string]string{}
	for _, p := range []*part{
		{running: up.running, ops: "http://" + opsAddress.FindStringSubmatch(up.output.String())[1]},
		startPart(t, "api", dir, "PUBLIC_URL="+up.url), startPart(t, "worker", dir, "PUBLIC_URL="+up.url),
		startPart(t, "target", filepath.Join(t.TempDir(), "target")),
	} {
		require.Equal(t, http.StatusOK, p.status(t, "/healthz"))
		require.Equal(t, http.StatusNotFound, p.status(t, "/api/posts"))
		if p.cmd.Args[1] != "target" {
			require.Contains(t, p.metrics(t), "customerzero_posts", "processes with a database export its rows")
			require.Contains(t, p.metrics(t), "temporal_request_total")
		}
		require.Eventually(t, func() bool { // the worker of up has run a canary by then
			for name, family := range p.metrics(t) {
				if strings.HasPrefix(name, "customerzero_") {
					found[name] = strings.ToLower(family.GetType().String()) + whence(family)
				}
			}
			return found["customerzero_workflows_ended_total"] != "" && found["customerzero_activity_duration_seconds"] != ""
		}, patience, 100*time.Millisecond)
	}
	var lines []string
	for name, about := range found {
		lines = append(lines, name+" "+about+"\n")
	}
	slices.Sort(lines)
	if *update {
		require.NoError(t, os.WriteFile(productMetrics, []byte(strings.Join(lines, "")), 0o600))
	}
	require.Equal(t, contents(t, productMetrics), strings.Join(lines, ""))
}

// whence marks the metrics that are read from rows.
func whence(family *dto.MetricFamily) string {
	if strings.Contains(family.GetHelp(), "the same in every replica") {
		return " rows"
	}
	return ""
}

// seedRows stores a healed chaos run and a verification: without them some metrics have no value.
func seedRows(t *testing.T, dir, url string) {
	t.Helper()
	db, err := store.Open("sqlite:" + filepath.Join(dir, "customerzero.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	now, ms := time.Now().Add(-time.Minute), 1000
	ended := now.Add(time.Second)
	require.NoError(t, db.Chaos.RequestChaos(t.Context(), chaos.Run{
		ID: "r", Fault: "crash-api", RequestedBy: chaos.Schedule, PromiseMS: 5000, LeaseMS: 1000, RequestedAt: now,
	}, account.Asker{Founder: true}))
	require.NoError(t, db.Chaos.LeaseChaos(t.Context(), "r", ended))
	require.NoError(t, db.Chaos.InjectedChaos(t.Context(), "r", now, ended))
	_, err = db.Chaos.EndChaos(t.Context(), "r", chaos.Outcome{Verdict: chaos.Healed, Restored: true, DetectMS: &ms, HealMS: &ms}, ended)
	require.NoError(t, err)
	open := verification.BySchedule
	require.NoError(t, db.Verifications.RequestVerification(t.Context(), verification.Run{
		ID: "v", URL: url + "/", Path: "/", OpenKey: &open, RequestedBy: verification.Schedule, Stage: verification.Requested, RequestedAt: now,
	}, account.Asker{Founder: true}))
	_, err = db.Verifications.EndVerification(t.Context(), "v", verification.Outcome{ChecksVerdict: verification.Active, Verdict: verification.Active}, true, ended)
	require.NoError(t, err)
}

// TestUpTellsItsCollectorAndItsLogIsJSON: traces of the last requests reach the collector at the shutdown.
func TestUpTellsItsCollectorAndItsLogIsJSON(t *testing.T) {
	t.Parallel()
	found := &testwait.Buffer{}
	listening := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(found, r.Body) }))
	t.Cleanup(listening.Close)
	up := startUp(t, filepath.Join(t.TempDir(), "data"), "OTEL_EXPORTER_OTLP_ENDPOINT="+listening.URL, "LOG_FORMAT=json", "LOG_LEVEL=debug")
	var made posts.PostReply
	require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", `{"content":"seen by operators"}`, &made))
	up.ends(t, made.Post.ID, post.StatusPublished)
	up.stop(t, syscall.SIGTERM)
	for _, name := range []string{"customerzero-up", "POST /api/posts", "StartWorkflow:Post", "RunWorkflow:Post", "RunActivity:PublishPost"} {
		require.Contains(t, found.String(), name, "the payload has names in plain text")
	}

	asked := 0
	for line := range strings.Lines(up.output.String()) {
		require.False(t, strings.HasPrefix(line, "time="), line)
		var output map[string]any
		if !strings.HasPrefix(line, "{") { // the greeting is plain text
			continue
		}
		require.NoError(t, json.Unmarshal([]byte(line), &output), line)
		if output["msg"] == "request" && output["route"] == "/api/posts" {
			asked++
			require.NotEmpty(t, output["request_id"], line)
			require.Len(t, output["trace_id"], 32, line)
		}
	}
	require.Equal(t, 1, asked)
}

func TestUpWorksWithoutItsCollector(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"), "OTEL_EXPORTER_OTLP_ENDPOINT=http://canary-user:canary-password@127.0.0.1:1")
	var made posts.PostReply
	require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", `{"content":"seen by no collector"}`, &made))
	require.Eventually(t, func() bool { return strings.Contains(up.output.String(), "traces are lost") }, patience, patience/100)
	up.stop(t, syscall.SIGTERM)
	require.Equal(t, 1, strings.Count(up.output.String(), "traces are lost"), up.output.String())
	require.NotContains(t, up.output.String(), "canary")
}

func (u *upped) status(t *testing.T, path string) int {
	t.Helper()
	resp, err := http.Get(u.url + path)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

func TestTheSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"), "DRAIN_DELAY=1m")
	require.NoError(t, up.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { return up.status(t, "/readyz") == http.StatusServiceUnavailable }, patience, 20*time.Millisecond)
	require.Equal(t, http.StatusOK, up.status(t, "/api/bot-posts"), "requests are served while it drains")

	require.NoError(t, up.cmd.Process.Signal(syscall.SIGTERM))
	ended := make(chan error, 1)
	go func() { ended <- up.cmd.Wait() }()
	select {
	case err := <-ended:
		killed, ok := errors.AsType[*exec.ExitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, syscall.SIGTERM, killed.Sys().(syscall.WaitStatus).Signal())
	case <-time.After(patience):
		require.Fail(t, "it is still running")
	}
}
