package smtp

import (
	"strings"
	"sync"
	"time"

	"mvdan.cc/xurls/v2"
)

// messageView is a letter as the pages show it.
type messageView struct {
	Message
	Title      string // the subject, or a stand-in for it
	Recipients string
	Exact      string
	Machine    string
	Lines      []headerLine
	Parts      []part // of the text
}

type headerLine struct{ Name, Value string }

// part is a stretch of text; with URL, a link.
type part struct{ Text, URL string }

func views(messages []Message) []messageView {
	views := make([]messageView, 0, len(messages))
	for _, m := range messages {
		views = append(views, view(m))
	}
	return views
}

func view(m Message) messageView {
	v := messageView{
		Message: m, Title: m.Subject, Recipients: strings.Join(m.To, ", "),
		Exact: m.At.Format("2 Jan 2006, 15:04:05 UTC"), Machine: m.At.Format(time.RFC3339), Parts: parts(m.Text),
	}
	if v.Title == "" {
		v.Title = "(no subject)"
	}
	for _, name := range shownHeaders {
		if value := m.Headers[name]; value != "" {
			v.Lines = append(v.Lines, headerLine{name, value})
		}
	}
	return v
}

var urls = sync.OnceValue(xurls.Strict)

// parts finds the links of a text: the letter's frame lets nobody follow its own.
func parts(text string) []part {
	if text == "" {
		return nil
	}
	var found []part
	rest := 0
	for _, at := range urls().FindAllStringIndex(text, -1) {
		url := text[at[0]:at[1]]
		if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
			continue
		}
		found = append(found, part{Text: text[rest:at[0]]}, part{Text: url, URL: url})
		rest = at[1]
	}
	return append(found, part{Text: text[rest:]})
}
