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

// child is one process of the server.
type child struct {
	command *exec.Cmd
	gate    io.Closer     // closing it stops the child, as does the death of this process
	serving chan struct{} // closed when the child reports that it serves
	done    chan struct{} // closed when the child has ended

	last  string // last line of its output; read after done
	ended error  // result of Wait; read after done
}

func launch(o Options) (*child, error) {
	c := &child{serving: make(chan struct{}), done: make(chan struct{})}
	c.command = exec.Command(o.Bin, o.args()...)
	// On a laptop memory is scarcer than CPU time. A GOGC that the operator has set wins.
	c.command.Env = append([]string{"GOGC=50"}, o.Env...)
	// In its own process group, Ctrl-C reaches only the launcher, which stops the server last.
	c.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output, errOutput := c.command.StdoutPipe()
	c.command.Stderr = c.command.Stdout
	gate, errGate := c.command.StdinPipe()
	if err := errors.Join(errOutput, errGate); err != nil {
		return nil, err
	}
	c.gate = gate
	if err := c.command.Start(); err != nil {
		return nil, fmt.Errorf("start the Temporal server: %w", err)
	}
	go func() {
		c.read(output, o.Logs)
		c.ended = c.command.Wait()
		close(c.done)
	}()
	return c, nil
}

// read copies the child's output to the logs until it ends, and waits for the line that reports that it serves:
// polling the port could find another program's server. A log that fails must not stop the child.
func (c *child) read(output io.Reader, logs io.Writer) {
	serving := sync.OnceFunc(func() { close(c.serving) })
	for lines := bufio.NewReader(output); ; {
		line, _, err := lines.ReadLine() // a part of a very long line
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

// failure returns why the child ended, with the last line of its output.
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

// stop stops the child, and kills it if ctx ends first.
func (c *child) stop(ctx context.Context) error {
	_ = c.gate.Close()
	select {
	case <-c.done:
		return nil
	case <-ctx.Done():
		_ = c.command.Process.Kill()
		<-c.done
		return fmt.Errorf("the Temporal server did not stop in time and was killed: %w", context.Cause(ctx))
	}
}

// discard stops a child that does not serve.
func (c *child) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = c.stop(ctx)
}

// restartTime bounds one restart, including the child's wait for its lock.
const restartTime = 30 * time.Second

// supervise restarts the server until Stop is called or the budget is spent.
func (s *Server) supervise() {
	var restarts budget
	for c := s.child; ; {
		<-c.done
		cause := c.failure()
		next, err := s.restart(&restarts, cause)
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

// restart launches children until one serves, the budget is spent, or Stop is called.
func (s *Server) restart(restarts *budget, cause error) (*child, error) {
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

// A server that ends 5 times within a minute has a problem that a restart does not solve.
const (
	restartLimit  = 5
	restartWindow = time.Minute
	firstPause    = 50 * time.Millisecond
)

// budget limits restarts. Its zero value is full.
type budget struct {
	spent []time.Time // within the window, oldest first
}

// next spends a restart and returns the pause before it, which doubles with each restart in the window, or false
// if none is left.
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
