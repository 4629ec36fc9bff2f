// Package network puts Toxiproxy before what the product depends on, so that connections fail in the
// ways that networks know: refused, reset, silent, slow.
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

// Proxy passes connections on to a target.
type Proxy struct{ proxy *toxiproxy.Proxy }

// forever is longer than any test: the bytes arrive when the latency is removed.
const forever = time.Hour

// Open listens on loopback, at a port that stays free while the proxy is cut.
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

// Address is where it listens.
func (p *Proxy) Address() string { return p.proxy.Listen }

// Cut resets all connections and refuses new ones, until Mend.
func (p *Proxy) Cut() { p.proxy.Stop() }

// Reset resets all connections; new ones are accepted. When it returns, clients have been told.
func (p *Proxy) Reset() error {
	p.proxy.Stop()
	if err := p.awaitReset(); err != nil {
		return err
	}
	return p.proxy.Start()
}

// awaitReset waits until the proxy's side of every connection is gone: the call that closes one
// returns before the goroutine that reads from it has let go. It reads Linux's table of sockets,
// whose lines are: number, local address, remote address, state (01: established).
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

// Silence holds every byte back until Mend, as a machine does whose cable was unplugged: connections
// stay open and new ones are accepted.
func (p *Proxy) Silence() error { return p.Slow(forever) }

// Slow delays every byte, in either direction, until Mend.
func (p *Proxy) Slow(lag time.Duration) error {
	attributes := fmt.Sprintf(`{"latency":%d}`, lag.Milliseconds())
	return errors.Join(p.add("latency", "upstream", 1, attributes), p.add("latency", "downstream", 1, attributes))
}

// Mend lets everything pass again, also the bytes that were held back.
func (p *Proxy) Mend() error {
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

// Close ends it, and every connection.
func (p *Proxy) Close() {
	_ = p.Mend()
	p.proxy.Stop()
}

func (p *Proxy) add(toxic, stream string, toxicity int, attributes string) error {
	text := fmt.Sprintf(`{"type":%q,"stream":%q,"toxicity":%d,"attributes":%s}`, toxic, stream, toxicity, attributes)
	_, err := p.proxy.Toxics.AddToxicJson(strings.NewReader(text))
	return err
}
