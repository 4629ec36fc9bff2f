package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
)

// tunnel connects the browser with an https site. What they say to each other is theirs.
func (g *Gate) tunnel(w http.ResponseWriter, r *http.Request, s site) {
	outside, err := g.dial(r.Context(), s)
	if errors.Is(err, errOver) {
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		sayFailed(w, err)
		return
	}
	defer func() { _ = outside.Close() }()
	inside, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the browser is gone
	}
	defer func() { _ = inside.Close() }()
	if _, err := io.WriteString(inside, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	join(inside, early, outside)
}

// join copies both ways until both ends have said everything, or one of them breaks.
func join(inside net.Conn, fromInside io.Reader, outside net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { pour(outside, fromInside, inside) })
	both.Go(func() { pour(inside, outside, outside) })
	both.Wait()
}

// pour copies one way. An end that has said everything may still listen; after an error neither
// of them does.
func pour(to net.Conn, what io.Reader, from net.Conn) {
	_, err := io.Copy(to, what)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		err = half.CloseWrite()
	}
	if err != nil {
		_, _ = to.Close(), from.Close()
	}
}

// DialTLSContext is DialContext for TLS. At a name of this machine alone it believes every
// certificate: nobody is given one for such a name, and a guard dials only where the operator
// placed the site.
func (g *Guard) DialTLSContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	conn, err := g.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(conn, &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: host,
		InsecureSkipVerify: local(host), //nolint:gosec // at such a name alone
	})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

func local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
