package cluster

import (
	"context"
	"fmt"
	"net"
	"strings"

	"customerzero/internal/platform/ports"
)

// chooseAddresses sets the public addresses: those of the options, or free ones.
func (c *Cluster) chooseAddresses(context.Context) error {
	for i, address := range []*string{&c.options.Address, &c.options.TargetAddress} {
		if *address == "" {
			free, err := ports.Address()
			if err != nil {
				return err
			}
			*address = free
		}
		listener, err := net.Listen("tcp", *address)
		if err == nil {
			err = listener.Close()
		}
		if err != nil {
			return fmt.Errorf("cannot listen on %s; choose another address (%w)", *address, err)
		}
		*[]*string{&c.URL, &c.TargetURL}[i] = "http://" + *address
	}
	return nil
}

func (c *Cluster) startProxy(ctx context.Context) (err error) {
	host, _, err := net.SplitHostPort(c.options.Address)
	if err != nil {
		return err
	}
	targetHost, _, err := net.SplitHostPort(c.options.TargetAddress)
	if err != nil {
		return err
	}
	c.Proxy, err = c.begin(ctx, Program{
		Name: "proxy", Path: c.options.Caddy, Args: []string{"run", "--adapter", "caddyfile", "--config", c.options.Caddyfile},
		Env: []string{
			"HOME=" + c.options.Dir, "SITE=" + c.URL, "APIS=" + settingOf("ADDR", c.APIs...), "BIND=" + host,
			"CHAOS_TARGET_SITE=" + c.TargetURL, "CHAOS_TARGETS=" + settingOf("CHAOS_TARGET_ADDR", c.Target), "CHAOS_TARGET_BIND=" + targetHost,
		},
	}, answers(c.URL+"/readyz"))
	return err
}

// settingOf lists the values of a setting in some processes, separated by spaces.
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
