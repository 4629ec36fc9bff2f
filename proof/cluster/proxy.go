package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// listen takes the addresses that people use. We keep hold of them: while one proxy goes and
// another comes, callers wait in line, and nobody is refused.
func (c *Cluster) listen(ctx context.Context) error {
	for _, wanted := range []string{c.options.Address, c.options.CellAddress} {
		s, err := openSite(ctx, cmp.Or(wanted, "127.0.0.1:0"))
		if err != nil {
			return err
		}
		c.later(s.close)
		c.sites = append(c.sites, s)
	}
	c.URL, c.CellURL = "http://"+c.sites[0].address, "http://"+c.sites[1].address
	return nil
}

func (c *Cluster) startProxy(ctx context.Context) error {
	notices, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: fmt.Sprintf("@customerzero-%d%s", os.Getpid(), c.URL[len("http://"):])})
	if err != nil {
		return err
	}
	c.later(func() { _ = notices.Close() })
	c.notices = notices
	c.Proxy, err = c.keep(ctx, Program{
		Name: "proxy", Path: c.options.Caddy, Args: []string{"run", "--adapter", "caddyfile", "--config", c.options.Caddyfile}, Files: c.sockets(),
		Env: []string{
			"HOME=" + c.options.Dir, "NOTIFY_SOCKET=" + notices.LocalAddr().String(),
			"SITE=" + c.URL, "APIS=" + settingOf("ADDR", c.APIs...), "BIND=fd/3",
			"CHAOS_TARGET_SITE=" + c.CellURL, "CHAOS_TARGETS=" + settingOf("CHAOS_TARGET_ADDR", c.Cell), "CHAOS_TARGET_BIND=fd/4",
		},
	}, answers(c.URL+"/readyz"))
	if err != nil {
		return err
	}
	return c.await(ctx, c.Proxy)
}

// settingOf lists what a setting is in each of some processes.
func settingOf(name string, processes ...*Process) string {
	var values []string
	for _, p := range processes {
		value := ""
		for _, setting := range p.Program().Env {
			if found, ok := strings.CutPrefix(setting, name+"="); ok {
				value = found
			}
		}
		values = append(values, value)
	}
	return strings.Join(values, " ")
}

func (c *Cluster) sockets() []*os.File {
	var files []*os.File
	for _, s := range c.sites {
		files = append(files, s.current)
	}
	return files
}

// handOver lets another proxy begin, which has sockets of its own for the same addresses, and
// has all new connections sent there before the old one is asked to end: a server that stops
// takes connections until it does, and drops those that it has not heard from yet.
func (c *Cluster) handOver(ctx context.Context) (err error) {
	defer func() {
		for _, s := range c.sites {
			s.settle(err == nil)
		}
	}()
	for _, s := range c.sites {
		if err := s.prepare(ctx); err != nil {
			return err
		}
	}
	c.forget()
	program := c.Proxy.Program()
	program.Files = nil
	for _, s := range c.sites {
		program.Files = append(program.Files, s.next)
	}
	return c.Proxy.HandOver(ctx, program, func(ctx context.Context) error {
		if err := c.noticed(ctx); err != nil {
			return err
		}
		for _, s := range c.sites {
			if err := steer(s.current, newest); err != nil {
				return err
			}
		}
		return nil
	})
}

// noticed returns when a proxy that is starting has said that it serves, in the way in which
// any init would be told.
func (c *Cluster) noticed(ctx context.Context) error {
	deadline := time.Now().Add(readyWithin)
	notice := make([]byte, 1000)
	for ctx.Err() == nil && time.Now().Before(deadline) {
		if err := c.notices.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
			return err
		}
		n, _, err := c.notices.ReadFrom(notice)
		if err == nil && strings.Contains(string(notice[:n]), "READY=1") {
			return nil
		}
	}
	return errors.New("the proxy does not say that it serves")
}

// forget drops what proxies have said up to now.
func (c *Cluster) forget() {
	notice := make([]byte, 1000)
	for c.notices.SetReadDeadline(time.Now().Add(10*time.Millisecond)) == nil {
		if _, _, err := c.notices.ReadFrom(notice); err != nil {
			return
		}
	}
}
