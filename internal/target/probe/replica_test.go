package probe_test

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/target/golden"
	"customerzero/internal/target/instance"
	"customerzero/internal/target/probe"
)

func TestTheRealPagesAreWellUntilTheyAreBroken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "live"), golden.FS))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, leave := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- instance.Run(ctx, instance.Options{Dir: dir, Listener: listener}) }()
	t.Cleanup(func() {
		leave()
		require.NoError(t, <-ended)
	})
	real, err := fs.ReadFile(golden.FS, target.FileOGImage)
	require.NoError(t, err)
	w := newWorld(t)
	w.keeper(target.PathManifest, answers(manifestOf(real)))
	looks := probe.New("http://"+listener.Addr().String(), w.keeperURL, key)
	sees := func(some ...target.Check) {
		t.Helper()
		require.Eventually(t, func() bool { return looks.Probe(t.Context()).Failing == target.Failed(some...) }, testwait.Limit, 10*time.Millisecond)
	}
	sees()
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "live", "templates")))
	sees(target.CheckHome, target.CheckPosts)
	require.NoError(t, os.Remove(filepath.Join(dir, "live", target.FileOGImage)))
	sees(target.CheckHome, target.CheckPosts, target.CheckOGImage)
	require.NoError(t, os.Remove(filepath.Join(dir, "live", target.FileRules)))
	sees(target.CheckHome, target.CheckPosts, target.CheckOGImage, target.CheckWorker)
	require.NoError(t, os.Truncate(filepath.Join(dir, "cell.db"), 0))
	sees(target.CheckHome, target.CheckPosts, target.CheckOGImage, target.CheckWorker, target.CheckAPI)
}
