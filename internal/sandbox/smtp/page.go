package smtp

import (
	"embed"
	"net/http"

	"customerzero/internal/sandbox/pages"
)

const root = "/sandbox/mail"

//go:embed pages
var files embed.FS

var site = pages.New(root, files)

// letterStyles is for a letter, which brings its own styles: its frame inherits the policy
// of the page around it.
const letterStyles = "'unsafe-inline'"

// routePages adds what people see.
func (s *Server) routePages(mux *http.ServeMux) {
	mux.HandleFunc("GET "+root, s.showMailbox)
	mux.Handle("GET "+root+"/{$}", http.RedirectHandler(root, http.StatusMovedPermanently))
	mux.HandleFunc("GET "+root+"/{id}", s.showMessage)
	mux.HandleFunc("GET "+root+".json", s.showJSON)
	site.Route(mux)
}

// page is what the templates show.
type page struct {
	Title  string
	Faults Faults
	Mail   []messageView
}

func (s *Server) showMailbox(w http.ResponseWriter, _ *http.Request) {
	s.render(w, http.StatusOK, "mailbox.html", "", page{
		Title: "Mail sandbox", Faults: s.faults.list(), Mail: views(s.Messages()),
	})
}

// showMessage is one letter, as text and as HTML.
func (s *Server) showMessage(w http.ResponseWriter, r *http.Request) {
	m, found := s.mailbox.message(r.PathValue("id"))
	if !found {
		s.render(w, http.StatusNotFound, "message.html", "", page{Title: "Letter not found · Mail sandbox"})
		return
	}
	v := view(m)
	s.render(w, http.StatusOK, "message.html", letterStyles, page{
		Title: v.Title + " · Mail sandbox", Mail: []messageView{v},
	})
}

// render writes a page. What may be wrong with it is not logged: it may be a letter's.
func (s *Server) render(w http.ResponseWriter, status int, name, styles string, data page) {
	if site.Render(w, status, name, pages.Policy{Styles: styles}, data) != nil {
		s.config.Log.Error("mail sandbox: a page cannot be shown", "page", name)
	}
}
