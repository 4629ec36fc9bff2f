package smtp

import (
	"embed"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"mvdan.cc/xurls/v2"

	"customerzero/internal/sandbox/pages"
)

const root = "/sandbox/mail"

//go:embed pages
var files embed.FS

var site = pages.New(root, files)

// emailStyles allows an email's inline styles: its frame inherits the policy of the page around it.
const emailStyles = "'unsafe-inline'"

func (s *Server) routePages(mux *http.ServeMux) {
	mux.HandleFunc("GET "+root, s.showMailbox)
	mux.Handle("GET "+root+"/{$}", http.RedirectHandler(root, http.StatusMovedPermanently))
	mux.HandleFunc("GET "+root+"/{id}", s.showMessage)
	mux.HandleFunc("GET "+root+".json", s.showJSON)
	site.Route(mux)
}

// page is the data of the templates.
type page struct {
	Title  string
	Faults Faults
	Mail   []messageView
}

func (s *Server) showMailbox(w http.ResponseWriter, _ *http.Request) {
	s.render(w, http.StatusOK, "mailbox.html", "", page{
		Title: "Mail sandbox", Faults: s.left(), Mail: views(s.Messages()),
	})
}

// showMessage shows one email as text and as HTML.
func (s *Server) showMessage(w http.ResponseWriter, r *http.Request) {
	m, found := s.mailbox.message(r.PathValue("id"))
	if !found {
		s.render(w, http.StatusNotFound, "message.html", "", page{Title: "Email not found · Mail sandbox"})
		return
	}
	v := view(m)
	s.render(w, http.StatusOK, "message.html", emailStyles, page{
		Title: v.Title + " · Mail sandbox", Mail: []messageView{v},
	})
}

func (s *Server) render(w http.ResponseWriter, status int, name, styles string, data page) {
	site.Render(w, s.config.Log, status, name, pages.Policy{Styles: styles}, data)
}

// messageView is an email as shown on the pages.
type messageView struct {
	Message
	Title      string // the subject, or "(no subject)"
	Recipients string
	Exact      string
	Machine    string
	Lines      []headerLine
	Parts      []part // of the text
}

type headerLine struct{ Name, Value string }

// part is a part of a text; with URL, it is a link.
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

// parts splits a text at its links: links inside the email's frame cannot be followed.
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

// showJSON lists the mailbox as JSON; ?to= filters by recipient.
func (s *Server) showJSON(w http.ResponseWriter, r *http.Request) {
	to := r.URL.Query().Get("to")
	emails := slices.DeleteFunc(s.Messages(), func(m Message) bool { return to != "" && !m.isTo(to) })
	pages.WriteJSON(w, http.StatusOK, map[string]any{"messages": append([]Message{}, emails...)})
}
