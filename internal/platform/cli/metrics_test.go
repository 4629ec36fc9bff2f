package cli_test

import (
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/verification"
	"customerzero/internal/store"
)

var update = flag.Bool("update", false, "write down the metrics that there are")

const productMetrics = "../../../deploy/prometheus/metrics/product.txt"

// part is one process of a deployment, beside an up whose addresses it finds.
type part struct {
	cmd  *exec.Cmd
	said *lockedBuffer
	ops  string // where it answers operators
}

var answersAt = regexp.MustCompile(`operators are answered" address=(\S+)`)

func startPart(t *testing.T, name, dir string, settings ...string) *part {
	t.Helper()
	p := &part{cmd: exec.Command(os.Args[0], name), said: &lockedBuffer{}}
	p.cmd.Env = append(os.Environ(), "DATA_DIR="+dir, "ADDR=127.0.0.1:0", "CHAOS_TARGET_ADDR=127.0.0.1:0", "CHAOS_TARGET_CONTROL_ADDR=127.0.0.1:0",
		"VERIFY_EVERY=off", "ADMIN_KEY=", "DATABASE_URL=", "X_BASE_URL=", "TEMPORAL_ADDRESS=", "LOG_LEVEL=info", "LOG_FORMAT=text", "OPS_ADDR=127.0.0.1:0")
	p.cmd.Env = append(p.cmd.Env, settings...)
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	require.Eventually(t, func() bool {
		found := answersAt.FindStringSubmatch(p.said.String())
		if found == nil {
			return false
		}
		p.ops = "http://" + found[1]
		return p.asked(t, "/readyz") == http.StatusOK
	}, patience, 20*time.Millisecond, "said: %s", p.said)
	return p
}

// asked is the status of an answer; 0: there is none.
func (p *part) asked(t *testing.T, path string) int {
	t.Helper()
	resp, err := http.Get(p.ops + path)
	if err != nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}

// text is an answer.
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

// Alarms and dashboards are held against this list (tools/deploy), so that none of them asks for
// what nobody tells. Run with -update after a change, and look at what uses the old name.
func TestMetricsAreThoseThatAreWrittenDown(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	up := startUp(t, dir, "VERIFY_EVERY=off", "OPS_ADDR=127.0.0.1:0")
	happened(t, dir, up.url)
	told := map[string]string{}
	for _, p := range []*part{
		{cmd: up.cmd, ops: "http://" + answersAt.FindStringSubmatch(up.said.String())[1]},
		startPart(t, "api", dir, "PUBLIC_URL="+up.url), startPart(t, "worker", dir, "PUBLIC_URL="+up.url),
		startPart(t, "target", filepath.Join(t.TempDir(), "target")),
	} {
		require.Equal(t, http.StatusOK, p.asked(t, "/healthz"))
		require.Equal(t, http.StatusNotFound, p.asked(t, "/api/posts"))
		if p.cmd.Args[1] != "target" {
			require.Contains(t, p.metrics(t), "customerzero_posts", "whoever has the database tells of it")
			require.Contains(t, p.metrics(t), "temporal_request_total")
		}
		require.Eventually(t, func() bool { // of the worker of up: it has had a canary to run
			for name, family := range p.metrics(t) {
				if strings.HasPrefix(name, "customerzero_") {
					told[name] = strings.ToLower(family.GetType().String()) + whence(family)
				}
			}
			return told["customerzero_workflows_ended_total"] != "" && told["customerzero_activity_duration_seconds"] != ""
		}, patience, 100*time.Millisecond)
	}
	var lines []string
	for name, about := range told {
		lines = append(lines, name+" "+about+"\n")
	}
	slices.Sort(lines)
	if *update {
		require.NoError(t, os.WriteFile(productMetrics, []byte(strings.Join(lines, "")), 0o600))
	}
	written, err := os.ReadFile(productMetrics)
	require.NoError(t, err)
	require.Equal(t, string(written), strings.Join(lines, ""))
}

// whence says of what is read from rows that it is.
func whence(family *dto.MetricFamily) string {
	if strings.Contains(family.GetHelp(), "the same in every replica") {
		return " rows"
	}
	return ""
}

// happened is a healed cell and a look at the front page: without them there is nothing to tell.
func happened(t *testing.T, dir, url string) {
	t.Helper()
	db, err := store.Open("sqlite:" + filepath.Join(dir, "customerzero.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	now, ms := time.Now().Add(-time.Minute), 1000
	ended := now.Add(time.Second)
	require.NoError(t, db.Chaos.RequestChaos(t.Context(), chaos.Run{
		ID: "r", Fault: "crash-api", RequestedBy: chaos.Schedule, PromiseMS: 5000, LeaseMS: 1000, RequestedAt: now,
	}, ""))
	require.NoError(t, db.Chaos.LeaseChaos(t.Context(), "r", ended))
	require.NoError(t, db.Chaos.InjectedChaos(t.Context(), "r", now, ended))
	_, err = db.Chaos.EndChaos(t.Context(), "r", chaos.Outcome{Verdict: chaos.Healed, Restored: true, DetectMS: &ms, HealMS: &ms}, ended)
	require.NoError(t, err)
	open := verification.BySchedule
	require.NoError(t, db.Verifications.RequestVerification(t.Context(), verification.Run{
		ID: "v", URL: url + "/", Path: "/", OpenKey: &open, RequestedBy: verification.Schedule, Stage: verification.Requested, RequestedAt: now,
	}, ""))
	_, err = db.Verifications.EndVerification(t.Context(), "v", verification.Outcome{Checked: verification.Active, Verdict: verification.Active}, true, ended)
	require.NoError(t, err)
}
