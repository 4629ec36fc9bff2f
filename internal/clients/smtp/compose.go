package smtp

import (
	"embed"
	htmltemplate "html/template"
	"strings"
	"sync"
	texttemplate "text/template"
	"unicode"

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
