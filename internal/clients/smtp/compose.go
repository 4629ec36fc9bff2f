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

// template is one kind's: its subject, and the email in both forms.
type template struct {
	subject, text *texttemplate.Template
	html          *htmltemplate.Template
}

// templates are read with the first email: a program that writes none need not pay for them.
var templates = sync.OnceValue(parseAll)

func parseAll() map[email.Kind]template {
	parsed := map[email.Kind]template{}
	for _, kind := range email.Kinds() {
		parsed[kind] = parse(kind)
	}
	return parsed
}

// parse reads a kind's files. The first line of the text is the subject; it is a template
// of its own, so that nothing of the body gets into it.
func parse(kind email.Kind) template {
	const strict = "missingkey=error"
	subject, text, found := strings.Cut(file(string(kind)+".txt"), "\n")
	subject, marked := strings.CutPrefix(subject, "Subject: ")
	if !found || !marked {
		panic("mail: the first line of " + string(kind) + ".txt is not its subject")
	}
	t := template{
		subject: texttemplate.Must(texttemplate.New("subject").Option(strict).Parse(subject)),
		text:    texttemplate.Must(texttemplate.New("layout").Option(strict).Parse(file("layout.txt"))),
		html:    htmltemplate.Must(htmltemplate.New("layout").Option(strict).Parse(file("layout.html"))),
	}
	texttemplate.Must(t.text.New("content").Parse(strings.TrimSpace(text)))
	htmltemplate.Must(t.html.New("content").Parse(file(string(kind) + ".html")))
	return t
}

func file(name string) string {
	content, err := files.ReadFile("templates/" + name)
	if err != nil {
		panic(err) // it is built in
	}
	return string(content)
}

// composed is an email's words.
type composed struct{ subject, text, html string }

// compose writes an email. Its error does not say which fact is wrong with which value:
// values may be secrets.
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

// oneLine keeps a fact from making lines, headers or paragraphs of its own.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// Facts fill in a kind's template. One that is missing is an error; line breaks become
// spaces.
type Facts map[string]string

// Email is one email to one person.
type Email struct {
	ID          string // emails, digits, - _ and inner dots; the same ID is the same email
	Kind        email.Kind
	To          string
	Facts       Facts
	Unsubscribe string // a URL that a POST unsubscribes at; for optional kinds, ignored with the others
}

const maxID = 128

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// message makes an email ready to be sent. All of its errors are permanent failures.
func (s *Sender) message(l Email) (*gomail.Msg, error) {
	if !validID.MatchString(l.ID) || len(l.ID) > maxID {
		return nil, malformed("its ID is not letters, digits, -, _ and inner dots.")
	}
	if l.Kind.Optional() && !isWebURL(l.Unsubscribe) {
		return nil, malformed("one may unsubscribe from its kind, and the link for it is missing.")
	}
	to, err := account.Canonical(l.To)
	if err != nil {
		return nil, malformed("its address is not one that we can write to.")
	}
	words, err := compose(l)
	if err != nil {
		return nil, err
	}
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if m.From(s.from) != nil || m.To(to) != nil {
		return nil, malformed("its addresses are not understood.")
	}
	m.Subject(words.subject)
	m.SetDate()
	m.SetMessageIDWithValue(l.ID + "@" + s.domain)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	if l.Kind.Optional() {
		m.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+l.Unsubscribe+">")
		m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click") // RFC 8058
	}
	m.SetBodyString(gomail.TypeTextPlain, words.text)
	m.AddAlternativeString(gomail.TypeTextHTML, words.html)
	return m, nil
}

// isWebURL takes URLs that are safe between the brackets of a header, too.
func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '<' || r == '>' })
}

// needsLogin are the answers that are about who we are, and not about the email.
var needsLogin = []int{530, 534, 535, 538}

// loginErrors are the library's words for a login that it cannot even try.
var loginErrors = []error{
	gomail.ErrPlainAuthNotSupported, gomail.ErrLoginAuthNotSupported, gomail.ErrNoSupportedAuthDiscovered, smtp.ErrUnencrypted,
}

// notTaken classifies what ended the handing over of an email. Without an answer of the
// server (code 0) nothing is known, and nothing is permanent.
func notTaken(ctx context.Context, refused *gomail.SendError) *email.Failure {
	switch code := refused.ErrorCode(); {
	case slices.Contains(needsLogin, code):
		return login()
	case code >= 500:
		return &email.Failure{Permanent: true, Code: codeRefused, Message: "The mail server refuses the email. Either its address does not " +
			"exist, or the server does not let us write to it or under our name."}
	case code >= 400:
		return busy()
	case ctx.Err() != nil:
		return tooLate(ctx)
	default:
		return unreachable("The connection to the mail server was lost while the email was handed over.")
	}
}

// notConnected classifies what ended before the email was so much as mentioned. So nothing
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

// reason returns why there was no connection.
func reason(err error) string {
	const nothing = "The mail server cannot be reached: "
	lost, _ := errors.AsType[net.Error](err)
	remedy := outage.Remedy(err, "SMTP_URL")
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nothing + "the connection was refused. Check SMTP_URL, and that the server runs."
	case remedy != "":
		return nothing + remedy
	case lost != nil && lost.Timeout():
		return nothing + "it did not answer in time."
	case lost != nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nothing + "the connection was lost."
	default:
		return "The mail server and SMTP_URL do not fit: it does not speak SMTP, or it offers no encryption, or no login."
	}
}

func login() *email.Failure {
	return &email.Failure{Code: codeLogin, Message: "The mail server does not accept our login. A founder has to check the user and password in SMTP_URL."}
}

func busy() *email.Failure {
	return &email.Failure{Code: codeBusy, Message: "The mail server does not take the email now. Time helps."}
}

func tooLate(ctx context.Context) *email.Failure {
	if errors.Is(ctx.Err(), context.Canceled) {
		return unreachable("The email was not sent, because we are shutting down.")
	}
	return unreachable("The mail server did not answer in time.")
}

// Our codes for what became of an email. They are stored with emails: add, never rename.
const (
	codeRefused     = "mail_refused"
	codeBusy        = "mail_busy"
	codeUnreachable = "mail_unreachable"
	codeLogin       = "mail_login"
	codeMalformed   = "mail_malformed"
)

func malformed(why string) *email.Failure {
	return &email.Failure{Permanent: true, Code: codeMalformed, Message: "The email cannot be sent as it is: " + why}
}

func unreachable(why string) *email.Failure {
	return &email.Failure{Code: codeUnreachable, Message: why}
}
