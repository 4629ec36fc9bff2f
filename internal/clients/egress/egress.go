// Package egress is the browser's only way to the network: a proxy on loopback that forwards requests to our
// own sites and refuses all others. It resolves a name once, checks the addresses, and dials them.
//
// No address to dial may come from a request: a request only selects a configured site.
package egress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	defaultMaxResponse = 20 << 20
	defaultMaxTotal    = 60 << 20
)

var dialTimeout = 5 * time.Second // includes the name lookup; tests raise it

// ErrRefused is the error of a request that the proxy does not allow, as opposed to a site that is unreachable.
var ErrRefused = errors.New("refused")

// Site is an origin that may be requested.
type Site struct {
	Origin string // like https://example.com or http://127.0.0.1:8080
	// Dial overrides the address to connect to, as host:port; empty: the origin's host. It may be private, as
	// may an IP address in the origin.
	Dial string
}

// Resolver resolves host names. *net.Resolver implements it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options lists the sites a Guard allows and the limits of its proxies.
type Options struct {
	Sites    []Site
	Resolver Resolver // nil: net.DefaultResolver
	// MaxResponse and MaxTotal limit the bytes received through one proxy. Responses inside TLS and WebSockets
	// cannot be distinguished, so only MaxTotal applies to them.
	MaxResponse, MaxTotal int64
}

// Guard allows connections to the configured sites only. It is safe for concurrent use.
type Guard struct {
	sites                 map[string]site // by host:port
	resolver              Resolver
	maxResponse, maxTotal int64

	dialPlaced, dialPublic dialer
}

// New returns a Guard, or an error if a site is invalid or two sites conflict.
func New(o Options) (*Guard, error) {
	g := &Guard{
		sites: map[string]site{}, resolver: o.Resolver,
		maxResponse: cmp.Or(o.MaxResponse, defaultMaxResponse), maxTotal: cmp.Or(o.MaxTotal, defaultMaxTotal),
		dialPlaced: (&net.Dialer{}).DialContext, dialPublic: publicDialer().DialContext,
	}
	for _, configured := range o.Sites {
		s, err := parseSite(configured)
		if err != nil {
			return nil, err
		}
		if other, taken := g.sites[s.target]; taken && other != s {
			return nil, fmt.Errorf("two different sites have the same host and port: %s", s.target)
		}
		g.sites[s.target] = s
	}
	if g.resolver == nil {
		g.resolver = net.DefaultResolver
	}
	return g, nil
}

// DialContext is for our own HTTP client. It connects to configured sites and refuses every other address
// before opening a connection.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	s, known := g.sites[strings.ToLower(address)]
	if !known || !ascii(address) || !strings.HasPrefix(network, "tcp") {
		return nil, unknownSite(address)
	}
	return g.dial(ctx, s)
}

const (
	headerTimeout = 15 * time.Second // until a site answers
	maxHeader     = 256 << 10
)

// Proxy is an HTTP proxy for one page visit.
type Proxy struct {
	guard    *Guard
	listener net.Listener
	server   *http.Server
	plain    *httputil.ReverseProxy // for http; https is tunneled

	refused refusals
	meter   meter
	conns   conns

	life context.Context // canceled by Close
	end  context.CancelFunc

	mu      sync.Mutex
	closed  bool
	working sync.WaitGroup
}

// Open starts a proxy on a free loopback port.
func (g *Guard) Open() (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{guard: g, meter: meter{max: g.maxTotal}}
	p.life, p.end = context.WithCancel(context.Background())
	p.listener = &trackedListener{listener, &p.conns}
	p.plain = p.newPlain()
	p.server = &http.Server{
		Handler: p, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTimeout,
		DisableGeneralOptionsHandler: true, // so that OPTIONS * reaches ServeHTTP
		ErrorLog:                     slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}
	p.working.Go(func() { _ = p.server.Serve(p.listener) })
	return p, nil
}

// Addr returns the proxy's address as host:port.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Refused returns at most 20 distinct refused targets, each as "host:port: reason".
func (p *Proxy) Refused() []string { return p.refused.list() }

// Bytes returns the number of bytes received from sites.
func (p *Proxy) Bytes() int64 { return p.meter.in.Load() }

// Over reports whether a limit was exceeded.
func (p *Proxy) Over() bool { return p.meter.over.Load() }

// Close stops the proxy, closes all its connections and waits for its goroutines.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()

	p.end()
	err := p.server.Close()
	p.conns.closeAll() // the server does not close hijacked connections or those to sites
	p.working.Wait()
	return err
}

// begin registers work that Close waits for. It returns false if the proxy is closed.
func (p *Proxy) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.working.Add(1)
	}
	return !p.closed
}

// refusal is the error of a refused request: its target as host:port, and the reason.
type refusal struct{ target, why string }

func (r *refusal) Error() string { return r.target + ": " + r.why }
func (r *refusal) Unwrap() error { return ErrRefused }

func unknownSite(target string) *refusal { return &refusal{target, "not one of our sites"} }

const (
	maxRefusals = 20
	maxTarget   = 200 // bytes; a page can request names of any length
)

// refusals collects distinct refused targets.
type refusals struct {
	mu    sync.Mutex
	lines []string
}

func (n *refusals) add(r *refusal) {
	line := strings.ToValidUTF8(r.target[:min(len(r.target), maxTarget)], "") + ": " + r.why
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.lines) < maxRefusals && !slices.Contains(n.lines, line) {
		n.lines = append(n.lines, line)
	}
}

func (n *refusals) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.lines)
}
