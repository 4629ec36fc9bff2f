package smtp

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/sandbox/smtp"
)

func TestSend(t *testing.T) {
	t.Parallel()
	sandbox, address := newSandbox(t)
	for _, url := range []string{"smtp://" + address, "smtp://user:s3cret@" + address} {
		s := newSender(t, url)
		var group errgroup.Group
		for i := range 20 {
			l := emailOf(email.LoginCode, func(l *Email) { l.ID += string(rune('a' + i)) })
			group.Go(func() error { return s.Send(t.Context(), l) })
		}
		require.NoError(t, group.Wait())
	}
	require.Len(t, sandbox.Messages(), 20)
	require.Equal(t, 2, sandbox.Messages()[0].Copies, "the same ID is the same email")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		faults    smtp.Faults
		code      string
		permanent bool
	}{
		"the email comes at a bad time":           {smtp.Faults{Code: 451}, "mail_busy", false},
		"the server is going down":                {smtp.Faults{Code: 421}, "mail_busy", false},
		"the email is refused":                    {smtp.Faults{Code: 550}, "mail_refused", true},
		"the recipient does not exist":            {smtp.Faults{Code: 550, On: smtp.OnRcpt}, "mail_refused", true},
		"the server wants a login after all":      {smtp.Faults{Code: 530, On: smtp.OnRcpt}, "mail_login", false},
		"the recipient's mailbox is full for now": {smtp.Faults{Code: 452, On: smtp.OnRcpt}, "mail_busy", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sandbox, address := newSandbox(t)
			tt.faults.Times = 1
			sandbox.SetFaults(tt.faults)
			s := newSender(t, "smtp://user:s3cret@"+address)
			failure := failed(t, s.Send(t.Context(), emailOf(email.LoginCode)))
			require.Equal(t, tt.code, failure.Code)
			require.Equal(t, tt.permanent, failure.Permanent)
			require.Empty(t, sandbox.Messages())
			require.NoError(t, s.Send(t.Context(), emailOf(email.LoginCode)), "once only")
		})
	}
}

func TestServersThatCannotBeReached(t *testing.T) {
	t.Parallel()
	const greeting = "220 hello\r\n"
	for name, tt := range map[string]struct {
		url        func(*testing.T) string
		timeout    time.Duration
		code, hint string
	}{
		"a closed port":                  {url: closedPort, code: "mail_unreachable", hint: "refused"},
		"the name is not found":          {url: func(*testing.T) string { return "smtp://no..such..name" }, code: "mail_unreachable", hint: "name is not found"},
		"the server never says a word":   {url: scripted(), timeout: 100 * time.Millisecond, code: "mail_unreachable", hint: "in time"},
		"the server falls silent":        {url: scripted(greeting), timeout: 100 * time.Millisecond, code: "mail_unreachable", hint: "in time"},
		"the server hangs up":            {url: scripted(""), code: "mail_unreachable", hint: "connection was lost"},
		"the server is something else":   {url: scripted("HTTP/1.1 400 Bad Request\r\n\r\n"), code: "mail_unreachable", hint: "does not speak SMTP"},
		"the server turns us away":       {url: scripted("554 not for ada@example.com\r\n"), code: "mail_unreachable", hint: "refused the connection"},
		"the server has no time":         {url: scripted("421 later\r\n"), code: "mail_busy"},
		"the password is wrong":          {url: scripted(greeting, "250-hi\r\n250 AUTH PLAIN\r\n", "535 not 123456\r\n", "500 what\r\n", "221 bye\r\n"), code: "mail_login"},
		"the password cannot be checked": {url: scripted(greeting, "250-hi\r\n250 AUTH PLAIN\r\n", "454 later\r\n", "500 what\r\n", "221 bye\r\n"), code: "mail_busy"},
		"no way to log in that we know":  {url: scripted(greeting, "250-hi\r\n250 AUTH GSSAPI\r\n"), code: "mail_login"},
		"no way to log in":               {url: scripted(greeting, "250 hi\r\n"), code: "mail_unreachable", hint: "does not match"},
		"the server falls silent when it has the email": {
			url:     scripted(greeting, "250-hi\r\n250 AUTH PLAIN\r\n", "235 in\r\n", "250 from\r\n", "250 to\r\n", "354 go\r\n"),
			timeout: 300 * time.Millisecond, code: "mail_unreachable", hint: "in time",
		},
		"the server hangs up when it has the email": {
			url:  scripted(greeting, "250-hi\r\n250 AUTH PLAIN\r\n", "235 in\r\n", "250 from\r\n", "250 to\r\n", "354 go\r\n", ""),
			code: "mail_unreachable", hint: "was lost",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSender(t, tt.url(t))
			if tt.timeout > 0 {
				s.timeout = tt.timeout
			}
			failure := failed(t, s.Send(t.Context(), emailOf(email.LoginCode)))
			require.Equal(t, tt.code, failure.Code, failure.Message)
			require.Contains(t, failure.Message, tt.hint)
			require.False(t, failure.Permanent)
		})
	}
}

// TestAnEmailThatWasTaken: an email is sent once the server accepted it, even if the connection then breaks.
func TestAnEmailThatWasTaken(t *testing.T) {
	t.Parallel()
	url := scripted("220 hello\r\n", "250-hi\r\n250 AUTH PLAIN\r\n", "235 in\r\n", "250 from\r\n", "250 to\r\n", "354 go\r\n", "250 taken\r\n", "")
	require.NoError(t, newSender(t, url(t)).Send(t.Context(), emailOf(email.LoginCode)))
}

func TestTheCallersContextHolds(t *testing.T) {
	t.Parallel()
	s := newSender(t, scripted("220 hello\r\n")(t))
	s.timeout = 24 * time.Hour // never reached
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	require.Contains(t, failed(t, s.Send(ctx, emailOf(email.LoginCode))).Message, "in time")

	s = newSender(t, scripted("220 hello\r\n")(t))
	ctx, cancel = context.WithCancel(t.Context())
	dial := s.connect
	s.connect = func(dialing context.Context, network, address string) (net.Conn, error) {
		defer cancel()
		return dial(dialing, network, address)
	}
	failure := failed(t, s.Send(ctx, emailOf(email.LoginCode)))
	require.Contains(t, failure.Message, "shutting down")
	require.False(t, failure.Permanent)
}

func TestNoConnectionIsLeftBehind(t *testing.T) {
	t.Parallel()
	s := newSender(t, scripted("220 hello\r\n", "250 hi, but no way to log in\r\n")(t))
	var conn net.Conn
	dial := s.connect
	s.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		var err error
		conn, err = dial(ctx, network, address)
		return conn, err
	}
	require.Equal(t, "mail_unreachable", failed(t, s.Send(t.Context(), emailOf(email.LoginCode))).Code)
	require.Eventually(t, func() bool { return errors.Is(conn.SetDeadline(time.Now()), net.ErrClosed) }, testwait.Limit, time.Millisecond)
}

func TestNewSender(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config       Config
		host         string
		port         int
		implicit     bool
		from, domain string
	}{
		"STARTTLS has its usual port": {
			Config{URL: "smtp://user:s3cret@mail.example.com", PublicURL: "https://zero.example.com:8443/x"},
			"mail.example.com", 587, false, `"Customer Zero" <bot@zero.example.com>`, "zero.example.com",
		},
		"TLS has its usual port": {
			Config{URL: "smtps://mail.example.com", PublicURL: "https://zero.example.com", From: "Zero <hello@example.com>"},
			"mail.example.com", 465, true, "Zero <hello@example.com>", "zero.example.com",
		},
		"on a laptop": {Config{URL: "smtp://[::1]:2525", PublicURL: "http://127.0.0.1:8080"}, "::1", 2525, false, `"Customer Zero" <bot@localhost>`, "localhost"},
	} {
		s, err := NewSender(tt.config)
		require.NoError(t, err, name)
		require.Equal(t, []any{tt.host, tt.port, tt.implicit, tt.from, tt.domain, usualTimeout},
			[]any{s.server.host, s.server.port, s.server.implicit, s.from, s.domain, s.timeout}, name)
	}
}

func TestSettingsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]Config{
		"no server":             {PublicURL: "https://zero.example.com"},
		"a web server":          {URL: "http://user:s3cret@mail.example.com", PublicURL: "https://zero.example.com"},
		"no host":               {URL: "smtp://user:s3cret@", PublicURL: "https://zero.example.com"},
		"no URL at all":         {URL: "smtp://user:s3cret@mail.example.com:x y", PublicURL: "https://zero.example.com"},
		"a port that is none":   {URL: "smtp://user:s3cret@mail.example.com:70000", PublicURL: "https://zero.example.com"},
		"no page of our own":    {URL: "smtp://mail.example.com"},
		"a sender without an @": {URL: "smtp://mail.example.com", PublicURL: "https://zero.example.com", From: "Customer Zero"},
		"a readable password":   {URL: "smtp://user:s3cret@mail.example.com?tls=none", PublicURL: "https://zero.example.com"},
		"TLS without TLS":       {URL: "smtps://mail.example.com?tls=none", PublicURL: "https://zero.example.com"},
		"another choice of TLS": {URL: "smtp://mail.example.com?tls=off", PublicURL: "https://zero.example.com"},
	} {
		s, err := NewSender(config)
		require.Error(t, err, name)
		require.Nil(t, s, name)
		require.NotContains(t, err.Error(), "s3cret", name)
		require.Equal(t, problem.Internal, problem.CodeOf(err), name)
	}
}

// closedPort is the URL of a server that does not exist: port 1 is never assigned.
func closedPort(*testing.T) string { return "smtp://user:s3cret@127.0.0.1:1" }

// scripted is a server that sends the first line as a greeting and then one line for each command. After the
// last one it is silent; an empty line closes the connection.
func scripted(lines ...string) func(*testing.T) string {
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
		if i > 0 && !readCommand(commands, lines[i-1]) {
			return
		}
		if line == "" {
			_ = conn.Close()
			return
		}
		_, _ = io.WriteString(conn, line)
	}
}

// readCommand reads a command, or the email after a 354 reply.
func readCommand(commands *bufio.Reader, answered string) bool {
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

// tlsServer is a mail server that requires TLS and records logins and emails.
type tlsServer struct{ logins, emails chan string }

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
	raw, err := io.ReadAll(r)
	x.server.emails <- string(raw)
	return err
}

func (x tlsSession) Mail(string, *gosmtp.MailOptions) error { return nil }
func (x tlsSession) Rcpt(string, *gosmtp.RcptOptions) error { return nil }
func (x tlsSession) Reset()                                 {}
func (x tlsSession) Logout() error                          { return nil }

type silence struct{}

func (silence) Printf(string, ...any) {}
func (silence) Println(...any)        {}

// TestAnEmailLeavesThisMachineEncryptedOnly uses a server with a remote name that offers no STARTTLS.
func TestAnEmailLeavesThisMachineEncryptedOnly(t *testing.T) {
	t.Parallel()
	sandbox, address := newSandbox(t)
	s := newSender(t, "smtp://user:s3cret@mail.example.com")
	s.connect = leadingTo(address)
	failure := failed(t, s.Send(t.Context(), emailOf(email.LoginCode)))
	require.Equal(t, "mail_unreachable", failure.Code)
	require.Contains(t, failure.Message, "no encryption")
	require.Empty(t, sandbox.Messages())
}

func TestAnEmailGoesUnencryptedWhereItIsAllowed(t *testing.T) {
	t.Parallel()
	sandbox, address := newSandbox(t)
	s := newSender(t, "smtp://mail.example.com?tls=none")
	s.connect = leadingTo(address)
	require.NoError(t, s.Send(t.Context(), emailOf(email.LoginCode)))
	require.Len(t, sandbox.Messages(), 1)
}

func TestEncryptedConnections(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"smtp", "smtps"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			server, address, roots := newTLSServer(t, scheme == "smtps")
			s := newSender(t, scheme+"://user:s3cret@example.com")
			s.connect = leadingTo(address)
			failure := failed(t, s.Send(t.Context(), emailOf(email.LoginCode)))
			require.Contains(t, failure.Message, "not secure", "its certificate is not trusted")
			require.Empty(t, server.logins)

			s.tls = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
			require.NoError(t, s.Send(t.Context(), emailOf(email.LoginCode)))
			require.Equal(t, "user s3cret", <-server.logins)
			require.Contains(t, <-server.emails, "123456")

			s.server.host = "other.example.org"
			failure = failed(t, s.Send(t.Context(), emailOf(email.LoginCode)))
			require.Contains(t, failure.Message, "not secure", "its certificate is for another name")
		})
	}
}

// leadingTo connects to one address for every name.
func leadingTo(address string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}

func newTLSServer(t *testing.T, implicit bool) (*tlsServer, string, *x509.CertPool) {
	t.Helper()
	web := httptest.NewTLSServer(nil) // has a certificate
	t.Cleanup(web.Close)
	config := &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())

	backend := &tlsServer{logins: make(chan string, 1), emails: make(chan string, 1)}
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
