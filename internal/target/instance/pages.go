package instance

import (
	"bytes"
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

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/target"
)

// settings are what config/cell.json says.
type settings struct {
	Name       string `json:"name"`
	Motto      string `json:"motto"`
	About      string `json:"about"`
	ChaosPath  string `json:"chaosPath"`
	PostsShown int    `json:"postsShown"`
}

// view is what a page may say.
type view struct {
	Page      string
	Cell      settings
	ChaosURL  string // of the product's page that breaks the chaos target; empty: nobody said where
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

// page sends a page made of its templates as they are now.
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
	v.Cell, v.Process, v.Beat = settings, s.process, s.loop.heartbeat()
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

// fail says that the chaos target is broken.
func (s *site) fail(w http.ResponseWriter, err error) {
	slog.Debug("page of the cell", "error", err)
	s.trouble(w, http.StatusInternalServerError, "The cell is broken", "This page cannot be made now. The cell heals itself; look again in some seconds.")
}

// trouble sends the page of errors, or plain words when that is broken too.
func (s *site) trouble(w http.ResponseWriter, status int, title, message string) {
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
		s.trouble(w, http.StatusNotFound, "There is no such file", "It should be there: somebody has broken the cell. It heals itself; look again in some seconds.")
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

// maxFile bounds what is read of a critical file: a fault may write anything there.
const maxFile = 1 << 20

var errTooLarge = errors.New("the file is far too large")

// live is the folder of the critical files. No name and no symbolic link leads out of it.
type live struct{ dir string }

// read reads a file as it is now.
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

// page reads the layout and the page that stands in it.
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
