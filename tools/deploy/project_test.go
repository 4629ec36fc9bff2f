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

// read is the text of a file.
func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(text)
}

// put makes a file, and the directory that it lies in.
func put(t *testing.T, file, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
}

// found is what a pattern's first group finds in a text.
func found(t *testing.T, pattern, text string) string {
	t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, match, pattern)
	return match[1]
}

// initialized is a copy of what deploy/init needs, after it has run.
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
