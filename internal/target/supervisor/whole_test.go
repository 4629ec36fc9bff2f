package supervisor_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/target/supervisor"
)

// noRoom lets the supervisor's process, and its replica's, write nothing: as on a full disk, the
// kernel refuses.
const noRoom = "KEEPER_TEST_NO_ROOM"

// wholeKeeper is a supervisor in a process of its own. It prints where it takes orders and where its
// pages are.
func wholeKeeper(dir string) {
	if os.Getenv(noRoom) != "" {
		signal.Ignore(syscall.SIGXFSZ)
		must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 0, Max: 0}))
	}
	public, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	control, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	program, err := os.Executable()
	must(err)
	k, err := supervisor.New(supervisor.Options{
		Dir: dir, Listener: public, Command: []string{program}, Env: []string{asReplica + "=" + dir}, Golden: golden(), Key: key,
	})
	must(err)
	_, _ = fmt.Fprintf(os.Stdout, "http://%s http://%s\n", control.Addr(), public.Addr())
	go func() { must(http.Serve(control, k.Handler())) }()
	must(k.Run(context.Background()))
	os.Exit(0)
}

// startWhole starts a supervisor in a process of its own, on the directory of a stopped one.
func (w *world) startWhole(program string, as *syscall.Credential, env ...string) *exec.Cmd {
	w.Helper()
	command := exec.Command(program)
	command.Env = append(env, asKeeper+"="+w.dir)
	command.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	command.Stderr = w.log
	stdout, err := command.StdoutPipe()
	require.NoError(w, err)
	require.NoError(w, command.Start())
	w.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(w, err, w.log.String())
	w.control, w.public, _ = strings.Cut(strings.TrimSpace(line), " ")
	return command
}

func self(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return program
}
