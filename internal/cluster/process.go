package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// stopWithin is how long a program that was asked to stop may take: longer than any of ours
// lets its last steps end.
const stopWithin = 40 * time.Second

// Program is what a process runs. Its log is Name.log in Dir, where it also works.
type Program struct {
	Name, Path string
	Args, Env  []string
	Dir        string
	// As is whom it runs as; nil: whoever we are.
	As *syscall.Credential
}

// Process is a program that is started again whenever it ends, as any init would do.
type Process struct {
	log   *os.File
	ended sync.WaitGroup

	mu      sync.Mutex
	program Program
	current *os.Process
	gone    chan struct{} // closed at the end of the current life
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
	p := &Process{program: program, log: log}
	p.ended.Go(func() {
		for ctx.Err() == nil {
			p.live(ctx)
			Wait(ctx, p.rest())
		}
		_ = log.Close()
	})
	return p, nil
}

// live is one life. It ends with ctx, too.
func (p *Process) live(ctx context.Context) {
	program := p.Program()
	command := exec.CommandContext(ctx, program.Path, program.Args...)
	command.Env, command.Dir = program.Env, program.Dir
	command.Stdout, command.Stderr = p.log, p.log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: program.As} // Ctrl-C is for us
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = stopWithin
	if err := command.Start(); err != nil {
		_, _ = fmt.Fprintln(p.log, "cluster: it cannot start:", err)
		return
	}
	p.born(command.Process)
	err := command.Wait()
	p.died()
	_, _ = fmt.Fprintln(p.log, "cluster: it ended:", err)
}

func (p *Process) born(current *os.Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current, p.gone, p.asked = current, make(chan struct{}), false
}

func (p *Process) died() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = nil
	close(p.gone)
}

// rest is the pause before the next life: as the killer wished, none if it was asked to end, or
// a moment.
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

// Kill ends the current life with SIGKILL, and says whether there was one. The next one begins
// after the pause.
func (p *Process) Kill(pause time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil || p.current.Kill() != nil {
		return false
	}
	p.current, p.pause = nil, max(pause, time.Millisecond)
	p.kills++
	p.killed = time.Now()
	return true
}

// Restart asks the program to end, and returns when it has. It is started again at once; whoever
// needs it has to wait until it is ready.
func (p *Process) Restart(ctx context.Context) error {
	p.mu.Lock()
	current, gone := p.current, p.gone
	if current == nil {
		p.mu.Unlock()
		return nil // it is about to be started anyway
	}
	p.asked = true
	err := current.Signal(syscall.SIGTERM)
	p.mu.Unlock()
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	late := time.NewTimer(stopWithin)
	defer late.Stop()
	select {
	case <-gone:
		return nil
	case <-late.C:
		p.Kill(0)
		return fmt.Errorf("%s did not end within %s", p.Program().Name, stopWithin)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Replace is Restart with another program, as a deployment does it.
func (p *Process) Replace(ctx context.Context, program Program) error {
	p.mu.Lock()
	program.Name, program.Dir = p.program.Name, p.program.Dir // its log stays
	p.program = program
	p.mu.Unlock()
	return p.Restart(ctx)
}

// Program is what it runs now, or will at its next start.
func (p *Process) Program() Program {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.program
}

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
func (p *Process) Ended() { p.ended.Wait() }
