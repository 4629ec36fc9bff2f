package rig

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Process is a program that is started again whenever it ends, as any init would do.
type Process struct {
	command string // of the program
	program string
	env     []string
	log     *os.File
	ended   sync.WaitGroup

	mu      sync.Mutex
	current *os.Process
	pause   time.Duration // before the next start
	kills   int
	killed  time.Time // the last time
	falls   int       // ends that we did not cause
}

// keep runs a command of the program until ctx ends. Its log has the name.
func keep(ctx context.Context, command, name, program, dir string, env []string) (*Process, error) {
	log, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	p := &Process{command: command, program: program, env: env, log: log}
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
	command := exec.CommandContext(ctx, p.program, p.command)
	command.Env, command.Dir = p.env, filepath.Dir(p.log.Name())
	command.Stdout, command.Stderr = p.log, p.log
	if err := command.Start(); err != nil {
		_, _ = fmt.Fprintln(p.log, "torture: it cannot start:", err)
		return
	}
	p.set(command.Process)
	err := command.Wait()
	p.set(nil)
	_, _ = fmt.Fprintln(p.log, "torture: it ended:", err)
}

func (p *Process) set(current *os.Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = current
}

// rest is the pause before the next life: as the killer wished, or a moment.
func (p *Process) rest() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	pause := p.pause
	if pause == 0 {
		p.falls++
		pause = 200 * time.Millisecond
	}
	p.pause = 0
	return pause
}

// kill ends the current life with SIGKILL, and says whether there was one.
func (p *Process) kill(pause time.Duration) bool {
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

// Unharmed says for how long nobody has killed it.
func (p *Process) Unharmed() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.killed)
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
