package smtp

import (
	"context"
	"embed"
	"errors"
	htmltemplate "html/template"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	texttemplate "text/template"
	"unicode"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"customerzero/internal/clients/outage"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
)

//go:embed templates
var files embed.FS

// template is the subject, text and HTML of one kind of email.
type template struct {
	subject, text *texttemplate.Template
	html          *htmltemplate.Template
}

// templates are parsed on first use, because most commands send no email.
var templates = sync.OnceValue(parseAll)

func parseAll() map[email.Kind]template {
	parsed := map[email.Kind]template{}
	for _, kind := range email.Kinds() {
		parsed[kind] = parse(kind)
	}
	return parsed
}

// parse reads a kind's files. The first line of the text file is the subject, a separate template, so that
// the body cannot add to it.
func parse(kind email.Kind) template {
	const strict = "missingkey=error"
	subject, text, found := strings.Cut(file(string(kind)+".txt"), "\n")
	subject, marked := strings.CutPrefix(subject, "Subject: ")
	if !found || !marked {
		panic("mail: the first line of " + string(kind) + ".txt is not a subject")
	}
	t := template{
		subject: texttemplate.Must(texttemplate.New("subject").Option(strict).Parse(subject)),
		text:    texttemplate.Must(texttemplate.New("layout").Option(strict).Parse(file("layout.txt"))),
		html:    htmltemplate.Must(htmltemplate.New("layout").Option(strict).Parse(file("layout.html"))),
	}
	texttemplate.Must(t.text.New("content").Parse(strings.TrimSpace(text)))
	htmltemplate.Must(t.html.New("subject").Parse(subject)) // the heading of the layout
	htmltemplate.Must(t.html.New("content").Parse(file(string(kind) + ".html")))
	return t
}

func file(name string) string {
	content, err := files.ReadFile("templates/" + name)
	if err != nil {
		panic(err) // the files are embedded
	}
	return string(content)
}

// composed is an email's content.
type composed struct{ subject, text, html string }

// compose fills in an email's templates. Its errors contain no values, which may be secrets.
func compose(l Email) (composed, error) {
	t, known := templates()[l.Kind]
	if !known {
		return composed{}, malformed("its kind is unknown.")
	}
	facts := Facts{"Unsubscribe": ""}
	for name, value := range l.Facts {
		facts[name] = oneLine(value)
	}
	if l.Kind.Optional() {
		facts["Unsubscribe"] = l.Unsubscribe
	}
	var subject, text, html strings.Builder
	if t.subject.Execute(&subject, facts) != nil || t.text.Execute(&text, facts) != nil || t.html.Execute(&html, facts) != nil {
		return composed{}, malformed("a fact of " + string(l.Kind) + " is missing.")
	}
	return composed{subject.String(), text.String(), html.String()}, nil
}

// oneLine replaces white space and control characters, so that a fact cannot add lines or headers.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// Facts are the values of a kind's template. A missing one is an error; line breaks become spaces.
type Facts map[string]string

// Email is one email to one recipient.
type Email struct {
	ID          string // letters, digits, - _ and inner dots; identifies the email to the server
	Kind        email.Kind
	To          string
	Facts       Facts
	Unsubscribe string // URL that unsubscribes on POST; required for optional kinds, else ignored
}

const maxID = 128

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// message builds the MIME message. All of its errors are permanent failures.
func (s *Sender) message(l Email) (*gomail.Msg, error) {
	if !validID.MatchString(l.ID) || len(l.ID) > maxID {
		return nil, malformed("its ID must be letters, digits, -, _ and inner dots.")
	}
	if l.Kind.Optional() && !isWebURL(l.Unsubscribe) {
		return nil, malformed("its kind is optional, and the unsubscribe link is missing.")
	}
	to, err := account.Canonical(l.To)
	if err != nil {
		return nil, malformed("its recipient address is invalid.")
	}
	content, err := compose(l)
	if err != nil {
		return nil, err
	}
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if m.From(s.from) != nil || m.To(to) != nil {
		return nil, malformed("its addresses are invalid.")
	}
	m.Subject(content.subject)
	m.SetDate()
	m.SetMessageIDWithValue(l.ID + "@" + s.domain)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	if l.Kind.Optional() {
		m.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+l.Unsubscribe+">")
		m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click") // RFC 8058
	}
	m.SetBodyString(gomail.TypeTextPlain, content.text)
	m.AddAlternativeString(gomail.TypeTextHTML, content.html)
	return m, nil
}

// isWebURL reports whether a string is an http(s) URL that is safe between the angle brackets of a header.
func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '<' || r == '>' })
}

// needsLogin are the reply codes about authentication.
var needsLogin = []int{530, 534, 535, 538}

// loginErrors are the library's errors for an authentication that it cannot attempt.
var loginErrors = []error{
	gomail.ErrPlainAuthNotSupported, gomail.ErrLoginAuthNotSupported, gomail.ErrNoSupportedAuthDiscovered, smtp.ErrUnencrypted,
}

// notTaken classifies an error while the email was handed over. Without a reply from the server (code 0), the
// outcome is unknown, so nothing is permanent.
func notTaken(ctx context.Context, refused *gomail.SendError) *email.Failure {
	switch code := refused.ErrorCode(); {
	case slices.Contains(needsLogin, code):
		return login()
	case code >= 500:
		return &email.Failure{Permanent: true, Code: codeRefused, Message: "The mail server rejected the email. The recipient may not " +
			"exist, or the server does not accept our sender address."}
	case code >= 400:
		return busy()
	case ctx.Err() != nil:
		return tooLate(ctx)
	default:
		return unreachable("The connection to the mail server was lost while the email was handed over.")
	}
}

// notConnected classifies an error before the email was handed over, so nothing is permanent.
func notConnected(ctx context.Context, err error) *email.Failure {
	answer, answered := errors.AsType[*textproto.Error](err)
	switch {
	case answered && slices.Contains(needsLogin, answer.Code), slices.ContainsFunc(loginErrors, func(known error) bool { return errors.Is(err, known) }):
		return login()
	case answered && answer.Code/100 == 4:
		return busy()
	case answered:
		return unreachable("The mail server refused the connection. A founder has to check SMTP_URL and whether the server accepts this machine.")
	case ctx.Err() != nil:
		return tooLate(ctx)
	default:
		return unreachable(reason(err))
	}
}

func reason(err error) string {
	const prefix = "The mail server cannot be reached: "
	lost, _ := errors.AsType[net.Error](err)
	remedy := outage.Remedy(err, "SMTP_URL")
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return prefix + "the connection was refused. Check SMTP_URL and that the server is running."
	case remedy != "":
		return prefix + remedy
	case lost != nil && lost.Timeout():
		return prefix + "it did not answer in time."
	case lost != nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return prefix + "the connection was lost."
	default:
		return "The mail server does not match SMTP_URL: it does not speak SMTP, or offers no encryption or no login."
	}
}

func login() *email.Failure {
	return &email.Failure{Code: codeLogin, Message: "The mail server rejected our login. A founder has to check the user and password in SMTP_URL."}
}

func busy() *email.Failure {
	return &email.Failure{Code: codeBusy, Message: "The mail server does not accept the email at the moment. Try again later."}
}

func tooLate(ctx context.Context) *email.Failure {
	if errors.Is(ctx.Err(), context.Canceled) {
		return unreachable("The email was not sent because the server is shutting down.")
	}
	return unreachable("The mail server did not answer in time.")
}

// The codes of failures. They are stored with emails: add, never rename.
const (
	codeRefused     = "mail_refused"
	codeBusy        = "mail_busy"
	codeUnreachable = "mail_unreachable"
	codeLogin       = "mail_login"
	codeMalformed   = "mail_malformed"
)

func malformed(why string) *email.Failure {
	return &email.Failure{Permanent: true, Code: codeMalformed, Message: "The email cannot be sent: " + why}
}

func unreachable(why string) *email.Failure {
	return &email.Failure{Code: codeUnreachable, Message: why}
}
