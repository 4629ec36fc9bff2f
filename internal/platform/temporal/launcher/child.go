package launcher

import (
	"bufio"
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

	last  string // what it last said; read after done
	ended error  // how it ended; read after done
}

func launch(o Options) (*child, error) {
	c := &child{serving: make(chan struct{}), done: make(chan struct{})}
	c.command = exec.Command(o.Bin, o.args()...)
	// It shares a laptop, whose memory is scarcer than its time. A GOGC of the operator's wins.
	c.command.Env = append([]string{"GOGC=50"}, c.command.Environ()...)
	// A group of its own: Ctrl-C reaches the launcher only, which stops the server last.
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, errSaid := c.command.StdoutPipe()
	c.command.Stderr = c.command.Stdout
	gate, errGate := c.command.StdinPipe()
	if err := errors.Join(errSaid, errGate); err != nil {
		return nil, err
	}
	c.gate = gate
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("start the Temporal server: %w", err)
	}
	go func() {
		c.listen(said, o.Logs)
		c.ended = c.command.Wait()
		close(c.done)
	}()
	return c, nil
}

// listen hands on what the child says until it is gone, and watches for the one line that says that it
// serves: polling the port instead might take somebody else's server for ours. A log that fails must
// not stop the child.
func (c *child) listen(said io.Reader, logs io.Writer) {
	serving := sync.OnceFunc(func() { close(c.serving) })
	for lines := bufio.NewReader(said); ; {
		line, _, err := lines.ReadLine() // a part of it, if it is very long
		if err != nil {
			return
		}
		_, _ = fmt.Fprintf(logs, "%s\n", line)
		switch text := strings.TrimSpace(string(line)); {
		case strings.HasPrefix(text, "temporald: serving "):
			serving()
		case text != "":
			c.last = strings.TrimPrefix(text, "temporald: ")
		}
	}
}

// failure says how the child ended, in its own words if it had any.
func (c *child) failure() error {
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

// restartTime bounds one attempt to restart. It covers the child's own wait for its file.
const restartTime = 30 * time.Second

// supervise follows the server from life to life. A failure after Stop is none.
func (s *Server) supervise() {
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
		if s.options.OnRestart != nil {
			s.options.OnRestart(cause)
		}
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
