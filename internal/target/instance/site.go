package instance

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// site serves a replica's requests.
type site struct {
	files      live
	db         *database
	loop       *worker
	productURL string
	process    int
	startedAt  time.Time
}

// publicFiles are the public critical files by URL path.
var publicFiles = map[string]string{
	"/favicon.svg":              target.FileFavicon,
	"/og-image.png":             target.FileOGImage,
	"/robots.txt":               target.FileRobots,
	"/security.txt":             target.FileSecurity,
	"/.well-known/security.txt": target.FileSecurity,
	"/site.webmanifest":         target.FileManifest,
	"/style.css":                target.FileStyle,
}

// productPaths are the product's operations that only need a database. No other request reaches its code.
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
	product := anonymous(s.product())
	for _, path := range productPaths {
		mux.Handle("GET "+path, product)
	}
	mux.HandleFunc("/", s.productOnly)
	return hardened(mux)
}

// product returns the product's API on the chaos target's database.
func (s *site) product() http.Handler {
	server := &api.Server{UI: embed.FS{}, Deps: httpapi.Deps{
		Posts: posts{db: s.db}, Bot: account{db: s.db}, Now: time.Now,
		Site: httpapi.Site{PublicURL: s.productURL, Username: handle, Sandbox: true},
	}}
	return server.Handler()
}

// anonymous removes credentials: the chaos target has no members.
func anonymous(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Cookie", "Authorization", "X-Admin-Key"} {
			r.Header.Del(name)
		}
		next.ServeHTTP(w, r)
	})
}

// hardened disables caching, because a cached page would hide a fault.
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

// productOnly responds for paths that only the product has.
func (s *site) productOnly(w http.ResponseWriter, r *http.Request) {
	switch isAPI := strings.HasPrefix(r.URL.Path, "/api/"); {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, problem.NotFound)
	case isAPI:
		refuse(w, http.StatusServiceUnavailable, problem.Unavailable)
	default:
		s.renderError(w, http.StatusNotFound, "There is no such page", "The chaos target is a replica that exists to be broken. See the product for its other pages.")
	}
}

func refuse(w http.ResponseWriter, status int, code problem.Code) {
	sendJSON(w, status, httpapi.Problem{
		Message: "This is the chaos target, a replica that exists to be broken. Use the product instead.", Code: code, Details: []problem.Detail{},
	})
}

func sendJSON(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		slog.Error("answer of the chaos target", "error", err)
		status, text = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// settings are the contents of config/target.json.
type settings struct {
	Name       string `json:"name"`
	Motto      string `json:"motto"`
	About      string `json:"about"`
	ChaosPath  string `json:"chaosPath"`
	PostsShown int    `json:"postsShown"`
}

// view is the data of the pages.
type view struct {
	Page      string
	Target    settings
	ChaosURL  string // the product's chaos page; empty: not configured
	Process   int
	StartedAt string
	Beat      target.Heartbeat

	Posts []shownPost
	Total int

	Status         int
	Title, Message string
}

type shownPost struct{ Text, At string }

func (s *site) home(w http.ResponseWriter, _ *http.Request) {
	s.page(w, http.StatusOK, target.FileHome, view{Page: "home"})
}

func (s *site) status(w http.ResponseWriter, _ *http.Request) {
	s.page(w, http.StatusOK, target.FileStatus, view{Page: "status"})
}

func (s *site) posts(w http.ResponseWriter, r *http.Request) {
	settings, err := s.settings()
	if err != nil {
		s.fail(w, err)
		return
	}
	listed, total, err := posts{db: s.db}.PublishedPosts(r.Context(), settings.PostsShown, 0)
	if err != nil {
		s.fail(w, err)
		return
	}
	s.page(w, http.StatusOK, target.FilePosts, view{Page: "posts", Posts: shown(listed), Total: total})
}

func shown(listed []post.Listed) []shownPost {
	some := make([]shownPost, len(listed))
	for i, p := range listed {
		some[i] = shownPost{p.Text, p.PublishedAt.UTC().Format("2 January 2006, 15:04")}
	}
	return some
}

// page renders a page from the current templates.
func (s *site) page(w http.ResponseWriter, status int, name string, v view) {
	text, err := s.render(name, v)
	if err != nil {
		s.fail(w, err)
		return
	}
	send(w, status, "text/html; charset=utf-8", text)
}

func (s *site) render(name string, v view) ([]byte, error) {
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	page, err := s.files.page(target.FileLayout, name)
	if err != nil {
		return nil, err
	}
	v.Target, v.Process, v.Beat = settings, s.process, s.loop.heartbeat()
	v.StartedAt = s.startedAt.Format(time.TimeOnly)
	if s.productURL != "" {
		v.ChaosURL = strings.TrimRight(s.productURL, "/") + settings.ChaosPath
	}
	var text bytes.Buffer
	err = page.Execute(&text, v)
	return text.Bytes(), err
}

func (s *site) settings() (settings, error) {
	var read settings
	text, err := s.files.read(target.FileSettings)
	if err != nil {
		return read, err
	}
	return read, json.Unmarshal(text, &read)
}

// fail responds that the chaos target is broken.
func (s *site) fail(w http.ResponseWriter, err error) {
	slog.Debug("page of the chaos target", "error", err)
	s.renderError(w, http.StatusInternalServerError, "The chaos target is broken", "This page cannot be shown now. The chaos target is repaired within seconds; reload the page then.")
}

// renderError sends the error page, or plain text if that is broken too.
func (s *site) renderError(w http.ResponseWriter, status int, title, message string) {
	text, err := s.render(target.FileErrorPage, view{Page: "error", Status: status, Title: title, Message: message})
	if err != nil {
		send(w, status, "text/plain; charset=utf-8", []byte(title+". "+message+"\n"))
		return
	}
	send(w, status, "text/html; charset=utf-8", text)
}

func (s *site) file(w http.ResponseWriter, _ *http.Request, name string) {
	text, err := s.files.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		s.renderError(w, http.StatusNotFound, "There is no such file", "A fault removed it. The chaos target is repaired within seconds; reload the page then.")
		return
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	send(w, http.StatusOK, kindOf(name), text)
}

func kindOf(name string) string {
	switch path.Ext(name) {
	case ".webmanifest":
		return "application/manifest+json"
	case ".txt":
		return "text/plain; charset=utf-8"
	default:
		return mime.TypeByExtension(path.Ext(name))
	}
}

func send(w http.ResponseWriter, status int, kind string, text []byte) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// maxFile limits the bytes read of a critical file, which a fault may have replaced.
const maxFile = 1 << 20

var errTooLarge = errors.New("the file is too large")

// live is the folder of the critical files. It cannot be left by names or symbolic links.
type live struct{ dir string }

func (l live) read(name string) ([]byte, error) {
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = errTooLarge
	}
	return text, err
}

// page parses the layout with a page's template.
func (l live) page(layout, name string) (*template.Template, error) {
	page := template.New(layout)
	for _, file := range []string{layout, name} {
		text, err := l.read(file)
		if err != nil {
			return nil, err
		}
		if _, err := page.Parse(string(text)); err != nil {
			return nil, err
		}
	}
	return page, nil
}
