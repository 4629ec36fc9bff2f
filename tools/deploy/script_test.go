package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docker is a fake that records its arguments; RUNNING and REFUSED determine its results.
const docker = `#!/bin/sh
echo "$*" >>calls
case "$*" in
*" ps "*) [ -z "$RUNNING" ] || echo 5e1f ;;
*" promote") [ -z "$REFUSED" ] || exit 1 ;;
esac
`

// deploys runs scripts/deploy and returns its calls of docker.
func deploys(t *testing.T, settings ...string) (calls []string, output string, err error) {
	t.Helper()
	dir := initialized(t)
	put(t, filepath.Join(dir, "deploy.sh"), read(t, root, "scripts/deploy"))
	put(t, filepath.Join(dir, "docker"), docker)
	run := exec.Command("./deploy.sh")
	run.Dir, run.Env = dir, append(append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "RUNNING=", "REFUSED="), settings...)
	text, err := run.CombinedOutput()
	return strings.Split(strings.TrimSpace(read(t, dir, "calls")), "\n"), string(text), err
}

func TestADeploymentReplacesOneReplicaAfterTheOther(t *testing.T) {
	t.Parallel()
	starts := []string{"compose build", "compose ps --quiet --status running api-1 worker-2"}
	replaces := append(starts[:2:2],
		"compose run --rm --no-deps migrate",
		"compose up --detach --no-deps --wait api-1", "compose up --detach --no-deps --wait api-2",
		"compose up --detach --no-deps --wait worker-1", "compose run --rm --no-deps promote")

	calls, output, err := deploys(t)
	require.NoError(t, err, output)
	require.Equal(t, append(starts, "compose up --detach --wait"), calls, "the first starts everything")
	calls, output, err = deploys(t, "RUNNING=1")
	require.NoError(t, err, output)
	require.Equal(t, append(replaces[:7:7], "compose up --detach --no-deps --wait worker-2", "compose up --detach --wait"), calls)
	calls, output, err = deploys(t, "RUNNING=1", "REFUSED=1")
	require.Error(t, err, "a refused promotion leaves a worker of the previous build")
	require.Equal(t, replaces, calls)
	require.Contains(t, output, "worker-2 keeps the previous build")
}
