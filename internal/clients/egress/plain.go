package egress

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
)

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
