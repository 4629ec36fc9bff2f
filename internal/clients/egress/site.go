package egress

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

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

// writtenPlainly says that a host has no other spelling: a browser would send another one, and
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
