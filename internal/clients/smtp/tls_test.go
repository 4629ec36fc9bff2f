package smtp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http/httptest"
	"testing"

	gosmtp "github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/email"
)

// TestALetterLeavesThisMachineEncryptedOnly: the server is another machine's by its name,
// and offers no STARTTLS.
func TestALetterLeavesThisMachineEncryptedOnly(t *testing.T) {
	t.Parallel()
	sandbox, address := newSandbox(t)
	s := newSender(t, "smtp://user:s3cret@mail.example.com")
	s.connect = leadingTo(address)
	failure := failed(t, s.Send(t.Context(), letterOf(email.LoginCode)))
	require.Equal(t, "mail_unreachable", failure.Code)
	require.Contains(t, failure.Message, "no encryption")
	require.Empty(t, sandbox.Messages())
}

func TestALetterGoesUnencryptedWhereItIsAllowed(t *testing.T) {
	t.Parallel()
	sandbox, address := newSandbox(t)
	s := newSender(t, "smtp://mail.example.com?tls=none")
	s.connect = leadingTo(address)
	require.NoError(t, s.Send(t.Context(), letterOf(email.LoginCode)))
	require.Len(t, sandbox.Messages(), 1)

	for name, url := range map[string]string{
		"a password would be readable": "smtp://user:s3cret@mail.example.com?tls=none",
		"smtps is encrypted":           "smtps://mail.example.com?tls=none",
		"there is no other choice":     "smtp://mail.example.com?tls=off",
	} {
		_, err := NewSender(Config{URL: url, PublicURL: "https://zero.example.com"})
		require.ErrorContains(t, err, "tls=none", name)
	}
}

func TestEncryptedConnections(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"smtp", "smtps"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			server, address, roots := newTLSServer(t, scheme == "smtps")
			s := newSender(t, scheme+"://user:s3cret@example.com")
			s.connect = leadingTo(address)
			failure := failed(t, s.Send(t.Context(), letterOf(email.LoginCode)))
			require.Contains(t, failure.Message, "not secure", "nobody knows its certificate")
			require.Empty(t, server.logins)

			s.tls = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
			require.NoError(t, s.Send(t.Context(), letterOf(email.LoginCode)))
			require.Equal(t, "user s3cret", <-server.logins)
			require.Contains(t, <-server.letters, "123456")

			s.server.host = "other.example.org"
			failure = failed(t, s.Send(t.Context(), letterOf(email.LoginCode)))
			require.Contains(t, failure.Message, "not secure", "its certificate is another's")
		})
	}
}

func TestIsLoopback(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true,
		"localhost.example.com": false, "10.0.0.1": false, "0.0.0.0": false, "mail.example.com": false, "mailpit": false,
	} {
		require.Equal(t, want, server{host: host}.isLoopback(), host)
	}
}

// leadingTo connects to one address, whichever was asked for.
func leadingTo(address string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}

// newTLSServer is a mail server with the certificate of example.com.
func newTLSServer(t *testing.T, implicit bool) (*tlsServer, string, *x509.CertPool) {
	t.Helper()
	web := httptest.NewTLSServer(nil) // has a certificate
	t.Cleanup(web.Close)
	config := &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())

	backend := &tlsServer{logins: make(chan string, 1), letters: make(chan string, 1)}
	server := gosmtp.NewServer(backend)
	server.TLSConfig, server.ErrorLog = config, silence{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	if implicit {
		listener = tls.NewListener(listener, config)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	return backend, address, roots
}
