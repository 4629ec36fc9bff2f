package launcher

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asLauncher makes the test binary a launcher that can be killed.
const asLauncher = "EMBEDDED_TEST_AS_LAUNCHER"

func TestMain(m *testing.M) {
	if file := os.Getenv(asLauncher); file != "" {
		launcher(Options{Bin: os.Getenv("TEMPORALD_BIN"), DBFile: file})
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // they wait for servers most of the time, whatever the machine
	os.Exit(m.Run())
}

func launcher(o Options) {
	s, err := Start(context.Background(), o)
	if err != nil {
		_, _ = fmt.Fprintln(os.Stdout, err)
		os.Exit(1)
	}
	_, _ = fmt.Fprintln(os.Stdout, s.Pid())
	<-s.Done()
}

func TestTheServerLeavesWithItsLauncher(t *testing.T) {
	t.Parallel()
	o := newOptions(t)
	program, err := os.Executable()
	require.NoError(t, err)
	parent := exec.Command(program)
	parent.Env = append(os.Environ(), asLauncher+"="+o.DBFile, "TEMPORALD_BIN="+o.Bin)
	stdout, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err, line)
	require.True(t, alive(pid))

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait())
	startServer(t, o) // waits for the file, which only the end of the orphan frees
}
