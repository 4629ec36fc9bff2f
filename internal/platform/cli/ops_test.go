package cli_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestATakenAddressForOperatorsIsOneSentence(t *testing.T) {
	isolated(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, taken.Close()) })
	t.Setenv("OPS_ADDR", taken.Addr().String())
	for _, name := range []string{"api", "worker", "target", "up"} {
		fails(t, taken.Addr().String()+" is taken or not ours; choose another OPS_ADDR", name)
	}
}

// A worker whose Temporal went away lives, and says that it cannot work.
func TestAWorkerIsReadyWhileItCanWork(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	up := startUp(t, dir, "VERIFY_EVERY=off")
	p := startPart(t, "worker", dir, "PUBLIC_URL="+up.url)
	require.NoError(t, up.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, up.cmd.Wait())
	require.Eventually(t, func() bool { return p.asked(t, "/readyz") == http.StatusServiceUnavailable }, patience, 50*time.Millisecond)
	require.Equal(t, http.StatusOK, p.asked(t, "/healthz"))
	require.Contains(t, p.text(t, "/readyz"), `{"name":"temporal","ok":false,"detail":"Temporal does not answer"}`)
	require.Contains(t, p.text(t, "/metrics"), "\ncustomerzero_ready 0\n")
}
