package stripe

import (
	"embed"
	"net/http"
	"net/url"
	"strings"

	"customerzero/internal/sandbox/pages"
)

//go:embed pages
var files embed.FS

var site = pages.New(root, files)

// routePages adds what people see. All of it lives under /sandbox/stripe, so that the
// product can show it under its own origin.
func (s *Server) routePages(mux *http.ServeMux) {
	mux.HandleFunc("GET "+root, s.showOverview)
	mux.Handle("GET "+root+"/{$}", http.RedirectHandler(root, http.StatusMovedPermanently))
	mux.HandleFunc("POST "+root+"/refund", pages.OwnOnly(s.takeRefund))
	mux.HandleFunc("GET "+root+"/pay/{id}", s.showPay)
	mux.HandleFunc("POST "+root+"/pay/{id}", pages.OwnOnly(s.takePay))
	mux.HandleFunc("GET "+root+"/state.json", s.stateJSON)
	site.Route(mux)
}

// render writes a page. What may be wrong with it is not logged: it may be a buyer's
// address.
func (s *Server) render(w http.ResponseWriter, status int, name, forms string, data any) {
	if site.Render(w, status, name, pages.Policy{Forms: forms}, data) != nil {
		s.config.Log.Error("stripe sandbox: a page cannot be shown", "page", name)
	}
}

// originOf is for the policy of a page whose form is sent on to a URL: browsers hold the
// answer's redirect against it.
func originOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || strings.ContainsAny(u.Host, " ;,'\"") {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
