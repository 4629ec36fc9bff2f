package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// public allows every address of the internet. 168.63.129.16 is Azure's host agent.
var public = ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(netip.MustParsePrefix("168.63.129.16/32")))

// publicDialer checks each address again when it is dialed.
func publicDialer() *net.Dialer { return &net.Dialer{Control: public.Safe} }

// dial connects to a site. All addresses are checked before the first one is dialed.
func (g *Guard) dial(ctx context.Context, s site) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if targets := s.placed(); targets != nil {
		return dialFirst(ctx, g.dialPlaced, targets)
	}
	targets, err := g.lookUp(ctx, s)
	if err != nil {
		return nil, err
	}
	return dialFirst(ctx, g.dialPublic, targets)
}

// placed returns the addresses of a site whose location the operator configured, or nil if its name must be
// resolved.
func (s site) placed() []string {
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

// lookUp resolves a site's name once. One address that is not public makes it reject the whole answer:
// the others come from the same source.
func (g *Guard) lookUp(ctx context.Context, s site) ([]string, error) {
	found, err := g.resolver.LookupNetIP(ctx, "ip", s.host)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", s.host, err)
	}
	targets := make([]string, 0, len(found))
	for _, addr := range found {
		addr = addr.Unmap() // the system resolver may return IPv4-mapped addresses
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

// dialFirst tries the targets in order and divides dialTimeout equally among them.
func dialFirst(ctx context.Context, dial dialer, targets []string) (net.Conn, error) {
	var failed []error
	for _, target := range targets {
		attempt, cancel := context.WithTimeout(ctx, dialTimeout/time.Duration(len(targets)))
		conn, err := dial(attempt, "tcp", target)
		cancel()
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}

// site is a parsed Site. Requests are sent and connections are dialed to these values only.
type site struct {
	scheme    string
	host      string
	port      string
	target    string // host:port
	authority string // host:port as in a URL, without the default port
	dial      string // host:port; empty: the host itself
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func parseSite(configured Site) (site, error) {
	u, err := url.Parse(configured.Origin)
	if err != nil {
		return site{}, fmt.Errorf("site is not a URL: %w", err)
	}
	if bare := (&url.URL{Scheme: u.Scheme, Host: u.Host}); bare.String() != strings.TrimSuffix(u.String(), "/") {
		return site{}, fmt.Errorf("site must be a scheme, a host and an optional port: %q", u.Redacted())
	}
	usual, known := defaultPorts[u.Scheme]
	if !known {
		return site{}, fmt.Errorf("site must use http or https: %q", configured.Origin)
	}
	s := site{scheme: u.Scheme, host: strings.ToLower(u.Hostname()), port: u.Port(), dial: configured.Dial}
	if s.port == "" {
		s.port = usual
	}
	s.target = net.JoinHostPort(s.host, s.port)
	s.authority = s.target
	if s.port == usual {
		s.authority = strings.TrimSuffix(s.target, ":"+usual)
	}
	if !isCanonical(s.host) || !validPort(s.port) {
		return site{}, fmt.Errorf("site's host or port is not in the form that browsers send: %q", configured.Origin)
	}
	if s.dial != "" && !validTarget(s.dial) {
		return site{}, fmt.Errorf("site's dial address is not host:port: %q", s.dial)
	}
	return s, nil
}

var name = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$`)

// numeric matches names that browsers parse as an IPv4 address in any notation.
var numeric = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)\.?$`)

// isCanonical reports whether browsers send the host exactly as configured. They rewrite addresses such as
// 0177.0.0.1, which a resolver may read differently.
func isCanonical(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String() == host && addr.Zone() == "" && !addr.Is4In6()
	}
	return name.MatchString(host) && !numeric.MatchString(host)
}

func validTarget(target string) bool {
	host, port, err := net.SplitHostPort(target)
	return err == nil && host != "" && validPort(port)
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == port
}

// ascii rejects letters that lower-casing turns into ASCII, such as the Kelvin sign.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
