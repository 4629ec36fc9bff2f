package smtp

import (
	"embed"
	htmltemplate "html/template"
	"net/url"
	"regexp"
	"strings"
	"sync"
	texttemplate "text/template"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
)

//go:embed templates
var files embed.FS

// template is one kind's: its subject, and the letter in both forms.
type template struct {
	subject, text *texttemplate.Template
	html          *htmltemplate.Template
}

// templates are read with the first letter: a program that writes none need not pay for them.
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

// composed is a letter's words.
type composed struct{ subject, text, html string }

// compose writes a letter. Its error does not say which fact is wrong with which value:
// values may be secrets.
func compose(l Letter) (composed, error) {
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

// Letter is one letter to one person.
type Letter struct {
	ID          string // letters, digits, - _ and inner dots; the same ID is the same letter
	Kind        email.Kind
	To          string
	Facts       Facts
	Unsubscribe string // a URL that a POST unsubscribes at; for optional kinds, ignored with the others
}

const maxID = 128

var validID = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// message makes a letter ready to be sent. All of its errors are permanent failures.
func (s *Sender) message(l Letter) (*gomail.Msg, error) {
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
