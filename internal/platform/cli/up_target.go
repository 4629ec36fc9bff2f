package cli

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"customerzero/internal/platform/config"
)

// A chaos target that dies is restarted with exponential backoff, which is reset after a minute of running.
const (
	targetFirstBackoff = 100 * time.Millisecond
	targetMaxBackoff   = 10 * time.Second
	targetHealthyAfter = time.Minute
	targetStopTimeout  = 10 * time.Second
)

// targetChild keeps one `customerzero target` process running. It holds the listeners, so that no
// connection is refused during a restart.
type targetChild struct {
	command   []string
	listeners []*os.File
	output    io.Writer
}

// startTarget starts the chaos target, unless CHAOS_TARGET_CONTROL_URL names one.
func (u *upProcess) startTarget(ctx context.Context) error {
	if u.cfg.TargetControlURL != "" {
		return nil
	}
	dir := targetDir(u.cfg)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	awaitOrphan(ctx, targetLock(dir))
	c := &targetChild{}
	pages, err := c.listenNear(u.cfg.TargetAddr)
	if err != nil {
		return err
	}
	u.later(c.close)
	control, err := c.listenNear(u.cfg.TargetControlAddr)
	if err != nil {
		return err
	}
	u.cfg.TargetAddr, u.cfg.TargetControlAddr = pages, control
	u.cfg.TargetURL, u.cfg.TargetControlURL = cmp.Or(u.cfg.TargetURL, fromHere(pages)), fromHere(control)
	if u.cfg.TargetKey, err = takeTargetKey(u.cfg, dir); err != nil {
		return err
	}
	return u.keepTarget(ctx, c, dir)
}

func (u *upProcess) keepTarget(ctx context.Context, c *targetChild, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	logs, err := os.OpenFile(filepath.Join(u.cfg.DataDir, "target.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	c.output = logs
	c.command = []string{self, "target", "--child", "--dir", dir, "--product", publicURL(u.cfg)}
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx)) // stopped last, after its probes
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		c.keep(keeping, u.cfg.TargetKey)
	}()
	u.later(func() {
		stop()
		<-kept
		_ = logs.Close()
	})
	return nil
}

// listenNear listens and keeps the file descriptor for the chaos target.
func (c *targetChild) listenNear(wanted string) (address string, err error) {
	listener, err := listenNear(wanted)
	if err != nil {
		return "", err
	}
	defer func() { _ = listener.Close() }() // the file descriptor holds the port
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		return "", err
	}
	c.listeners = append(c.listeners, file)
	return listener.Addr().String(), nil
}

func (c *targetChild) close() {
	for _, file := range c.listeners {
		_ = file.Close()
	}
}

// keep restarts the chaos target until ctx ends.
func (c *targetChild) keep(ctx context.Context, key string) {
	pause := targetFirstBackoff
	for {
		begun := time.Now()
		err := c.run(ctx, key)
		if ctx.Err() != nil {
			return
		}
		if time.Since(begun) > targetHealthyAfter {
			pause = targetFirstBackoff
		}
		slog.Warn("the chaos target ended and is restarted; see target.log", "cause", err, "backoff", pause)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, targetMaxBackoff)
	}
}

// run runs one process of the chaos target to its end.
func (c *targetChild) run(ctx context.Context, key string) error {
	child := exec.Command(c.command[0], c.command[1:]...)
	// STRIPE_BASE_URL is invalid without the secret key.
	child.Env = append(config.WithoutSecrets(os.Environ()), "STRIPE_BASE_URL=", "CHAOS_TARGET_KEY="+key)
	child.Stdout, child.Stderr, child.ExtraFiles = c.output, c.output, c.listeners
	// In its own process group, Ctrl-C reaches only up, which stops it last.
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	gate, err := child.StdinPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	_ = gate.Close()
	select {
	case err = <-ended:
	case <-time.After(targetStopTimeout):
		_ = child.Process.Kill()
		err = <-ended
	}
	return err
}
