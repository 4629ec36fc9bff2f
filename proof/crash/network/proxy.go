// Package network puts Toxiproxy in front of a dependency of the product to simulate network failures:
// refused, reset, silent and slow connections.
package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"customerzero/internal/platform/ports"
)

// Proxy forwards connections to a target.
type Proxy struct{ proxy *toxiproxy.Proxy }

// forever is longer than any test; the delayed bytes arrive when the latency is removed.
const forever = time.Hour

// Open listens on a loopback port that stays unused while the proxy is cut.
func Open(target string) (*Proxy, error) {
	address, err := ports.Address()
	if err != nil {
		return nil, err
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := &Proxy{toxiproxy.NewProxy(server, "database", address, target)}
	// A connection that began under reset_peer is closed by RST, not by FIN; with a toxicity of 0 nothing else happens to it.
	if err := p.add("reset_peer", "downstream", 0, "{}"); err != nil {
		return nil, err
	}
	return p, p.proxy.Start()
}

// Address is the listen address, as host:port.
func (p *Proxy) Address() string { return p.proxy.Listen }

// Cut resets all connections and refuses new ones until Restore.
func (p *Proxy) Cut() { p.proxy.Stop() }

// Reset resets all connections and accepts new ones. When it returns, the resets have been sent.
func (p *Proxy) Reset() error {
	p.proxy.Stop()
	if err := p.awaitReset(); err != nil {
		return err
	}
	return p.proxy.Start()
}

// awaitReset waits until the proxy's side of every connection is closed: Stop returns before the goroutine
// that reads from a connection has released it. It reads Linux's socket table, whose columns are number,
// local address, remote address and state (01: established).
func (p *Proxy) awaitReset() error {
	_, text, err := net.SplitHostPort(p.proxy.Listen)
	if err != nil {
		return err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return err
	}
	local := fmt.Sprintf(":%04X", port)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		table, err := os.ReadFile("/proc/net/tcp")
		if err != nil {
			return err
		}
		open := false
		for line := range strings.Lines(string(table)) {
			fields := strings.Fields(line)
			open = open || len(fields) > 3 && strings.HasSuffix(fields[1], local) && fields[3] == "01"
		}
		if !open {
			return nil
		}
		<-tick.C
	}
}

// Silence delays every byte until Restore, like an unplugged cable: connections stay open and new ones are
// accepted.
func (p *Proxy) Silence() error { return p.Slow(forever) }

// Slow delays every byte in both directions until Restore.
func (p *Proxy) Slow(lag time.Duration) error {
	attributes := fmt.Sprintf(`{"latency":%d}`, lag.Milliseconds())
	return errors.Join(p.add("latency", "upstream", 1, attributes), p.add("latency", "downstream", 1, attributes))
}

// Restore ends every failure; delayed bytes arrive.
func (p *Proxy) Restore() error {
	for _, name := range []string{"latency_upstream", "latency_downstream"} {
		if err := p.proxy.Toxics.RemoveToxic(context.Background(), name); err != nil && !errors.Is(err, toxiproxy.ErrToxicNotFound) {
			return err
		}
	}
	if err := p.proxy.Start(); err != nil && !errors.Is(err, toxiproxy.ErrProxyAlreadyStarted) {
		return err
	}
	return nil
}

// Close closes the proxy and every connection.
func (p *Proxy) Close() {
	_ = p.Restore()
	p.proxy.Stop()
}

func (p *Proxy) add(toxic, stream string, toxicity int, attributes string) error {
	text := fmt.Sprintf(`{"type":%q,"stream":%q,"toxicity":%d,"attributes":%s}`, toxic, stream, toxicity, attributes)
	_, err := p.proxy.Toxics.AddToxicJson(strings.NewReader(text))
	return err
}
