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

// stopWithin is how long a program that was asked to stop may take: longer than any of ours lets its last steps end.
const stopWithin = 40 * time.Second

// Program is what a process runs. Its log is Name.log in Dir, where it also works.
type Program struct {
	Name, Path string
	Args, Env  []string
	Dir        string
	// As is whom it runs as; nil: whoever we are.
	As *syscall.Credential
	// Ask is the signal that asks it to end; 0: SIGTERM.
	Ask syscall.Signal
}

// Process is a program that is started again whenever it ends, as any init would do.
type Process struct {
	keeping context.Context // until it ends
	log     *os.File
	ended   sync.WaitGroup

	mu      sync.Mutex
	program Program
	current *life         // nil: between two
	pause   time.Duration // before the next start
	kills   int
	killed  time.Time // the last time
	asked   bool      // the current life was told to end
	falls   int       // ends that we did not cause
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

// live is one life.
func (p *Process) live() {
	now, err := p.begin()
	if err != nil {
		_, _ = fmt.Fprintln(p.log, "cluster: it cannot start:", err)
		return
	}
	<-now.gone
	p.mu.Lock()
	p.current = nil
	p.mu.Unlock()
}

// rest is the pause before the next life: as the killer wished, none if it was asked to end, or a moment.
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

// Kill ends the current life with SIGKILL, and says whether there was one. The next one begins after the pause.
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

// Restart asks the program to end, and returns when it has. It is started again at once; who
// needs it has to wait until it is ready.
func (p *Process) Restart(ctx context.Context) error {
	p.mu.Lock()
	current := p.current
	if current == nil {
		p.mu.Unlock()
		return nil // it is about to be started anyway
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

// Program is what it runs.
func (p *Process) Program() Program { return p.program }

// Name is also that of its log.
func (p *Process) Name() string { return p.program.Name }

// Deaths says how often it was killed, and how often it ended otherwise without being asked.
func (p *Process) Deaths() (kills, falls int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kills, p.falls
}

// Unharmed says for how long nobody has killed it.
func (p *Process) Unharmed() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.killed)
}

// Ended returns when it does not live any more, after the end of its context.
func (p *Process) Ended() {
	p.ended.Wait()
	_ = p.log.Close()
}

// life is one run of a program.
type life struct {
	process *os.Process
	gone    chan struct{} // closed at its end
}

// begin starts a life, which ends with its context, and with us.
func (p *Process) begin() (*life, error) {
	program := p.program
	command := exec.CommandContext(p.keeping, program.Path, program.Args...)
	command.Env, command.Dir = append([]string{}, program.Env...), program.Dir
	command.Stdout, command.Stderr = p.log, p.log
	// A group of its own, as Ctrl-C is for us. The kernel signals it when we are killed.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: program.As, Pdeathsig: program.ask()}
	command.Cancel = func() error { return command.Process.Signal(program.ask()) }
	command.WaitDelay = stopWithin
	now := &life{gone: make(chan struct{})}
	started := make(chan error)
	p.ended.Go(func() {
		// To the kernel the parent is this thread, and a child is signalled at its end.
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

// Wait lets time pass, and says whether there is more to come.
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

// Until asks again and again, and says whether it came true in time.
func Until(ctx context.Context, patience time.Duration, came func() bool) bool {
	return Often(ctx, patience, 50*time.Millisecond, came)
}

// Often is Until for who must not miss a moment.
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
