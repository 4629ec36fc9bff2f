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

// own lists where a site is reached that the operator has placed; nil: its name describes where.
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

// dialFirst returns every address its share of the time.
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

// site is a Site that was understood. What is sent and dialled is taken from here.
type site struct {
	scheme    string
	host      string
	port      string
	target    string // host:port
	authority string // the same, as a URL writes it: without the usual port
	dial      string // host:port; empty: what the host says
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

func parseSite(written Site) (site, error) {
	u, err := url.Parse(written.Origin)
	if err != nil {
		return site{}, fmt.Errorf("a site is no URL: %w", err)
	}
	if bare := (&url.URL{Scheme: u.Scheme, Host: u.Host}); bare.String() != strings.TrimSuffix(u.String(), "/") {
		return site{}, fmt.Errorf("a site is more than scheme, host and port: %q", u.Redacted())
	}
	usual, known := defaultPorts[u.Scheme]
	if !known {
		return site{}, fmt.Errorf("a site is neither http nor https: %q", written.Origin)
	}
	s := site{scheme: u.Scheme, host: strings.ToLower(u.Hostname()), port: u.Port(), dial: written.Dial}
	if s.port == "" {
		s.port = usual
	}
	s.target = net.JoinHostPort(s.host, s.port)
	s.authority = s.target
	if s.port == usual {
		s.authority = strings.TrimSuffix(s.target, ":"+usual)
	}
	if !writtenPlainly(s.host) || !validPort(s.port) {
		return site{}, fmt.Errorf("a site's host or port is not written as a browser would: %q", written.Origin)
	}
	if s.dial != "" && !validTarget(s.dial) {
		return site{}, fmt.Errorf("where a site is dialled is not host:port: %q", s.dial)
	}
	return s, nil
}

var name = regexp.MustCompile(`^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$`)

// numeric matches names that a browser reads as an IPv4 address, however they are written.
var numeric = regexp.MustCompile(`(^|\.)([0-9]+|0x[0-9a-f]*)\.?$`)

// writtenPlainly reports that a host has no other spelling: a browser would send another one, and
// the resolver might read 0177.0.0.1 in its own way.
func writtenPlainly(host string) bool {
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

// ascii keeps letters out that become others when they are lower-cased, as the Kelvin sign does.
func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}
