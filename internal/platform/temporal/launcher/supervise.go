package launcher

import (
	"context"
	"fmt"
	"time"
)

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
