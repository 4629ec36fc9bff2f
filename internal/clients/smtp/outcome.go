package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/textproto"
	"slices"
	"syscall"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"customerzero/internal/domain/email"
)

// needsLogin are the answers that are about who we are, and not about the letter.
var needsLogin = []int{530, 534, 535, 538}

// loginErrors are the library's words for a login that it cannot even try.
var loginErrors = []error{
	gomail.ErrPlainAuthNotSupported, gomail.ErrLoginAuthNotSupported, gomail.ErrNoSupportedAuthDiscovered, smtp.ErrUnencrypted,
}

// notTaken classifies what ended the handing over of a letter. Without an answer of the
// server (code 0) nothing is known, and nothing is permanent.
func notTaken(ctx context.Context, refused *gomail.SendError) *email.Failure {
	switch code := refused.ErrorCode(); {
	case slices.Contains(needsLogin, code):
		return login()
	case code >= 500:
		return &email.Failure{Permanent: true, Code: codeRefused, Message: "The mail server refuses the letter. Either its address does not " +
			"exist, or the server does not let us write to it or under our name."}
	case code >= 400:
		return busy()
	case ctx.Err() != nil:
		return tooLate(ctx)
	default:
		return unreachable("The connection to the mail server was lost while the letter was handed over.")
	}
}

// notConnected classifies what ended before the letter was so much as mentioned. So nothing
// is permanent here.
func notConnected(ctx context.Context, err error) *email.Failure {
	answer, answered := errors.AsType[*textproto.Error](err)
	switch {
	case answered && slices.Contains(needsLogin, answer.Code), slices.ContainsFunc(loginErrors, func(known error) bool { return errors.Is(err, known) }):
		return login()
	case answered && answer.Code/100 == 4:
		return busy()
	case answered:
		return unreachable("The mail server turns us away. A founder has to check SMTP_URL, and whether the server lets this machine in.")
	case ctx.Err() != nil:
		return tooLate(ctx)
	default:
		return unreachable(reason(err))
	}
}

// reason says why there was no connection. It names kinds only: an error's own text may hold
// what is nobody's business.
func reason(err error) string {
	const nothing = "The mail server cannot be reached: "
	timeout, _ := errors.AsType[net.Error](err)
	switch {
	case is[*net.DNSError](err):
		return nothing + "its name is not found. Check this machine's network and SMTP_URL."
	case is[*tls.CertificateVerificationError](err), is[tls.RecordHeaderError](err):
		return nothing + "the connection is not secure. Check SMTP_URL, and this machine's clock and certificates."
	case errors.Is(err, syscall.ECONNREFUSED):
		return nothing + "the connection was refused. Check SMTP_URL, and that the server runs."
	case timeout != nil && timeout.Timeout():
		return nothing + "it did not answer in time."
	case timeout != nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nothing + "the connection was lost."
	default:
		return "The mail server and SMTP_URL do not fit: it does not speak SMTP, or it offers no encryption, or no login."
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func login() *email.Failure {
	return &email.Failure{Code: codeLogin, Message: "The mail server does not accept our login. A founder has to check the user and password in SMTP_URL."}
}

func busy() *email.Failure {
	return &email.Failure{Code: codeBusy, Message: "The mail server does not take the letter now. Time helps."}
}

func tooLate(ctx context.Context) *email.Failure {
	if errors.Is(ctx.Err(), context.Canceled) {
		return unreachable("The letter was not sent, because we are shutting down.")
	}
	return unreachable("The mail server did not answer in time.")
}

// Our codes for what became of a letter. They are stored with letters: add, never rename.
const (
	codeRefused     = "mail_refused"
	codeBusy        = "mail_busy"
	codeUnreachable = "mail_unreachable"
	codeLogin       = "mail_login"
	codeMalformed   = "mail_malformed"
)

func malformed(why string) *email.Failure {
	return &email.Failure{Permanent: true, Code: codeMalformed, Message: "The letter cannot be sent as it is: " + why}
}

func unreachable(why string) *email.Failure {
	return &email.Failure{Code: codeUnreachable, Message: why}
}
