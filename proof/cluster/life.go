package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// life is one run of a program.
type life struct {
	process *os.Process
	gone    chan struct{} // closed at its end
}

// begin starts a life, which ends with ctx, and with us.
func (p *Process) begin(ctx context.Context, program Program) (*life, error) {
	command := exec.CommandContext(ctx, program.Path, program.Args...)
	command.Env, command.Dir, command.ExtraFiles = append([]string{}, program.Env...), program.Dir, program.Files
	command.Stdout, command.Stderr = p.log, p.log
	command.SysProcAttr = orphaned(program.ask(), &syscall.SysProcAttr{Setpgid: true, Credential: program.As}) // Ctrl-C is for us
	command.Cancel = func() error { return command.Process.Signal(program.ask()) }
	command.WaitDelay = stopWithin
	now := &life{gone: make(chan struct{})}
	started := make(chan error)
	p.ended.Go(func() {
		// To the system the parent is this thread, and a child is told of its end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		now.process = command.Process
		started <- err
		if err == nil {
			_ = command.Wait() // it tells of ctx
			_, _ = fmt.Fprintln(p.log, "cluster: it ended:", command.ProcessState)
			close(now.gone)
		}
	})
	return now, <-started
}

func (p Program) ask() syscall.Signal {
	if p.Ask == 0 {
		return syscall.SIGTERM
	}
	return p.Ask
}
