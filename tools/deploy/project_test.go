package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// load reads the composition as `docker compose config` does, with settings as .env gives them.
func load(t *testing.T, settings ...string) *types.Project {
	t.Helper()
	return loadFrom(t, root, settings...)
}

func loadFrom(t *testing.T, dir string, settings ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(dir, "docker-compose.yml")},
		cli.WithWorkingDirectory(dir), cli.WithName("customerzero"), cli.WithEnv(settings), cli.WithProfiles([]string{"upgrade"}))
	require.NoError(t, err)
	project, err := options.LoadProject(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, project.Services)
	return project
}

// initialized is a copy of what deploy/init needs, after it has run.
func initialized(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "deploy"), 0o755))
	for _, name := range []string{"docker-compose.yml", "deploy/init"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o755))
	}
	runInit(t, dir)
	return dir
}

func runInit(t *testing.T, dir string) string {
	t.Helper()
	said, err := exec.Command(filepath.Join(dir, "deploy", "init")).CombinedOutput()
	require.NoError(t, err, "%s", said)
	return string(said)
}

// value is what a service finds in its environment.
func value(s types.ServiceConfig, name string) string {
	if v := s.Environment[name]; v != nil {
		return *v
	}
	return ""
}
