package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// public knows the addresses of the internet. Azure's host agent listens on one of them.
var public = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")))

// publicDialer looks again at what is dialled, when it is dialled.
func publicDialer() *net.Dialer { return &net.Dialer{Control: public.Safe} }

// dial connects to a site. The addresses are checked before the first of them is dialled.
func (g *Guard) dial(ctx context.Context, s site) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if targets := s.own(); targets != nil {
		return dialFirst(ctx, g.dialOwn, targets)
	}
	targets, err := g.lookUp(ctx, s)
	if err != nil {
		return nil, err
	}
	return dialFirst(ctx, g.dialPublic, targets)
}

// own lists where a site is reached that the operator has placed; nil: its name says where.
func (s site) own() []string {
	switch addr, err := netip.ParseAddr(s.host); {
	case s.dial != "":
		return []string{s.dial}
	case err == nil:
		return []string{net.JoinHostPort(addr.String(), s.port)}
	case s.host == "localhost":
		return []string{net.JoinHostPort("127.0.0.1", s.port), net.JoinHostPort("::1", s.port)}
	}
	return nil
}

// lookUp resolves a site's name, once. One address that is not public spoils the whole answer:
// whoever can write it could have written the others.
func (g *Guard) lookUp(ctx context.Context, s site) ([]string, error) {
	found, err := g.resolver.LookupNetIP(ctx, "ip", s.host)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", s.host, err)
	}
	targets := make([]string, 0, len(found))
	for _, addr := range found {
		addr = addr.Unmap() // the system's resolver writes IPv4 like this, too
		if !addr.IsValid() || public.SafeAddr(addr) != nil {
			return nil, &refusal{s.target, "resolves to an address that is not public"}
		}
		targets = append(targets, net.JoinHostPort(addr.String(), s.port))
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("look up %s: it has no address", s.host)
	}
	return targets, nil
}

// dialFirst gives every address its share of the time.
func dialFirst(ctx context.Context, dial dialer, targets []string) (net.Conn, error) {
	var failed []error
	for _, target := range targets {
		conn, err := dialWithin(ctx, dialTimeout/time.Duration(len(targets)), dial, target)
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

func dialWithin(ctx context.Context, limit time.Duration, dial dialer, target string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return dial(ctx, "tcp", target)
}
