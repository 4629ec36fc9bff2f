package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// stopTime is how long the replica may take to stop.
const stopTime = 5 * time.Second

var errStopped = problem.New(problem.Unavailable, "The supervisor is shutting down.")

// process is the replica's process across restarts. Callers hold the supervisor's lock to start or restart it.
type process struct {
	command  []string
	env      []string
	output   io.Writer
	listener *os.File
	address  string
	log      *slog.Logger

	mu      sync.Mutex
	life    *life
	starts  int
	rounds  int // successful starts
	stopped bool
}

type life struct {
	command   *exec.Cmd
	stdin     io.Closer // the replica stops when it is closed, including by our death
	startedAt time.Time
	done      chan struct{}
}

// listenerFile returns a file handle of the listener for the replica.
func listenerFile(listener net.Listener) (*os.File, error) {
	public, ok := listener.(interface{ File() (*os.File, error) })
	if !ok {
		return nil, errors.New("the listener cannot be passed to a process: it has no file")
	}
	return public.File()
}

func newProcess(o Options, listener *os.File) *process {
	return &process{
		command: o.Command, env: append([]string{}, o.Env...), output: o.Output,
		listener: listener, address: dialable(o.Listener.Addr()), log: o.Log,
	}
}

// State returns the process's state.
func (p *process) State() target.Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := target.Process{Starts: p.starts}
	if p.life != nil {
		state.StartedAt = p.life.startedAt
		if p.life.alive() {
			state.ID = p.life.command.Process.Pid
		}
	}
	return state
}

// Alive reports whether the process runs.
func (p *process) Alive() bool { return p.State().ID != 0 }

// Kill sends SIGKILL and returns when the process has ended.
func (p *process) Kill() error {
	p.mu.Lock()
	l := p.life
	p.mu.Unlock()
	if l == nil {
		return nil
	}
	if err := l.command.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	<-l.done
	return nil
}

// Restart restarts the process and returns when it responds.
func (p *process) Restart(ctx context.Context) error {
	if err := p.Kill(); err != nil {
		return err
	}
	l, err := p.launch()
	if err != nil {
		return err
	}
	if err := p.awaitHealthy(ctx, l); err != nil {
		return err
	}
	p.mu.Lock()
	p.rounds++
	p.mu.Unlock()
	return nil
}

// round returns the number of successful starts; a caller that waited during one need not restart again.
func (p *process) round() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rounds
}

func (p *process) launch() (*life, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return nil, errStopped
	}
	command := exec.Command(p.command[0], p.command[1:]...)
	command.Env, command.Stdout, command.Stderr = p.env, p.output, p.output
	command.ExtraFiles = []*os.File{p.listener}
	command.WaitDelay = time.Second // for output that a child process keeps open
	// In a separate process group, so that Ctrl-C reaches only the supervisor, which stops the replica.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the replica: %w", err)
	}
	p.starts++
	p.life = &life{command: command, stdin: stdin, startedAt: time.Now().UTC(), done: make(chan struct{})}
	p.log.Info("supervisor: the replica was started", "process", command.Process.Pid, "start", p.starts)
	go p.follow(p.life)
	return p.life, nil
}

func (p *process) follow(l *life) {
	err := l.command.Wait()
	close(l.done)
	p.log.Info("supervisor: the replica has ended", "process", l.command.Process.Pid, "how", err)
}

func (l *life) alive() bool {
	select {
	case <-l.done:
		return false
	default:
		return true
	}
}

// stop stops the replica, by force if necessary, and prevents further starts.
func (p *process) stop() error {
	p.mu.Lock()
	p.stopped = true
	l := p.life
	p.mu.Unlock()
	if l == nil {
		return nil
	}
	_ = l.stdin.Close()
	select {
	case <-l.done:
		return nil
	case <-time.After(stopTime):
		return p.Kill()
	}
}
