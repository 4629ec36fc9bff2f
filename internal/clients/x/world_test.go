package x_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/testwait"
)

var secrets = []string{"consumer-key", "consumer-secret&%", "4242-token", "token-secret"}

// noon is the time of the tests' clients.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func newClient(baseURL string, changes ...func(*x.Config)) *x.Client {
	config := x.Config{
		BaseURL: baseURL, ConsumerKey: secrets[0], ConsumerSecret: secrets[1], AccessToken: secrets[2], AccessSecret: secrets[3],
		UserID: "4242", Timeout: testwait.Limit, Now: func() time.Time { return noon },
	}
	for _, change := range changes {
		change(&config)
	}
	return x.New(config)
}

func timeout(d time.Duration) func(*x.Config) {
	return func(c *x.Config) { c.Timeout = d }
}

// failure returns the error of a call, and checks that it contains no secret.
func failure(t *testing.T, err error) *post.XError {
	t.Helper()
	require.Error(t, err)
	failed, ok := errors.AsType[*post.XError](err)
	require.True(t, ok, "%T", err)
	require.NotEmpty(t, failed.Message)
	require.NotEmpty(t, failed.Code)
	for _, secret := range secrets {
		require.NotContains(t, failed.Error(), secret)
	}
	return failed
}

// answering is a server that returns the same response to every call.
func answering(t *testing.T, status int, header map[string]string, body string) (url string, calls *atomic.Int32) {
	t.Helper()
	calls = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, calls
}

// wire is a server of raw connections.
type wire struct {
	address            string
	connections, calls atomic.Int32
}

// newWire calls serve for each connection, after reading its request if readFirst.
func newWire(t *testing.T, readFirst bool, serve func(net.Conn)) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	w := &wire{address: listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			w.connections.Add(1)
			go func() {
				if readFirst {
					req, err := http.ReadRequest(bufio.NewReader(conn))
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, req.Body)
					w.calls.Add(1)
				}
				serve(conn)
			}()
		}
	}()
	return w
}

// writing sends text and closes the connection.
func writing(text string) func(net.Conn) {
	return func(conn net.Conn) {
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// resetting resets the connection.
func resetting(conn net.Conn) {
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

func resettingAfterOneByte(conn net.Conn) {
	_, _ = conn.Read(make([]byte, 1))
	resetting(conn)
}

func hanging(net.Conn) {}

// distrusted is a server with an untrusted certificate.
func distrusted(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

func TestMain(m *testing.M) { testwait.Main(m, "8") }
