package browser

import (
	"net/netip"
	"net/url"
)

// local says whether a page lies at a name of this machine alone. Nobody is given a certificate
// for such a name that others believe, so none is asked for; a gate leads where the operator
// placed the site, and nowhere else.
func local(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
