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
	put(t, filepath.Join(dir, "deploy.sh"), read(t, root, "scripts/deploy"))
	put(t, filepath.Join(dir, "docker"), docker)
	run := exec.Command("./deploy.sh")
	run.Dir, run.Env = dir, append(append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "RUNNING=", "REFUSED="), settings...)
	output, err := run.CombinedOutput()
	return strings.Split(strings.TrimSpace(read(t, dir, "asked")), "\n"), string(output), err
}

func TestADeploymentReplacesOneReplicaAfterTheOther(t *testing.T) {
	t.Parallel()
	begins := []string{"compose build", "compose ps --quiet --status running api-1 worker-2"}
	replaces := append(begins[:2:2],
		"compose run --rm --no-deps migrate",
		"compose up --detach --no-deps --wait api-1", "compose up --detach --no-deps --wait api-2",
		"compose up --detach --no-deps --wait worker-1", "compose run --rm --no-deps promote")

	asked, said, err := deploys(t)
	require.NoError(t, err, said)
	require.Equal(t, append(begins, "compose up --detach --wait"), asked, "the first starts everything")
	asked, said, err = deploys(t, "RUNNING=1")
	require.NoError(t, err, said)
	require.Equal(t, append(replaces[:7:7], "compose up --detach --no-deps --wait worker-2", "compose up --detach --wait"), asked)
	asked, said, err = deploys(t, "RUNNING=1", "REFUSED=1")
	require.Error(t, err, "a build that cannot carry on open runs leaves a worker of the one before")
	require.Equal(t, replaces, asked)
	require.Contains(t, said, "worker-2 keeps the previous build")
}
