package launcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// child is one life of the server's process.
type child struct {
	command *exec.Cmd
	gate    io.Closer     // closing it asks the child to stop; so does our death
	serving chan struct{} // closed when the child says that it serves
	done    chan struct{} // closed when it is gone

	mu    sync.Mutex
	last  string // what it last said on stderr
	ended error  // how it ended; read after done
}

func launch(o Options) (*child, error) {
	c := &child{serving: make(chan struct{}), done: make(chan struct{})}
	c.command = exec.Command(o.Bin, o.args()...)
	// It shares a laptop, whose memory is scarcer than its time. A GOGC of the operator's wins.
	c.command.Env = append([]string{"GOGC=50"}, c.command.Environ()...)
	// A group of its own: Ctrl-C reaches the launcher only, which stops the server last.
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.command.Stdout = &output{mu: &c.mu, to: o.Logs, line: c.hearStdout()}
	c.command.Stderr = &output{mu: &c.mu, to: o.Logs, line: c.hearStderr}
	gate, err := c.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	c.gate = gate
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("start the Temporal server: %w", err)
	}
	go func() {
		c.ended = c.command.Wait()
		close(c.done)
	}()
	return c, nil
}

// hearStdout watches for the one line that temporald prints there. Polling the port instead
// might take somebody else's server for ours.
func (c *child) hearStdout() func(string) {
	said := sync.OnceFunc(func() { close(c.serving) })
	return func(line string) {
		if strings.HasPrefix(line, "temporald: serving ") {
			said()
		}
	}
}

func (c *child) hearStderr(line string) {
	if line != "" {
		c.last = strings.TrimPrefix(line, "temporald: ")
	}
}

// failure says how the child ended, in its own words if it had any.
func (c *child) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	ended := c.ended
	if ended == nil {
		ended = errors.New("exit status 0")
	}
	if c.last == "" {
		return fmt.Errorf("the Temporal server ended: %w", ended)
	}
	return fmt.Errorf("the Temporal server ended: %s (%w)", c.last, ended)
}

// stop asks the child to leave, and kills it when ctx ends first.
func (c *child) stop(ctx context.Context) error {
	_ = c.gate.Close()
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		_ = c.command.Process.Kill()
		<-c.done
		return fmt.Errorf("the Temporal server was killed, it had not stopped in time: %w", context.Cause(ctx))
	}
}

// discard ends a child that never got to serve.
func (c *child) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = c.stop(ctx)
}

// output hands on what the child says, and remembers the last line. The child's two streams
// share a writer, hence the shared lock.
type output struct {
	mu   *sync.Mutex
	to   io.Writer
	line func(string) // called with every line, under the lock

	partial []byte
}

// longestLine bounds what is remembered of a line without an end.
const longestLine = 4096

// Write never fails: losing a log line must not close the pipe under the child.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.to.Write(p)
	o.partial = append(o.partial, p...)
	for {
		line, rest, whole := bytes.Cut(o.partial, []byte("\n"))
		if !whole {
			break
		}
		o.line(strings.TrimSpace(string(line)))
		o.partial = rest
	}
	o.partial = bytes.Clone(o.partial[:min(len(o.partial), longestLine)])
	return len(p), nil
}

// restartTime bounds one attempt to restart. It covers the child's own wait for its file.
const restartTime = 30 * time.Second

// Supervise is Start for a server that must not stay dead. If its process ends unasked, it is
// started again on the same file and ports, up to five times a minute; clients reconnect by
// themselves, and flows go on where they were. onRestart, which may be nil, is told why
// after each restart that worked. The Server is done when the restarts are used up.
func Supervise(ctx context.Context, o Options, onRestart func(cause error)) (*Server, error) {
	s, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	if onRestart == nil {
		onRestart = func(error) {}
	}
	go s.supervise(onRestart)
	return s, nil
}

// supervise follows the server from life to life. A failure after Stop is none.
func (s *Server) supervise(onRestart func(error)) {
	var restarts budget
	for c := s.child; ; {
		<-c.done
		cause := c.failure()
		next, err := s.revive(&restarts, cause)
		if err != nil {
			s.finish(err)
			return
		}
		c = next
		onRestart(cause)
	}
}

// revive launches children until one serves, the budget is spent, or Stop is asked for.
func (s *Server) revive(restarts *budget, cause error) (*child, error) {
	for {
		pause, ok := restarts.next(time.Now())
		if !ok {
			return nil, fmt.Errorf("gave up after %d restarts within %v: %w", restartLimit, restartWindow, cause)
		}
		select {
		case <-s.life.Done():
			return nil, context.Cause(s.life)
		case <-time.After(pause):
		}
		c, err := s.relaunch()
		if err == nil {
			return c, nil
		}
		cause = err
	}
}

func (s *Server) relaunch() (*child, error) {
	ctx, cancel := context.WithTimeout(s.life, restartTime)
	defer cancel()
	c, err := launchReady(ctx, s.options)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		c.discard()
		return nil, context.Cause(s.life)
	}
	s.child = c
	return c, nil
}

// A server that dies again and again has a reason that a restart does not cure.
const (
	restartLimit  = 5
	restartWindow = time.Minute
	firstPause    = 50 * time.Millisecond
)

// budget decides whether and when the next restart may be. Its zero value is full.
type budget struct {
	spent []time.Time // within the window, oldest first
}

// next spends a restart and says how long to pause before it, doubling with each one in the
// window, or that none is left.
func (b *budget) next(now time.Time) (pause time.Duration, ok bool) {
	for len(b.spent) > 0 && now.Sub(b.spent[0]) >= restartWindow {
		b.spent = b.spent[1:]
	}
	if len(b.spent) == restartLimit {
		return 0, false
	}
	pause = firstPause << len(b.spent)
	b.spent = append(b.spent, now)
	return pause, true
}
