// Package smtp writes the product's emails and hands them to a mail server over SMTP. What
// an email says is in templates/; who gets one, and whether it is tried again, is for those
// who call.
//
// Nothing here tries twice, keeps an email, or logs. Every error of Send is a *email.Failure, and
// none of them holds an address, a password, or a word of the email.
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

	"customerzero/internal/platform/telemetry"
)

// Sender hands emails to a mail server. It is safe for concurrent use.
type Sender struct {
	server  server
	domain  string // of our own addresses and IDs
	from    string
	timeout time.Duration

	connect gomail.DialContextFunc
	tls     *tls.Config // nil: the system's certificates
}

// Send hands over one email, on a connection of its own. Once the server has taken it, what
// else goes wrong on that connection is no failure. If the answer to it is lost, trying again
// may send a second copy, with the same Message-ID.
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
		return unreachable("The settings of the mail server are not understood. A founder has to check SMTP_URL.")
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
	_ = client.CloseWithSMTPClient(conn) // it has the email, whether it says goodbye or not
	return nil
}

// options are for one email: its deadline holds for all that its connection does. The
// library's own, for each step, is longer, so that it is always clear whose time is over.
func (s *Sender) options(ctx context.Context) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(s.server.port), gomail.WithHELO(s.domain), gomail.WithTimeout(2 * s.timeout), gomail.WithTLSPolicy(s.policy()),
		gomail.WithTLSConfig(s.tlsConfig()), gomail.WithDialContextFunc(s.dialer(ctx)),
		gomail.WithoutNoop(), gomail.WithoutRset(), // nothing to check or to clear; once the email is taken, nothing may fail
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

// policy demands encryption wherever an email leaves this machine.
func (s *Sender) policy() gomail.TLSPolicy {
	if s.server.isLoopback() || s.server.plain {
		return gomail.TLSOpportunistic
	}
	return gomail.TLSMandatory
}

// logins are the ways to log in, best first. Only on loopback may a password go unencrypted.
func (s *Sender) logins() []gomail.SMTPAuthType {
	if s.server.isLoopback() {
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

// dialer closes the connection when the email's time is over: the library waits for each
// answer again, and leaves connections open that it could not log in on.
func (s *Sender) dialer(letter context.Context) gomail.DialContextFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := s.connect(ctx, network, address)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(letter, func() { _ = conn.Close() })
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

// Config describes where the mail server is and who writes.
type Config struct {
	// URL is smtp://user:password@host:port, or smtps://…; a user is optional. Without
	// encryption emails go to this machine only, or where ?tls=none allows it: a container
	// beside us.
	URL       string
	From      string // left out: "Customer Zero <bot@HOST>", with the host of PublicURL
	PublicURL string
	Timeout   time.Duration // of all that sending one email takes; 20 s when left out
}

// NewSender returns a sender. It connects when it is first used. Its errors do not repeat the
// settings: one of them is a password.
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

// mailDomain is the domain of our own addresses and IDs. A bare IP address has no place there.
func mailDomain(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return "localhost"
	}
	return host
}

// server is the mail server, and what it knows us by.
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
		return server{}, errors.New("mail: the one choice in SMTP_URL is ?tls=none, for smtp:// without a user")
	}
	return server{host: u.Hostname(), port: int(port), implicit: u.Scheme == "smtps", plain: choice == "none", user: u.User}, nil
}

// isLoopback reports whether what is sent to the server stays on this machine.
func (s server) isLoopback() bool {
	ip, err := netip.ParseAddr(s.host)
	return s.host == "localhost" || err == nil && ip.IsLoopback()
}
