// Package smtp writes the product's letters and hands them to a mail server over SMTP. What
// a letter says is in templates/; who gets one, and whether it is tried again, is for those
// who call.
//
// Nothing here tries twice, keeps a letter, or logs. Every error of Send is a *letter.Failure, and
// none of them holds an address, a password, or a word of the letter.
package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	gomail "github.com/wneessen/go-mail"

	"customerzero/internal/platform/telemetry"
)

// Sender hands letters to a mail server. It is safe for concurrent use.
type Sender struct {
	server  server
	domain  string // of our own addresses and IDs
	from    string
	timeout time.Duration

	connect gomail.DialContextFunc
	tls     *tls.Config // nil: the system's certificates
}

// Send hands over one letter, on a connection of its own. Once the server has taken it, what
// else goes wrong on that connection is no failure. If the answer to it is lost, trying again
// may send a second copy, with the same Message-ID.
func (s *Sender) Send(ctx context.Context, l Letter) (err error) {
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
	_ = client.CloseWithSMTPClient(conn) // it has the letter, whether it says goodbye or not
	return nil
}

// options are for one letter: its deadline holds for all that its connection does. The
// library's own, for each step, is longer, so that it is always clear whose time is over.
func (s *Sender) options(ctx context.Context) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(s.server.port), gomail.WithHELO(s.domain), gomail.WithTimeout(2 * s.timeout), gomail.WithTLSPolicy(s.policy()),
		gomail.WithTLSConfig(s.tlsConfig()), gomail.WithDialContextFunc(s.dialer(ctx)),
		gomail.WithoutNoop(), gomail.WithoutRset(), // nothing to check or to clear; once the letter is taken, nothing may fail
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

// policy demands encryption wherever a letter leaves this machine.
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

// dialer closes the connection when the letter's time is over: the library waits for each
// answer anew, and leaves connections open that it could not log in on.
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
