// Package egress is the only way out for a browser: a proxy on loopback that lets through what
// goes to our own sites and nothing else. It resolves a name once, looks at the address, and
// dials that address.
//
// Nothing here may take an address to dial from a request: a request only names one of our
// sites it means, and what is dialled comes from the site.
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

var dialTimeout = 5 * time.Second // with the lookup of the name; tests wait longer

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

// Options describes what a Guard lets through.
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
		maxResponse: cmp.Or(o.MaxResponse, defaultMaxResponse), maxTotal: cmp.Or(o.MaxTotal, defaultMaxTotal),
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

const (
	headerTimeout = 15 * time.Second // until a site answers
	maxHeader     = 256 << 10
)

// Gate is a proxy for one look, until it is closed.
type Gate struct {
	guard    *Guard
	listener net.Listener
	server   *http.Server
	plain    *httputil.ReverseProxy // for http; https goes through tunnels

	notes notes
	meter meter
	conns conns

	life context.Context // ends with the gate
	end  context.CancelFunc

	mu      sync.Mutex
	closed  bool
	working sync.WaitGroup // Close waits for it
}

// Open listens on a free port of loopback.
func (g *Guard) Open() (*Gate, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	gate := &Gate{guard: g, meter: meter{max: g.maxTotal}}
	gate.life, gate.end = context.WithCancel(context.Background())
	gate.listener = &trackedListener{listener, &gate.conns}
	gate.plain = gate.newPlain()
	gate.server = &http.Server{
		Handler: gate, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTimeout,
		DisableGeneralOptionsHandler: true, // OPTIONS * asks the proxy itself
		ErrorLog:                     slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}
	gate.working.Go(func() { _ = gate.server.Serve(gate.listener) }) // until it is closed
	return gate, nil
}

// Addr is where the gate listens, host:port.
func (g *Gate) Addr() string { return g.listener.Addr().String() }

// Refused lists what was not let through, each once, as "host:port: why"; 20 at most.
func (g *Gate) Refused() []string { return g.notes.list() }

// Bytes is how much came in.
func (g *Gate) Bytes() int64 { return g.meter.in.Load() }

// Over reports that more came in than may.
func (g *Gate) Over() bool { return g.meter.over.Load() }

// Close ends the gate and every connection through it.
func (g *Gate) Close() error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()

	g.end()
	err := g.server.Close()
	g.conns.closeAll() // also those that the server gave away, and those to the sites
	g.working.Wait()
	return err
}

// begin reports that something starts for which Close must wait; false: it is too late to start.
func (g *Gate) begin() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.working.Add(1)
	}
	return !g.closed
}

// refusal describes what was not let through, and why.
type refusal struct{ target, why string }

func (r *refusal) Error() string { return r.target + ": " + r.why }
func (r *refusal) Unwrap() error { return ErrRefused }

func notOurs(target string) *refusal { return &refusal{target, "not one of our sites"} }

const (
	maxNotes = 20
	maxNote  = 200 // bytes; a page can ask for names of any length
)

// notes are what a gate did not let through.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(r *refusal) {
	line := strings.ToValidUTF8(r.target[:min(len(r.target), maxNote)], "") + ": " + r.why
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.lines) < maxNotes && !slices.Contains(n.lines, line) {
		n.lines = append(n.lines, line)
	}
}

func (n *notes) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.lines)
}
