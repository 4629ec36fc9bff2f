// Package smtp is a sandbox of a mail server on loopback: it receives emails over SMTP, keeps the newest in
// memory, shows them, and refuses them on request. With it the product's real mail client runs without an
// account.
//
// Only commands and tests may import it, and it opens no connections: an email sent here reaches no one. It
// logs nothing of an email, which may contain a login code.
package smtp

import (
	"cmp"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

type Server struct {
	config  Config
	smtp    *smtp.Server
	mailbox *mailbox

	mu        sync.Mutex
	faults    Faults
	listeners []net.Listener
	closed    bool
}

// New returns a sandbox with an empty mailbox.
func New(config Config) *Server {
	config = config.withDefaults()
	s := &Server{config: config, mailbox: &mailbox{keep: config.Keep}}
	s.smtp = smtp.NewServer(smtp.BackendFunc(s.newSession))
	s.smtp.Domain = "localhost"
	s.smtp.AllowInsecureAuth = true // loopback; any credentials will do
	s.smtp.MaxMessageBytes = maxEmail
	s.smtp.MaxRecipients = maxRecipients
	s.smtp.ReadTimeout, s.smtp.WriteTimeout = patience, patience
	s.smtp.ErrorLog = discreetLog{config.Log}
	return s
}

// Serve accepts SMTP connections until Close. The listener should be on loopback.
func (s *Server) Serve(l net.Listener) error {
	if !s.add(l) {
		return l.Close()
	}
	return s.smtp.Serve(l)
}

// add registers a listener for Close, which may run before Serve, and reports whether the sandbox is open.
func (s *Server) add(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.listeners = append(s.listeners, l)
	}
	return !s.closed
}

// Handler serves the pages and their JSON under /sandbox/mail, so that the product can include them in its
// own origin.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.routePages(mux)
	return mux
}

// Messages returns the emails, newest first.
func (s *Server) Messages() []Message { return s.mailbox.newestFirst() }

// Close closes all listeners and connections. The emails stay until the process ends.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	err := s.smtp.Close()
	for _, l := range s.listeners {
		_ = l.Close() // most are closed already
	}
	return err
}

// discreetLog logs the library's messages without their values, which may be parts of an email.
type discreetLog struct{ log *slog.Logger }

func (l discreetLog) Printf(format string, _ ...any) {
	l.log.Debug("mail sandbox: a connection failed", "report", format)
}

func (l discreetLog) Println(...any) { l.Printf("") }

// Config configures the sandbox.
type Config struct {
	Keep int // number of emails; 0: 200
	Now  func() time.Time
	Log  *slog.Logger
}

const (
	maxEmail      = 1 << 20 // bytes
	maxRecipients = 5
	patience      = 30 * time.Second // timeout for reads and writes
)

func (c Config) withDefaults() Config {
	c.Keep = cmp.Or(c.Keep, 200)
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// session is one SMTP session.
type session struct {
	server *Server
	from   string
	to     []string
}

func (s *Server) newSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

func (x *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth accepts all credentials.
func (x *session) Auth(mechanism string) (sasl.Server, error) {
	if mechanism != sasl.Plain {
		return nil, smtp.ErrAuthUnknownMechanism
	}
	return sasl.NewPlainServer(func(_, _, _ string) error { return nil }), nil
}

func (x *session) Mail(from string, _ *smtp.MailOptions) error {
	x.from = from
	return nil
}

func (x *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if refused := x.server.fault(OnRcpt); refused != nil {
		return refused
	}
	x.to = append(x.to, to)
	return nil
}

// Data reads the email completely even if it then refuses it, as the protocol requires.
func (x *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if refused := x.server.fault(OnData); refused != nil {
		return refused
	}
	m := parse(raw)
	m.At, m.From, m.To = x.server.config.Now().UTC(), x.from, x.to
	x.server.mailbox.put(m)
	x.server.config.Log.Debug("mail sandbox: an email was received", "bytes", len(raw))
	return nil
}

func (x *session) Reset() { x.from, x.to = "", nil }

func (x *session) Logout() error { return nil }
