// Package pages shows what the sandboxes show to people: one look, one head, and answers
// that run no script and load nothing from elsewhere. Each sandbox brings its own pages,
// and a style sheet and an icon of its own.
package pages

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

//go:embed head.html base.css
var shared embed.FS

// Pages are the pages of one sandbox, all of them under one path.
type Pages struct {
	root      string
	own       fs.FS
	templates func() *template.Template
}

// New is a sandbox's pages: *.html, style.css and icon.svg in the folder "pages" of files.
// A page begins with {{template "head" title}}. They are read when the first is shown, for
// most programs that link a sandbox never show one.
func New(root string, files fs.FS) *Pages {
	return &Pages{root: root, own: files, templates: sync.OnceValue(func() *template.Template {
		return parse(root, files)
	})}
}

// parse panics when the pages cannot be read: they are part of the program.
func parse(root string, files fs.FS) *template.Template {
	functions := template.FuncMap{"root": func() string { return root }}
	templates := template.Must(template.New("").Funcs(functions).ParseFS(shared, "head.html"))
	return template.Must(templates.ParseFS(files, "pages/*.html"))
}

// Route adds what the pages load.
func (p *Pages) Route(mux *http.ServeMux) {
	p.serve(mux, "base.css", shared, "base.css")
	p.serve(mux, "style.css", p.own, "pages/style.css")
	p.serve(mux, "icon.svg", p.own, "pages/icon.svg")
}

func (p *Pages) serve(mux *http.ServeMux, asset string, files fs.FS, file string) {
	mux.HandleFunc("GET "+p.root+"/"+asset, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.ServeFileFS(w, r, files, file)
	})
}

// Policy is what a page may do, as sources of a Content-Security-Policy.
type Policy struct {
	Styles string // besides its style sheets
	Forms  string // where its forms lead, and where they are sent on to; none: it has no forms
}

func (p Policy) header() string {
	forms := p.Forms
	if forms == "" {
		forms = "'none'"
	}
	return "default-src 'none'; style-src " + strings.TrimSpace("'self' "+p.Styles) +
		"; img-src 'self'; base-uri 'none'; frame-ancestors 'self'; form-action " + strings.TrimSpace(forms)
}

// Render writes a page. If that fails it answers 500, and logs no reason: it may hold some of the page's data.
func (p *Pages) Render(w http.ResponseWriter, log *slog.Logger, status int, name string, policy Policy, data any) {
	var out bytes.Buffer
	if p.templates().ExecuteTemplate(&out, name, data) != nil {
		log.Error("sandbox: a page cannot be shown", "page", p.root+"/"+name)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy.header())
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the client has gone
}

// WriteJSON answers a program.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has gone
}

// OwnOnly refuses requests that another site's page makes a browser send.
func OwnOnly(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if foreign(r) {
			http.Error(w, "This is not for other sites.", http.StatusForbidden)
			return
		}
		next(w, r)
	}
}

// foreign reports whether another site's page is behind the request. Programs other than
// browsers send neither header. A reverse proxy may have changed the host; it then names the
// one that the browser asked for, in a header that no page can set without our leave.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host == "" || u.Host != r.Host && u.Host != r.Header.Get("X-Forwarded-Host")
}
