package main

import (
	"bufio"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// asCommand makes the test binary the command, so that a test can kill it like the real one.
const asCommand = "TEMPORALD_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// launch runs the command, and returns when it serves.
func launch(t *testing.T, args ...string) (command *exec.Cmd, stdin io.Closer) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	command = exec.Command(program, append(args, "-exit-with-stdin")...)
	command.Env = append(os.Environ(), asCommand+"=1")
	command.Stderr = t.Output()
	stdin, err = command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() { _ = command.Process.Kill() }) // for a test that failed halfway
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "temporald: serving ")
	return command, stdin
}

// greeting waits for a name, for as long as it takes.
func greeting(ctx workflow.Context) (string, error) {
	var name string
	workflow.GetSignalChannel(ctx, "named").Receive(ctx, &name)
	return "hello " + name, nil
}

// Proves: F5
func TestWorkflowsSurviveAKill(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	args := []string{"-db", filepath.Join(t.TempDir(), "t.db"), "-port", port, "-ui-port", "0"}
	command, _ := launch(t, args...)
	c, err := client.Dial(client.Options{
		HostPort: "127.0.0.1:" + port, Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	require.NoError(t, err)
	defer c.Close()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "greeting", TaskQueue: "test"}, greeting)
	require.NoError(t, err)
	require.NoError(t, command.Process.Kill())
	require.Error(t, command.Wait())

	command, stdin := launch(t, args...)
	w := worker.New(c, "test", worker.Options{})
	w.RegisterWorkflow(greeting)
	require.NoError(t, w.Start())
	require.NoError(t, c.SignalWorkflow(t.Context(), "greeting", run.GetRunID(), "named", "you"))
	var said string
	require.NoError(t, run.Get(t.Context(), &said))
	require.Equal(t, "hello you", said)

	w.Stop()
	require.NoError(t, stdin.Close())
	require.NoError(t, command.Wait(), "the command leaves with its launcher")
}
