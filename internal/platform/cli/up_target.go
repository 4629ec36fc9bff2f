package cli

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// A chaos target that dies is started again: at once, then after longer and longer pauses. One that
// lived for a while is believed to be well.
const (
	cellFirstPause = 100 * time.Millisecond
	cellLastPause  = 10 * time.Second
	cellWellAfter  = time.Minute
	cellLeaves     = 10 * time.Second
)

// cellChild keeps one process `customerzero cell` alive. We hold its listeners, so that nobody
// is refused while it is started again.
type cellChild struct {
	command   []string
	listeners []*os.File
	output    io.Writer
}

// startCell starts the chaos target beside us, unless its supervisor is elsewhere.
func (u *upProcess) startCell(ctx context.Context) error {
	if u.cfg.TargetControlURL != "" {
		return nil
	}
	dir := cellDir(u.cfg)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	awaitOrphan(ctx, cellLock(dir))
	c := &cellChild{}
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
	u.cfg.TargetURL, u.cfg.TargetControlURL = orElse(u.cfg.TargetURL, fromHere(pages)), fromHere(control)
	if u.cfg.TargetKey, err = takeCellKey(u.cfg, dir); err != nil {
		return err
	}
	return u.keepCell(ctx, c, dir)
}

func (u *upProcess) keepCell(ctx context.Context, c *cellChild, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	logs, err := os.OpenFile(filepath.Join(u.cfg.DataDir, "cell.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	c.output = logs
	c.command = []string{self, "target", "--child", "--dir", dir, "--product", publicURL(u.cfg)}
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx)) // stopped last, when nobody looks at it any more
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

// listenNear listens, and keeps a handle for the chaos target.
func (c *cellChild) listenNear(wanted string) (address string, err error) {
	listener, err := listenNear(wanted)
	if err != nil {
		return "", err
	}
	defer func() { _ = listener.Close() }() // the handle holds the port
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		return "", err
	}
	c.listeners = append(c.listeners, file)
	return listener.Addr().String(), nil
}

func (c *cellChild) close() {
	for _, file := range c.listeners {
		_ = file.Close()
	}
}

// keep runs the chaos target until ctx ends, from life to life.
func (c *cellChild) keep(ctx context.Context, key string) {
	pause := cellFirstPause
	for {
		begun := time.Now()
		err := c.live(ctx, key)
		if ctx.Err() != nil {
			return
		}
		if time.Since(begun) > cellWellAfter {
			pause = cellFirstPause
		}
		slog.Warn("the cell ended and is started again; cell.log says more", "cause", err, "pause", pause)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, cellLastPause)
	}
}

// live is one life of the chaos target.
func (c *cellChild) live(ctx context.Context, key string) error {
	child := exec.Command(c.command[0], c.command[1:]...)
	child.Env = append(os.Environ(), "CHAOS_TARGET_KEY="+key)
	child.Stdout, child.Stderr, child.ExtraFiles = c.output, c.output, c.listeners
	// A group of its own: Ctrl-C reaches us only, who stop it last.
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
	case <-time.After(cellLeaves):
		_ = child.Process.Kill()
		err = <-ended
	}
	return err
}
