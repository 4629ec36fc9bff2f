package cli_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
)

func (u *upped) status(t *testing.T, path string) int {
	t.Helper()
	resp, err := http.Get(u.url + path)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

// Ctrl-C did wait for everybody who looked on, as long as it waits for anybody.
func TestUpDoesNotWaitForWhoLooksOn(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"))
	var started api.ChaosStarted
	require.Eventually(t, func() bool {
		return up.call(t, "POST", "/api/chaos", `{"type":"crash-api","source":"test"}`, &started) == http.StatusOK
	}, patience, 100*time.Millisecond)
	stream, err := http.Get(up.url + "/api/chaos/runs/" + started.ID + "/events")
	require.NoError(t, err)
	defer func() { _ = stream.Body.Close() }()
	require.Equal(t, http.StatusOK, stream.StatusCode)

	require.NoError(t, up.cmd.Process.Signal(os.Interrupt))
	_, err = io.ReadAll(stream.Body)
	require.NoError(t, err, "it was not cut off, but ended")
	require.NoError(t, up.cmd.Wait(), "said: %s", up.said)
}

func TestTheSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"), "DRAIN_DELAY=1m")
	require.NoError(t, up.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { return up.status(t, "/readyz") == http.StatusServiceUnavailable }, patience, 20*time.Millisecond)
	require.Equal(t, http.StatusOK, up.status(t, "/api/bot-posts"), "whoever comes meanwhile is served")

	require.NoError(t, up.cmd.Process.Signal(syscall.SIGTERM))
	ended := make(chan error, 1)
	go func() { ended <- up.cmd.Wait() }()
	select {
	case err := <-ended:
		killed, ok := errors.AsType[*exec.ExitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, syscall.SIGTERM, killed.Sys().(syscall.WaitStatus).Signal())
	case <-time.After(patience):
		require.Fail(t, "it goes on")
	}
}
