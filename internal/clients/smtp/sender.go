// Package smtp composes the product's emails from templates/ and sends them over SMTP. Callers choose the
// recipients and retry.
//
// Nothing here retries, stores an email, or logs. Every error of Send is a *email.Failure, and none contains
// an address, a password, or text of the email.
package smtp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"customerzero/internal/clients/egress"
	"customerzero/internal/platform/telemetry"
)

// Sender sends emails through one mail server. It is safe for concurrent use.
type Sender struct {
	server  server
	domain  string // of our sender address and message IDs
	from    string
	timeout time.Duration

	connect gomail.DialContextFunc
	tls     *tls.Config // nil: the system's certificates
}

// Send sends one email on its own connection. Errors after the server accepted it are ignored. If the
// server's reply is lost, a retry may send a second copy with the same Message-ID.
func (s *Sender) Send(ctx context.Context, l Email) (err error) {
	ctx, end := telemetry.Span(ctx, "SMTP send")
	defer func() { end(err) }()
	m, err := s.message(l)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	client, err := gomail.NewClient(s.server.host, s.options(ctx)...)
	if err != nil {
		return unreachable("The settings of the mail server are invalid. A founder has to check SMTP_URL.")
	}
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return notConnected(ctx, err)
	}
	if err := client.SendWithSMTPClient(conn, m); err != nil {
		var refused *gomail.SendError
		errors.As(err, &refused)
		return notTaken(ctx, refused)
	}
	_ = client.CloseWithSMTPClient(conn) // the email is accepted, whatever this returns
	return nil
}

// options returns the options for one email. The library's timeout for each step is longer than the email's
// deadline, so that the latter always ends first.
func (s *Sender) options(ctx context.Context) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(s.server.port), gomail.WithHELO(s.domain), gomail.WithTimeout(2 * s.timeout), gomail.WithTLSPolicy(s.policy()),
		gomail.WithTLSConfig(s.tlsConfig()), gomail.WithDialContextFunc(s.dialer(ctx)),
		gomail.WithoutNoop(), gomail.WithoutRset(), // one email per connection needs neither
	}
	if s.server.implicit {
		options = append(options, gomail.WithSSL())
	}
	if s.server.user.Username() == "" {
		return options
	}
	password, _ := s.server.user.Password()
	return append(options, gomail.WithUsername(s.server.user.Username()), gomail.WithPassword(password),
		gomail.WithOpportunisticSMTPAuth(s.logins()...))
}

// policy requires encryption unless the server is on this machine or ?tls=none allows plain text.
func (s *Sender) policy() gomail.TLSPolicy {
	if egress.Local(s.server.host) || s.server.plain {
		return gomail.TLSOpportunistic
	}
	return gomail.TLSMandatory
}

// logins lists the authentication methods, best first. Passwords are sent unencrypted only on loopback.
func (s *Sender) logins() []gomail.SMTPAuthType {
	if egress.Local(s.server.host) {
		return []gomail.SMTPAuthType{gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc}
	}
	return []gomail.SMTPAuthType{gomail.SMTPAuthPlain, gomail.SMTPAuthLogin, gomail.SMTPAuthSCRAMSHA256}
}

func (s *Sender) tlsConfig() *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.tls != nil {
		config = s.tls.Clone()
	}
	config.ServerName = s.server.host
	return config
}

// dialer closes the connection at the email's deadline: the library restarts its timeout for each reply, and
// leaves connections open after a failed login.
func (s *Sender) dialer(deadline context.Context) gomail.DialContextFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := s.connect(ctx, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(deadline, func() { _ = conn.Close() })
		if !s.server.implicit {
			return conn, nil
		}
		secure := tls.Client(conn, s.tlsConfig())
		return secure, secure.HandshakeContext(ctx)
	}
}

const (
	usualTimeout = 20 * time.Second
	usualName    = "Customer Zero"
	submission   = "587" // STARTTLS
	submissions  = "465" // TLS from the first byte
)

// Config locates the mail server and names the sender.
type Config struct {
	// URL is smtp://user:password@host:port or smtps://…; the user is optional. Plain text is allowed to this
	// machine, and with ?tls=none to a server without a user, such as a container.
	URL       string
	From      string // empty: "Customer Zero <bot@HOST>" with the host of PublicURL
	PublicURL string
	Timeout   time.Duration // for one email; 0: 20 s
}

// NewSender returns a sender that connects on first use. Its errors do not repeat the settings, one of which
// is a password.
func NewSender(config Config) (*Sender, error) {
	public, err := url.Parse(config.PublicURL)
	if err != nil || public.Hostname() == "" {
		return nil, errors.New("mail: PUBLIC_URL is not a URL with a host")
	}
	s := &Sender{domain: mailDomain(public.Hostname()), timeout: cmp.Or(config.Timeout, usualTimeout), connect: (&net.Dialer{}).DialContext}
	from := mail.Address{Name: usualName, Address: "bot@" + s.domain}
	s.from = cmp.Or(config.From, from.String())
	if _, err := mail.ParseAddress(s.from); err != nil {
		return nil, errors.New("mail: the sender is not an address like Name <name@example.com>")
	}
	if s.server, err = readServer(config.URL); err != nil {
		return nil, err
	}
	return s, nil
}

// mailDomain returns the domain for our sender address and message IDs; an IP address cannot be one.
func mailDomain(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return "localhost"
	}
	return host
}

// server is the parsed SMTP_URL.
type server struct {
	host     string
	port     int
	implicit bool // TLS from the first byte
	plain    bool // ?tls=none
	user     *url.Userinfo
}

func readServer(raw string) (server, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return server{}, errors.New("mail: SMTP_URL is not smtp://user:password@host:port or smtps://user:password@host:port")
	}
	usual := submission
	if u.Scheme == "smtps" {
		usual = submissions
	}
	port, err := strconv.ParseUint(cmp.Or(u.Port(), usual), 10, 16)
	if err != nil || port == 0 {
		return server{}, errors.New("mail: the port in SMTP_URL is not between 1 and 65535")
	}
	choice := u.Query().Get("tls")
	if choice != "" && (choice != "none" || u.Scheme == "smtps" || u.User != nil) {
		return server{}, errors.New("mail: the only option in SMTP_URL is ?tls=none, for smtp:// without a user")
	}
	return server{host: u.Hostname(), port: int(port), implicit: u.Scheme == "smtps", plain: choice == "none", user: u.User}, nil
}
