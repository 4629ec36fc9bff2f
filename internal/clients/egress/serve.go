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

// ServeHTTP lets a request through, or says no. A path alone asks the proxy itself, and is
// refused like any other stranger.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.begin() {
		panic(http.ErrAbortHandler)
	}
	defer g.working.Done()
	s, err := g.guard.meant(r)
	switch {
	case err != nil:
		g.notes.add(err)
		sayNo(w, err)
	case r.Method == http.MethodConnect:
		g.tunnel(w, r, s)
	default:
		w.Header()["Content-Type"] = nil // a site that sends none is not to be repaired
		g.plain.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), siteKey{}, s)))
	}
}

type siteKey struct{}

// meant finds the site a request asks for. Its Host header is not looked at: the server ignores
// it beside an absolute URL, as it must, and the site's own is sent.
func (g *Guard) meant(r *http.Request) (site, *refusal) {
	target := target(r)
	s, ours := g.sites[strings.ToLower(target)]
	switch {
	case r.URL.User != nil:
		return site{}, &refusal{target, "a name or a password is in its address"}
	case !ours || !ascii(target):
		return site{}, notOurs(target)
	case r.Method == http.MethodConnect && (s.scheme != "https" || r.RequestURI != r.URL.Host):
		return site{}, notOurs(target)
	case r.Method != http.MethodConnect && (s.scheme != "http" || r.URL.Scheme != "http" || r.URL.Opaque != ""):
		return site{}, notOurs(target)
	}
	return s, nil
}

// target is where a request wants to go, host:port. A tunnel has to name its port.
func target(r *http.Request) string {
	if r.URL.Host == "" {
		return "no host"
	}
	port := r.URL.Port()
	if port == "" {
		port = defaultPorts[r.URL.Scheme] // a tunnel has no scheme
	}
	return net.JoinHostPort(r.URL.Hostname(), port)
}

// dial connects to a site for this gate, which counts what comes in and closes it in the end.
func (g *Gate) dial(ctx context.Context, s site) (net.Conn, error) {
	if g.meter.spent() {
		return nil, errOver
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(g.life, cancel)()
	raw, err := g.guard.dial(ctx, s)
	if no, refused := errors.AsType[*refusal](err); refused {
		g.notes.add(no)
	}
	if err != nil {
		return nil, err
	}
	return g.conns.track(raw, &g.meter)
}

// sayFailed answers for a site that did not.
func sayFailed(w http.ResponseWriter, err error) {
	if no, refused := errors.AsType[*refusal](err); refused {
		sayNo(w, no)
		return
	}
	http.Error(w, "The site cannot be reached.", http.StatusBadGateway)
}

func sayNo(w http.ResponseWriter, no *refusal) {
	http.Error(w, "Not let through: "+no.why+".", http.StatusForbidden)
}

// newTransport has no proxy of its own, adds no compression, and follows nothing.
func (g *Gate) newTransport() *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, _, target string) (net.Conn, error) {
			s, ours := g.guard.sites[target]
			if !ours {
				return nil, notOurs(target)
			}
			return g.dial(ctx, s)
		},
		DisableCompression: true, ResponseHeaderTimeout: headerTimeout, MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost: 16,
	}
}

// newPlain is the standard library's: it keeps the rules of hops, passes WebSockets on, flushes
// as it goes, and breaks the browser's connection when a site's breaks, so that half a page is
// never taken for a whole one.
func (g *Gate) newPlain() *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Transport: g.newTransport(), FlushInterval: -1,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		Rewrite: func(r *httputil.ProxyRequest) {
			s, _ := r.In.Context().Value(siteKey{}).(site)
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", s.target, s.authority
			r.Out.URL.RawQuery = r.In.URL.RawQuery // as it came, also where it is odd
		},
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode != http.StatusSwitchingProtocols {
				r.Body = &boundBody{ReadCloser: r.Body, left: g.guard.maxResponse, meter: &g.meter}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			if errors.Is(err, errOver) {
				panic(http.ErrAbortHandler)
			}
			sayFailed(w, err)
		},
	}
}

// boundBody is a response of which no more is read than may come.
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
