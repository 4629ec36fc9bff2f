package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docker notes what it is told; RUNNING and REFUSED say what it answers.
const docker = `#!/bin/sh
echo "$*" >>asked
case "$*" in
*" ps "*) [ -z "$RUNNING" ] || echo 5e1f ;;
*" promote") [ -z "$REFUSED" ] || exit 1 ;;
esac
`

// deploys runs scripts/deploy, and says what it asked of Docker.
func deploys(t *testing.T, settings ...string) (asked []string, said string, err error) {
	t.Helper()
	dir := initialized(t)
	script, err := os.ReadFile(filepath.Join(root, "scripts/deploy"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "deploy.sh"), script, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docker"), []byte(docker), 0o755))
	run := exec.Command("./deploy.sh")
	run.Dir, run.Env = dir, append(append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "RUNNING=", "REFUSED="), settings...)
	output, err := run.CombinedOutput()
	text, readErr := os.ReadFile(filepath.Join(dir, "asked"))
	require.NoError(t, readErr, "%s", output)
	return strings.Split(strings.TrimSpace(string(text)), "\n"), string(output), err
}

func TestTheFirstDeploymentStartsEverything(t *testing.T) {
	t.Parallel()
	asked, _, err := deploys(t)
	require.NoError(t, err)
	require.Equal(t, []string{"compose build", "compose ps --quiet --status running api-1 worker-2", "compose up --detach --wait"}, asked)
}

var replacing = []string{
	"compose build", "compose ps --quiet --status running api-1 worker-2", "compose run --rm --no-deps migrate",
	"compose up --detach --no-deps --wait api-1", "compose up --detach --no-deps --wait api-2",
	"compose up --detach --no-deps --wait worker-1", "compose run --rm --no-deps promote",
}

func TestALaterDeploymentReplacesOneReplicaAfterTheOther(t *testing.T) {
	t.Parallel()
	asked, _, err := deploys(t, "RUNNING=1")
	require.NoError(t, err)
	require.Equal(t, append(replacing[:len(replacing):len(replacing)], "compose up --detach --no-deps --wait worker-2", "compose up --detach --wait"), asked)
}

func TestABuildThatCannotCarryOnOpenRunsLeavesAWorkerOfTheOneBefore(t *testing.T) {
	t.Parallel()
	asked, said, err := deploys(t, "RUNNING=1", "REFUSED=1")
	require.Error(t, err)
	require.Equal(t, replacing, asked)
	require.Contains(t, said, "worker-2 goes on with the build before")
}
