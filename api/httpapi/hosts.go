package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// IsLoopback reports whether a host, with or without a port, is a name of this machine only.
func IsLoopback(host string) bool {
	name := hostname(host)
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// hostname returns the name in a URL, in host:port or in a bare host, in lower case.
func hostname(s string) string {
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		s = u.Host
	}
	if name, _, err := net.SplitHostPort(s); err == nil {
		s = name
	}
	return strings.ToLower(strings.Trim(s, "[]"))
}

// GuardHosts refuses requests under a name that is not the listener's. Any site can point its name at this machine
// (DNS rebinding), and its pages would then read our replies as their own. A loopback listener has the loopback names
// and those of own (URLs or addresses). Another listener may also be reached by its address and by a name without
// dots, which no site can have; without own it is not guarded.
func GuardHosts(next http.Handler, at net.Addr, own ...string) http.Handler {
	here := IsLoopback(at.String())
	own = slices.DeleteFunc(slices.Clone(own), func(name string) bool { return hostname(name) == "" })
	if !here && len(own) == 0 {
		return next
	}
	for i, name := range own {
		own[i] = hostname(name)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := hostname(r.Host)
		_, errAddress := netip.ParseAddr(name)
		if !IsLoopback(name) && !slices.Contains(own, name) && (here || errAddress != nil && strings.Contains(name, ".")) {
			w.Header().Set("Cache-Control", NoStore)
			http.Error(w, "This server has another host name, so nothing was done. Use the address in PUBLIC_URL.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
