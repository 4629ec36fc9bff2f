package blob_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/blob"
)

// The test binary is also a process beside ours, which puts the usual contents.
const (
	asOther = "BLOB_TEST_AS_OTHER" // the directory
	room    = "BLOB_TEST_ROOM"     // how long a file may become: as on a full disk, the kernel refuses
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(asOther); dir != "" {
		if err := putAll(context.Background(), dir); err != nil {
			_, _ = fmt.Fprintln(os.Stdout, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const contents = 20

// putAll puts all contents, and looks at each.
func putAll(ctx context.Context, dir string) error {
	if limit, err := strconv.ParseUint(os.Getenv(room), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	store, err := blob.Open(dir)
	if err != nil {
		return err
	}
	for i := range contents {
		key, err := store.Put(ctx, content(i))
		if err != nil {
			return err
		}
		if _, err := store.Get(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// content is long enough not to be written in one piece.
func content(i int) []byte {
	data := make([]byte, 100_000)
	for j := range data {
		data[j] = byte(i + j%7)
	}
	return data
}

func other(t *testing.T, dir string, env ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(env, asOther+"="+dir)
	return command
}
