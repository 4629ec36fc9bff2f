package egress

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
)

// ServeHTTP forwards an allowed request and refuses any other, including one for the proxy itself.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.begin() {
		panic(http.ErrAbortHandler)
	}
	defer p.working.Done()
	s, err := p.guard.siteOf(r)
	switch {
	case err != nil:
		p.refused.add(err)
		respondRefused(w, err)
	case r.Method == http.MethodConnect:
		p.tunnel(w, r, s)
	default:
		w.Header()["Content-Type"] = nil // keeps net/http from adding one that the site did not send
		p.plain.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), siteKey{}, s)))
	}
}

type siteKey struct{}

// siteOf returns the configured site of a request. It ignores the Host header: the site's own is sent.
func (g *Guard) siteOf(r *http.Request) (site, *refusal) {
	target := target(r)
	s, known := g.sites[strings.ToLower(target)]
	switch {
	case r.URL.User != nil:
		return site{}, &refusal{target, "the URL contains credentials"}
	case !known || !ascii(target):
		return site{}, unknownSite(target)
	case r.Method == http.MethodConnect && (s.scheme != "https" || r.RequestURI != r.URL.Host):
		return site{}, unknownSite(target)
	case r.Method != http.MethodConnect && (s.scheme != "http" || r.URL.Scheme != "http" || r.URL.Opaque != ""):
		return site{}, unknownSite(target)
	}
	return s, nil
}

// target returns a request's destination as host:port. A CONNECT request must name its port.
func target(r *http.Request) string {
	if r.URL.Host == "" {
		return "no host"
	}
	port := r.URL.Port()
	if port == "" {
		port = defaultPorts[r.URL.Scheme] // empty for CONNECT, which has no scheme
	}
	return net.JoinHostPort(r.URL.Hostname(), port)
}

// dial connects to a site. The connection counts towards this proxy's limits and is closed with it.
func (p *Proxy) dial(ctx context.Context, s site) (net.Conn, error) {
	if p.meter.spent() {
		return nil, errOver
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.life, cancel)()
	raw, err := p.guard.dial(ctx, s)
	if no, refused := errors.AsType[*refusal](err); refused {
		p.refused.add(no)
	}
	if err != nil {
		return nil, err
	}
	return p.conns.track(raw, &p.meter)
}

// respondFailed answers a request whose site could not be reached or resolved.
func respondFailed(w http.ResponseWriter, err error) {
	if no, refused := errors.AsType[*refusal](err); refused {
		respondRefused(w, no)
		return
	}
	http.Error(w, "The site could not be reached.", http.StatusBadGateway)
}

func respondRefused(w http.ResponseWriter, no *refusal) {
	http.Error(w, "Refused: "+no.why+".", http.StatusForbidden)
}

// newTransport returns a transport that uses no proxy, adds no compression and follows no redirect.
func (p *Proxy) newTransport() *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, _, target string) (net.Conn, error) {
			s, known := p.guard.sites[target]
			if !known {
				return nil, unknownSite(target)
			}
			return p.dial(ctx, s)
		},
		DisableCompression: true, ResponseHeaderTimeout: headerTimeout, MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost: 16,
	}
}

// newPlain returns the proxy for http. It flushes each write at once. If the connection to a site breaks, it
// aborts the browser's connection, so that a truncated page is never mistaken for a complete one.
func (p *Proxy) newPlain() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: p.newTransport(), FlushInterval: -1,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		Rewrite: func(r *httputil.ProxyRequest) {
			s, _ := r.In.Context().Value(siteKey{}).(site)
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", s.target, s.authority
			r.Out.URL.RawQuery = r.In.URL.RawQuery // unchanged, even if malformed
		},
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode != http.StatusSwitchingProtocols {
				r.Body = &boundBody{ReadCloser: r.Body, left: p.guard.maxResponse, meter: &p.meter}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if errors.Is(err, errOver) {
				panic(http.ErrAbortHandler)
			}
			respondFailed(w, err)
		},
	}
}

// boundBody is a response body that fails after a limit.
type boundBody struct {
	io.ReadCloser
	left  int64
	meter *meter
}

func (b *boundBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left >= 0 {
		return n, err
	}
	b.meter.over.Store(true)
	return max(0, n+int(b.left)), errOver
}
