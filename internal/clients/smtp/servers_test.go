package smtp

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// closedPort is the URL of a server that is not there: no system hands port 1 out.
func closedPort(*testing.T) string { return "smtp://user:s3cret@127.0.0.1:1" }

// saying is a server that says its lines whoever it talks to: a greeting, then one for each
// command. After the last it falls silent; an empty one hangs up.
func saying(lines ...string) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			recite(conn, lines)
		}()
		return "smtp://user:s3cret@" + listener.Addr().String()
	}
}

func recite(conn net.Conn, lines []string) {
	commands := bufio.NewReader(conn)
	for i, line := range lines {
		if i > 0 && !heard(commands, lines[i-1]) {
			return
		}
		if line == "" {
			_ = conn.Close()
			return
		}
		_, _ = io.WriteString(conn, line)
	}
}

// heard reads a command, or the letter that the last answer asked for.
func heard(commands *bufio.Reader, answered string) bool {
	for {
		line, err := commands.ReadString('\n')
		if err != nil {
			return false
		}
		if !strings.HasPrefix(answered, "354") || line == ".\r\n" {
			return true
		}
	}
}

// tlsServer is a mail server that lets nobody in without TLS, and remembers.
type tlsServer struct{ logins, letters chan string }

func (s *tlsServer) NewSession(*gosmtp.Conn) (gosmtp.Session, error) { return tlsSession{s}, nil }

type tlsSession struct{ server *tlsServer }

func (x tlsSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (x tlsSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		x.server.logins <- username + " " + password
		return nil
	}), nil
}

func (x tlsSession) Data(r io.Reader) error {
	letter, err := io.ReadAll(r)
	x.server.letters <- string(letter)
	return err
}

func (x tlsSession) Mail(string, *gosmtp.MailOptions) error { return nil }
func (x tlsSession) Rcpt(string, *gosmtp.RcptOptions) error { return nil }
func (x tlsSession) Reset()                                 {}
func (x tlsSession) Logout() error                          { return nil }

type silence struct{}

func (silence) Printf(string, ...any) {}
func (silence) Println(...any)        {}
