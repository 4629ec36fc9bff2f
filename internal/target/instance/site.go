package instance

import (
	"embed"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// site is everything that a replica answers.
type site struct {
	files      live
	db         *database
	loop       *worker
	productURL string
	process    int
	startedAt  time.Time
}

// publicFiles are the critical files that people may fetch, by their paths.
var publicFiles = map[string]string{
	"/favicon.svg":              target.FileFavicon,
	"/og-image.png":             target.FileOGImage,
	"/robots.txt":               target.FileRobots,
	"/security.txt":             target.FileSecurity,
	"/.well-known/security.txt": target.FileSecurity,
	"/site.webmanifest":         target.FileManifest,
	"/style.css":                target.FileStyle,
}

// productPaths are the product's own operations that need nothing but a database. They are
// all that reaches its code.
var productPaths = []string{"/healthz", "/api/bot-status", "/api/bot-posts", "/api/stats"}

func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.home)
	mux.HandleFunc("GET /posts", s.posts)
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("GET /heartbeat", s.heartbeat)
	for path, name := range publicFiles {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) { s.file(w, r, name) })
	}
	product := nameless(s.product())
	for _, path := range productPaths {
		mux.Handle("GET "+path, product)
	}
	mux.HandleFunc("/", s.elsewhere)
	return hardened(mux)
}

// product is the API as the product serves it, with the chaos target's database behind it.
func (s *site) product() http.Handler {
	server := &api.Server{
		Posts: posts{db: s.db}, Bot: account{db: s.db}, UI: embed.FS{}, Now: time.Now,
		Site: httpapi.Site{PublicURL: s.productURL, Username: handle, Sandbox: true},
	}
	return server.Handler()
}

// nameless takes away what could say who calls: there are no members here to look up.
func nameless(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Cookie", "Authorization", "X-Admin-Key"} {
			r.Header.Del(name)
		}
		next.ServeHTTP(w, r)
	})
}

// hardened lets browsers keep nothing: what was seen before a fault must not hide it.
func hardened(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Robots-Tag": "noindex, nofollow",
			"Content-Security-Policy": "default-src 'self'; script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"Referrer-Policy":         "no-referrer",
		} {
			w.Header().Set(name, value)
		}
		next.ServeHTTP(w, r)
	})
}

func (s *site) heartbeat(w http.ResponseWriter, _ *http.Request) {
	sendJSON(w, http.StatusOK, s.loop.heartbeat())
}

// elsewhere answers what only the product does.
func (s *site) elsewhere(w http.ResponseWriter, r *http.Request) {
	switch machine := strings.HasPrefix(r.URL.Path, "/api/"); {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, problem.NotFound)
	case machine:
		refuse(w, http.StatusServiceUnavailable, problem.Unavailable)
	default:
		s.trouble(w, http.StatusNotFound, "There is no such page", "The cell has few pages: it is a replica to be broken. Use the product for the others.")
	}
}

func refuse(w http.ResponseWriter, status int, code problem.Code) {
	sendJSON(w, status, httpapi.Problem{
		Message: "This is the cell: a replica to be broken. Use the product.", Code: code, Details: []problem.Detail{},
	})
}

func sendJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		slog.Error("answer of the cell", "error", err)
		status, text = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}
