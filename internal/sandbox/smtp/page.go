package smtp

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
)

const root = "/sandbox/mail"

//go:embed pages
var pages embed.FS

var templates = template.Must(template.ParseFS(pages, "pages/*.html"))

// Where a page may take its styles from. A letter brings its own, and its frame inherits
// the policy of the page around it.
const (
	ownStyles    = "'self'"
	letterStyles = "'self' 'unsafe-inline'"
)

// routePages adds what people see.
func (s *Server) routePages(mux *http.ServeMux) {
	mux.HandleFunc("GET "+root, s.showMailbox)
	mux.Handle("GET "+root+"/{$}", http.RedirectHandler(root, http.StatusMovedPermanently))
	mux.HandleFunc("GET "+root+"/{id}", s.showMessage)
	mux.HandleFunc("GET "+root+".json", s.showJSON)
	for _, asset := range []string{"style.css", "icon.svg"} {
		mux.HandleFunc("GET "+root+"/"+asset, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			w.Header().Set("X-Content-Type-Options", "nosniff")
			http.ServeFileFS(w, r, pages, "pages/"+asset)
		})
	}
}

// page is what the templates show.
type page struct {
	Title  string
	Faults Faults
	Mail   []messageView
}

func (s *Server) showMailbox(w http.ResponseWriter, _ *http.Request) {
	s.render(w, http.StatusOK, "mailbox.html", ownStyles, page{
		Title: "Mail sandbox", Faults: s.faults.list(), Mail: views(s.Messages()),
	})
}

// showMessage is one letter, as text and as HTML.
func (s *Server) showMessage(w http.ResponseWriter, r *http.Request) {
	m, found := s.mailbox.message(r.PathValue("id"))
	if !found {
		s.render(w, http.StatusNotFound, "message.html", ownStyles, page{Title: "Letter not found · Mail sandbox"})
		return
	}
	v := view(m)
	s.render(w, http.StatusOK, "message.html", letterStyles, page{
		Title: v.Title + " · Mail sandbox", Mail: []messageView{v},
	})
}

// render writes a page that runs no script and loads nothing from elsewhere.
func (s *Server) render(w http.ResponseWriter, status int, name, styles string, data page) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		s.config.Log.Error("mail sandbox: a page cannot be shown", "page", name)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src "+styles+"; img-src 'self'; "+
		"base-uri 'none'; frame-ancestors 'self'; form-action 'none'")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the client has gone
}
