package api

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/target/golden"
)

// Files of the built pages.
const (
	pageLanding = "landing.html"
	pageApp     = "index.html"
)

// previewImage is the Open Graph image. The chaos target's copy can be deleted by a fault; this one is embedded.
const previewImage = "og-image.png"

// publicURLMark is the placeholder of the public URL, which is unknown at build time.
const publicURLMark = "__PUBLIC_URL__"

// pagePathMark is the placeholder of the page's own path.
const pagePathMark = "__PAGE_PATH__"

// sendUI serves files, the landing page at / and the app for every other path, with status 404 if the app has no such
// page. Unknown paths below /api and the like are a 404 problem.
func (s *Server) sendUI(c *gin.Context) {
	name := strings.TrimPrefix(path.Clean(c.Request.URL.Path), "/")
	switch {
	case isMachinePath(name) || !isRead(c.Request.Method):
		httpapi.Refuse(c, problem.NotFound, httpapi.NoEndpoint)
	case name == "":
		s.sendFile(c, pageLanding)
	case name == previewImage:
		s.sendPreviewImage(c)
	case s.hasFile(name):
		s.sendFile(c, name)
	case path.Ext(name) != "":
		httpapi.Refuse(c, problem.NotFound, "There is no such file. Reload the page to get its current version.")
	case s.hasFile(pageApp) && !s.isPage(c, name):
		s.sendPage(c, pageApp, http.StatusNotFound)
	default:
		s.sendFile(c, pageApp)
	}
}

func isMachinePath(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return first == "api" || first == "sandbox" || first == "webhooks" || first == "feeds"
}

func (s *Server) hasFile(name string) bool {
	info, err := fs.Stat(s.UI, name)
	return err == nil && !info.IsDir()
}

func (s *Server) sendFile(c *gin.Context, name string) {
	if !s.hasFile(name) {
		c.Header("Cache-Control", httpapi.NoStore)
		c.String(http.StatusServiceUnavailable, "The pages are not built. Run: make up\n")
		return
	}
	if path.Ext(name) == ".html" {
		s.sendPage(c, name, http.StatusOK)
		return
	}
	file, err := fs.ReadFile(s.UI, name)
	if err != nil {
		httpapi.Refuse(c, problem.Internal, httpapi.InternalError)
		return
	}
	if strings.HasPrefix(name, "assets/") { // their names contain a hash of the content
		c.Header("Cache-Control", "public, max-age=31536000, immutable")
		c.Data(http.StatusOK, kindOf(name), file)
		return
	}
	if isModified(c, tagOf(file)) {
		c.Data(http.StatusOK, kindOf(name), file)
	}
}

func kindOf(name string) string {
	return cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream")
}

// isModified sets the ETag. If the client already has the file, it sends 304 and returns false.
func isModified(c *gin.Context, tag string) bool {
	c.Header("Cache-Control", "no-cache")
	c.Header("ETag", tag)
	weaken(c.Writer.Header())
	if httpapi.Matches(c.GetHeader("If-None-Match"), strings.TrimPrefix(tag, "W/")) {
		notModified(c.Writer)
		return false
	}
	return true
}

func (s *Server) sendPreviewImage(c *gin.Context) {
	picture, err := fs.ReadFile(golden.FS, target.FileOGImage)
	if err != nil {
		httpapi.Refuse(c, problem.Internal, httpapi.InternalError)
		return
	}
	allowEmbedding(c)
	if isModified(c, tagOf(picture)) {
		c.Data(http.StatusOK, "image/png", picture)
	}
}

// page is a built page with the public URL filled in. It is cached, because the files are embedded.
type page struct {
	tag   string
	parts [][][]byte // the text around the placeholders of the path, and in each part around those of the nonce
}

// sendPage fills the nonce and the path into a page. The ETag is weak, because the nonce differs in every reply.
func (s *Server) sendPage(c *gin.Context, name string, status int) {
	page, err := s.page(name)
	if err != nil {
		httpapi.Refuse(c, problem.Internal, httpapi.InternalError)
		return
	}
	nonce := rand.Text()
	allowStyles(c, nonce)
	if status != http.StatusOK {
		c.Header("Cache-Control", httpapi.NoStore)
	} else if !isModified(c, page.tag) {
		return
	}
	text := texts.Get().(*bytes.Buffer)
	defer texts.Put(text)
	own := url.URL{Path: path.Clean(c.Request.URL.Path)}
	page.write(text, html.EscapeString(own.EscapedPath()), nonce)
	c.Data(status, kindOf(pageApp), text.Bytes())
}

// texts pools buffers: garbage collection was the largest cost of the landing page.
var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (p *page) write(text *bytes.Buffer, path, nonce string) {
	text.Reset()
	for i, around := range p.parts {
		if i > 0 {
			text.WriteString(path)
		}
		for j, part := range around {
			if j > 0 {
				text.WriteString(nonce)
			}
			text.Write(part)
		}
	}
}

// page reads a page once and caches it.
func (s *Server) page(name string) (*page, error) {
	if known, ok := s.pages.Load(name); ok {
		return known.(*page), nil
	}
	file, err := fs.ReadFile(s.UI, name)
	if err != nil {
		return nil, err
	}
	text := bytes.ReplaceAll(file, []byte(publicURLMark), []byte(html.EscapeString(s.Site.PublicURL)))
	filled := &page{tag: "W/" + tagOf(text)}
	for _, part := range bytes.Split(text, []byte(pagePathMark)) {
		filled.parts = append(filled.parts, bytes.Split(part, []byte(styleNonceMark)))
	}
	s.pages.Store(name, filled)
	return filled, nil
}
