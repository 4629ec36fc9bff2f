// Package pages renders the sandboxes' web pages with a shared layout, without scripts or external resources.
// Each sandbox has its own pages, style sheet and icon.
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

// Pages are one sandbox's pages, all under one path.
type Pages struct {
	root      string
	own       fs.FS
	templates func() *template.Template
}

// New returns the pages in the folder "pages" of files: *.html, style.css and icon.svg. A page starts with
// {{template "head" title}}. They are parsed on first use, because most commands never show one.
func New(root string, files fs.FS) *Pages {
	return &Pages{root: root, own: files, templates: sync.OnceValue(func() *template.Template {
		return parse(root, files)
	})}
}

// parse panics on invalid pages, which are embedded in the program.
func parse(root string, files fs.FS) *template.Template {
	functions := template.FuncMap{"root": func() string { return root }}
	templates := template.Must(template.New("").Funcs(functions).ParseFS(shared, "head.html"))
	return template.Must(templates.ParseFS(files, "pages/*.html"))
}

// Route serves the assets of the pages.
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

// Policy extends a page's Content-Security-Policy.
type Policy struct {
	Styles string // sources besides the page's style sheets
	Forms  string // targets of forms and of their redirects; empty: no forms
}

func (p Policy) header() string {
	forms := p.Forms
	if forms == "" {
		forms = "'none'"
	}
	return "default-src 'none'; style-src " + strings.TrimSpace("'self' "+p.Styles) +
		"; img-src 'self'; base-uri 'none'; frame-ancestors 'self'; form-action " + strings.TrimSpace(forms)
}

// Render writes a page. On failure it responds with 500 and logs no cause, which may contain the page's data.
func (p *Pages) Render(w http.ResponseWriter, log *slog.Logger, status int, name string, policy Policy, data any) {
	var out bytes.Buffer
	if p.templates().ExecuteTemplate(&out, name, data) != nil {
		log.Error("sandbox: a page could not be rendered", "page", p.root+"/"+name)
		http.Error(w, "This page could not be rendered.", http.StatusInternalServerError)
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

// WriteJSON sends a JSON response.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has gone
}

// OwnOnly refuses requests from other sites' pages.
func OwnOnly(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if foreign(r) {
			http.Error(w, "Requests from other sites are not allowed.", http.StatusForbidden)
			return
		}
		next(w, r)
	}
}

// foreign reports whether another site's page sent the request. Only browsers send these headers. A reverse
// proxy may change Host and then sends the original in X-Forwarded-Host, which pages cannot set cross-origin.
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
