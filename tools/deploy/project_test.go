package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// load parses the compose file like `docker compose config`, with settings as in .env.
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

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(text)
}

// put writes a file and creates its directory.
func put(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
}

// found returns the first group of a pattern's match.
func found(t *testing.T, pattern, text string) string {
	t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, match, pattern)
	return match[1]
}

// initialized returns a directory in which deploy/init has run.
func initialized(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"docker-compose.yml", "deploy/init"} {
		put(t, filepath.Join(dir, name), read(t, root, name))
	}
	runInit(t, dir)
	return dir
}

func runInit(t *testing.T, dir string) string {
	t.Helper()
	output, err := exec.Command(filepath.Join(dir, "deploy", "init")).CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

// value returns a variable of a service's environment.
func value(s types.ServiceConfig, name string) string {
	if v := s.Environment[name]; v != nil {
		return *v
	}
	return ""
}
