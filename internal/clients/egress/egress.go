// Package egress is the only way out for a browser: a proxy on loopback that lets through what
// goes to our own sites and nothing else. It resolves a name once, looks at the address, and
// dials that address.
//
// Nothing here may take an address to dial from a request: a request only says which of our
// sites it means, and what is dialled comes from the site.
package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

const (
	defaultMaxResponse = 20 << 20
	defaultMaxTotal    = 60 << 20

	dialTimeout = 5 * time.Second // with the lookup of the name
)

// ErrRefused is the kind of error of what is not let through, in contrast to what cannot be
// reached.
var ErrRefused = errors.New("refused")

// Site is an origin that may be reached.
type Site struct {
	Origin string // like https://example.com or http://127.0.0.1:8080
	// Dial is where it is reached instead of what its name says, host:port; empty: what it says.
	// Such an address may be private, like one that the origin itself is written with.
	Dial string
}

// Resolver finds addresses of a name. *net.Resolver implements it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options says what a Guard lets through.
type Options struct {
	Sites    []Site
	Resolver Resolver // nil: the system's
	// MaxResponse and MaxTotal bound what comes in through one gate, in bytes. Responses inside
	// TLS cannot be told apart: only the total bounds them, as it does a WebSocket.
	MaxResponse, MaxTotal int64
}

// Guard knows what may be reached.
type Guard struct {
	sites                 map[string]site // by host:port
	resolver              Resolver
	maxResponse, maxTotal int64

	dialOwn, dialPublic dialer
}

// New refuses sites that are no origins.
func New(o Options) (*Guard, error) {
	g := &Guard{
		sites: map[string]site{}, resolver: o.Resolver,
		maxResponse: o.MaxResponse, maxTotal: o.MaxTotal,
		dialOwn: (&net.Dialer{}).DialContext, dialPublic: publicDialer().DialContext,
	}
	for _, written := range o.Sites {
		s, err := parseSite(written)
		if err != nil {
			return nil, err
		}
		if other, taken := g.sites[s.target]; taken && other != s {
			return nil, fmt.Errorf("two sites differ, and have the same host and port: %s", s.target)
		}
		g.sites[s.target] = s
	}
	if g.resolver == nil {
		g.resolver = net.DefaultResolver
	}
	if g.maxResponse <= 0 {
		g.maxResponse = defaultMaxResponse
	}
	if g.maxTotal <= 0 {
		g.maxTotal = defaultMaxTotal
	}
	return g, nil
}

// DialContext connects to what may be reached, for our own HTTP client; everything else is
// refused before anything is opened. Follow no redirects with it but through it.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	s, ours := g.sites[strings.ToLower(address)]
	if !ours || !ascii(address) || !strings.HasPrefix(network, "tcp") {
		return nil, notOurs(address)
	}
	return g.dial(ctx, s)
}
