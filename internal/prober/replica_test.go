package prober_test

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/cell"
	"customerzero/internal/cell/golden"
	"customerzero/internal/prober"
	"customerzero/internal/replica"
	"customerzero/internal/testwait"
)

func TestTheRealPagesAreWellUntilTheyAreBroken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "live"), golden.FS))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, leave := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- replica.Run(ctx, replica.Options{Dir: dir, Listener: listener}) }()
	t.Cleanup(func() {
		leave()
		require.NoError(t, <-ended)
	})
	real, err := fs.ReadFile(golden.FS, cell.FileOGImage)
	require.NoError(t, err)
	w := newWorld(t)
	w.keeper(cell.PathManifest, answers(manifestOf(real)))
	looks := prober.New("http://"+listener.Addr().String(), w.keeperURL, key)
	sees := func(some ...cell.Check) {
		t.Helper()
		require.Eventually(t, func() bool { return looks.Probe(t.Context()).Failing == cell.Failed(some...) }, testwait.Limit, 10*time.Millisecond)
	}
	sees()
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "live", "templates")))
	sees(cell.CheckHome, cell.CheckPosts)
	require.NoError(t, os.Remove(filepath.Join(dir, "live", cell.FileOGImage)))
	sees(cell.CheckHome, cell.CheckPosts, cell.CheckOGImage)
	require.NoError(t, os.Remove(filepath.Join(dir, "live", cell.FileRules)))
	sees(cell.CheckHome, cell.CheckPosts, cell.CheckOGImage, cell.CheckWorker)
	require.NoError(t, os.Truncate(filepath.Join(dir, "cell.db"), 0))
	sees(cell.CheckHome, cell.CheckPosts, cell.CheckOGImage, cell.CheckWorker, cell.CheckAPI)
}
