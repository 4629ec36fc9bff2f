// Package upgrade tests that open runs continue in a new build of the worker: processes of several builds, with
// real differences in a workflow, on one Temporal server and one Postgres.
package upgrade

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"customerzero/internal/platform/keyring"
	"customerzero/internal/platform/ports/portstest"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/store/testdb"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
	"customerzero/workflows"
	flows "customerzero/workflows/client"
)

const (
	patience = testwait.Limit
	tick     = 50 * time.Millisecond
)

const (
	deployment = "customerzero"
	adminKey   = "upgrade-admin-key"
)

// stage is the product as several processes on one Postgres and one Temporal server.
type stage struct {
	dir      string
	env      []string
	url      string // of the API
	pages    string // of the sandboxes
	temporal client.Client
	runs     *flows.Client
	founder  *rig.Caller
	visitor  *rig.Caller
}

// newStage starts everything but workers.
func newStage(t *testing.T, program string) *stage {
	s := &stage{dir: t.TempDir()}
	server := s.startTemporal(t)
	keys, err := keyring.New("upgrade")
	require.NoError(t, err)
	api, vendors, emails, target, control := portstest.Address(t), portstest.Address(t), portstest.Address(t), portstest.Address(t), portstest.Address(t)
	s.url, s.pages = "http://"+api, "http://"+vendors
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "DATA_DIR=" + filepath.Join(s.dir, "data"), "ADDR=" + api,
		"DATABASE_URL=" + testdb.Address(t, "postgres"), "TEMPORAL_ADDRESS=" + server,
		"X_SANDBOX_ADDR=" + vendors, "SMTP_SANDBOX_ADDR=" + emails, "CHAOS_TARGET_ADDR=" + target, "CHAOS_TARGET_CONTROL_ADDR=" + control,
		"ADMIN_KEY=" + adminKey, "SECRET_KEYS=" + keys, "CHAOS_TARGET_KEY=upgrade-chaos-target-key", "CHAOS_LEASE=5m", "GAME_DAY=off", "VERIFY_EVERY=off",
		"CHROMIUM=/nowhere", "WORKER_DEPLOYMENT=" + deployment,
	}
	s.founder = rig.NewCaller(s.url, http.Header{"X-Admin-Key": {adminKey}})
	s.visitor = rig.NewCaller(s.url, http.Header{})
	s.visitor.HTTP.Jar, _ = cookiejar.New(nil) // it has no options that could be wrong
	code, output := s.command(t, program, "", "migrate")
	require.Zero(t, code, output)
	for _, command := range []string{"sandbox", "api"} {
		s.start(t, program, command, "")
	}
	return s
}

func (s *stage) startTemporal(t *testing.T) (address string) {
	programs, err := cluster.Programs(t.Context(), t.TempDir())
	require.NoError(t, err)
	server, err := launcher.Start(t.Context(), launcher.Options{
		Bin: programs.Temporald, DBFile: filepath.Join(s.dir, "temporal.db"), SearchAttributes: workflows.SearchAttributes(),
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, server.Stop(ctx))
	})
	s.temporal, err = cluster.DialTemporal(t.Context(), server.Address())
	require.NoError(t, err)
	t.Cleanup(s.temporal.Close)
	s.runs = &flows.Client{Temporal: s.temporal}
	return server.Address()
}

type process struct {
	*os.Process
	stop func() // interrupts it and waits for its exit
}

func (s *stage) start(t *testing.T, program, command, build string) *process {
	log, err := os.CreateTemp(s.dir, command+build+"-*.log")
	require.NoError(t, err)
	started := exec.Command(program, command)
	started.Env, started.Dir = append(slices.Clone(s.env), "WORKER_BUILD="+build), s.dir
	started.Stdout, started.Stderr = log, log
	require.NoError(t, started.Start())
	ended := make(chan struct{})
	go func() {
		_ = started.Wait() // callers check the exit
		_ = log.Close()
		close(ended)
	}()
	p := &process{Process: started.Process, stop: func() {
		_ = started.Process.Signal(syscall.SIGCONT) // it may be stopped or have exited
		_ = started.Process.Signal(os.Interrupt)
		<-ended
	}}
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			text, err := os.ReadFile(log.Name())
			t.Logf("%s:\n%s %v", filepath.Base(log.Name()), text, err)
		}
	})
	return p
}

func (s *stage) command(t *testing.T, program, build string, args ...string) (code int, output string) {
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env, command.Dir = append(slices.Clone(s.env), "WORKER_BUILD="+build), s.dir
	text, err := command.CombinedOutput()
	if command.ProcessState == nil {
		require.NoError(t, err)
	}
	return command.ProcessState.ExitCode(), string(text)
}

// ready waits until the API is ready, which needs a running worker.
func (s *stage) ready(t *testing.T) {
	require.Eventually(t, func() bool {
		return s.founder.Call(t.Context(), http.MethodGet, "/readyz", nil, &struct{}{}).Outcome == rig.Success
	}, patience, 100*time.Millisecond)
}

const (
	root = "../.."
	// flow is the file that new builds change, before the line begin.
	flow  = "workflows/post.go"
	begin = "	flow := &postFlow{in: in, mutex: workflow.NewMutex(ctx)}\n"
	// unguarded breaks open runs; guarded keeps their behavior.
	unguarded = "	if err := workflow.Sleep(ctx, time.Second); err != nil {\n		return PostResult{}, err\n	}\n"
	guarded   = "	if workflow.GetVersion(ctx, \"pause\", workflow.DefaultVersion, 1) == 1 {\n	" + unguarded + "	}\n"
)

// compile builds the product with more code at the start of the post workflow, by an overlay of the source file.
// Without more code it returns CRASH_PRODUCT if that is set.
func compile(t *testing.T, more string) (program string) {
	if built := os.Getenv("CRASH_PRODUCT"); built != "" && more == "" {
		return built
	}
	dir, flags := t.TempDir(), []string(nil)
	if more != "" {
		flags = []string{"-overlay", overlay(t, dir, more)}
	}
	program, err := cluster.Build(t.Context(), dir, flags...)
	require.NoError(t, err)
	return program
}

func overlay(t *testing.T, dir, more string) (file string) {
	original, err := filepath.Abs(filepath.Join(root, flow))
	require.NoError(t, err)
	text, err := os.ReadFile(original)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), begin), "%s begins in another way", flow)
	changed := filepath.Join(dir, "post.go")
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(text), begin, more+begin, 1)), 0o600))
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	require.NoError(t, err)
	file = filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, replaced, 0o600))
	return file
}

// buildsOf returns the builds of the workflow tasks of a workflow's latest run, in order.
func (s *stage) buildsOf(t *testing.T, workflowID string) (builds []string) {
	events := s.temporal.GetWorkflowHistory(t.Context(), workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		if taken := event.GetWorkflowTaskCompletedEventAttributes(); taken != nil {
			builds = append(builds, taken.GetDeploymentVersion().GetBuildId())
		}
	}
	require.NotEmpty(t, builds)
	return builds
}
