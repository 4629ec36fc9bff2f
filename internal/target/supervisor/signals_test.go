package supervisor_test

import (
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

// killed kills the replica, and waits until the supervisor knows.
func killed(w *world) error {
	w.Helper()
	var pid int
	require.Eventually(w, func() bool { pid = w.keeper.Inspect().Process.ID; return pid != 0 }, testwait.Limit, time.Millisecond)
	err := syscall.Kill(pid, syscall.SIGKILL)
	require.Eventually(w, func() bool { return w.keeper.Inspect().Process.ID == 0 }, testwait.Limit, time.Millisecond)
	return err
}

func contains(w *world, text string) bool { return strings.Contains(w.log.String(), text) }
