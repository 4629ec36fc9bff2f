package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// stopWithin is how long a program may take to stop. It is longer than the drain time of every program.
const stopWithin = 40 * time.Second

// Program is the program of a process. Its log is Name.log in Dir, its working directory.
type Program struct {
	Name, Path string
	Args, Env  []string
	Dir        string
	// As is the user that it runs as; nil: the current user.
	As *syscall.Credential
	// Ask is the signal that stops it gracefully; default: SIGTERM.
	Ask syscall.Signal
}

// Process is a program that is restarted whenever it exits.
type Process struct {
	keeping context.Context // the program is kept running until it ends
	log     *os.File
	ended   sync.WaitGroup

	mu      sync.Mutex
	program Program
	current *life         // nil between two
	pause   time.Duration // before the next start
	kills   int
	killed  time.Time // last kill
	asked   bool      // the current life was asked to stop
	falls   int       // exits that were not caused here
}

// Keep runs a program until ctx ends.
func Keep(ctx context.Context, program Program) (*Process, error) {
	log, err := os.OpenFile(filepath.Join(program.Dir, program.Name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	p := &Process{keeping: ctx, program: program, log: log}
	p.ended.Go(func() {
		for ctx.Err() == nil {
			p.live()
			Wait(ctx, p.rest())
		}
	})
	return p, nil
}

func (p *Process) live() {
	now, err := p.begin()
	if err != nil {
		_, _ = fmt.Fprintln(p.log, "cluster: cannot start:", err)
		return
	}
	<-now.gone
	p.mu.Lock()
	p.current = nil
	p.mu.Unlock()
}

// rest is the pause before the next start: the one given to Kill, none after Restart, 200 ms after an exit by itself.
func (p *Process) rest() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	pause := p.pause
	if pause == 0 && !p.asked {
		p.falls++
		pause = 200 * time.Millisecond
	}
	p.pause = 0
	return pause
}

// Kill sends SIGKILL and reports whether the program was running. It is restarted after the pause.
func (p *Process) Kill(pause time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil || p.current.process.Kill() != nil {
		return false
	}
	p.current, p.pause = nil, max(pause, time.Millisecond)
	p.kills++
	p.killed = time.Now()
	return true
}

// Restart stops the program gracefully and returns when it has exited. It is started again at once, but may not be
// ready yet.
func (p *Process) Restart(ctx context.Context) error {
	p.mu.Lock()
	current := p.current
	if current == nil {
		p.mu.Unlock()
		return nil // it is about to be started
	}
	p.asked = true
	err := current.process.Signal(p.program.ask())
	p.mu.Unlock()
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	late := time.NewTimer(stopWithin)
	defer late.Stop()
	select {
	case <-current.gone:
		return nil
	case <-late.C:
		p.Kill(0)
		return fmt.Errorf("%s did not end within %s", p.Name(), stopWithin)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Program returns the program.
func (p *Process) Program() Program { return p.program }

// Name is the name of the program.
func (p *Process) Name() string { return p.program.Name }

// Deaths returns the number of kills and the number of exits by itself.
func (p *Process) Deaths() (kills, falls int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kills, p.falls
}

// Unharmed is the time since the last kill.
func (p *Process) Unharmed() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.killed)
}

// Ended waits until the program has exited, after the end of its context.
func (p *Process) Ended() {
	p.ended.Wait()
	_ = p.log.Close()
}

type life struct {
	process *os.Process
	gone    chan struct{} // closed when it has exited
}

// begin starts the program, which ends with its context and with this process.
func (p *Process) begin() (*life, error) {
	program := p.program
	command := exec.CommandContext(p.keeping, program.Path, program.Args...)
	command.Env, command.Dir = append([]string{}, program.Env...), program.Dir
	command.Stdout, command.Stderr = p.log, p.log
	// It has its own process group, because Ctrl-C is for this process. The kernel signals it if this process is killed.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: program.As, Pdeathsig: program.ask()}
	command.Cancel = func() error { return command.Process.Signal(program.ask()) }
	command.WaitDelay = stopWithin
	now := &life{gone: make(chan struct{})}
	started := make(chan error)
	p.ended.Go(func() {
		// The kernel signals a child when its parent thread exits, so this thread has to stay.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		p.mu.Lock()
		err := command.Start()
		if now.process = command.Process; err == nil {
			p.current, p.asked = now, false
		}
		p.mu.Unlock()
		started <- err
		if err == nil {
			_ = command.Wait() // it reports ctx
			_, _ = fmt.Fprintln(p.log, "cluster: exited:", command.ProcessState)
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

// Wait sleeps for d. It returns false if ctx ended before.
func Wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Until polls a condition every 50 ms and reports whether it became true in time.
func Until(ctx context.Context, patience time.Duration, came func() bool) bool {
	return Often(ctx, patience, 50*time.Millisecond, came)
}

// Often is Until with another interval.
func Often(ctx context.Context, patience, pause time.Duration, came func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !came() {
		if !Wait(ctx, pause) {
			return came()
		}
	}
	return true
}
