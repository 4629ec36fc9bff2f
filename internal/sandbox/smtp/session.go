package smtp

import (
	"io"
	"strings"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// bouncing is the local part of addresses that no letter reaches.
const bouncing = "bounce"

var errNoSuchUser = &smtp.SMTPError{
	Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "No such user here",
}

// session is one connection's letter in the making.
type session struct {
	server *Server
	from   string
	to     []string
}

func (s *Server) newSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

func (x *session) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth lets everybody in.
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
	if local, _, _ := strings.Cut(to, "@"); strings.EqualFold(local, bouncing) {
		return errNoSuchUser
	}
	if refused := x.server.faults.pick(OnRcpt); refused != nil {
		return refused
	}
	x.to = append(x.to, to)
	return nil
}

// Data reads the letter to its end even when it is going to refuse it, as the protocol wants.
func (x *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if refused := x.server.faults.pick(OnData); refused != nil {
		return refused
	}
	m := parse(raw)
	m.At, m.From, m.To = x.server.config.Now().UTC(), x.from, x.to
	x.server.mailbox.put(m)
	x.server.config.Log.Debug("mail sandbox: a letter came", "bytes", len(raw))
	return nil
}

func (x *session) Reset() { x.from, x.to = "", nil }

func (x *session) Logout() error { return nil }
