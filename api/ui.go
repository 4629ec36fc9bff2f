package api

import (
	"bytes"
	"cmp"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
	"customerzero/internal/target/golden"
)

// The pages: the landing page is one of its own, the API's is the app at a path that it routes.
const (
	pageLanding = "landing.html"
	pageApp     = "index.html"
	pageDocs    = "docs.html"
)

// previewImage is what others show of a link to us. The chaos target keeps the same file as one that
// visitors may delete; ours is part of the program.
const previewImage = "og-image.png"

// publicURLMark stands in the pages where their absolute address belongs: nobody knew it when
// they were built.
const publicURLMark = "__PUBLIC_URL__"

func (s *Server) sendDocs(c *gin.Context) { s.sendFile(c, pageDocs) }

// sendUI sends the pages: files as they are, the landing page at the front door, and the app
// for every path that it routes. Paths of the API that do not exist are not pages.
func (s *Server) sendUI(c *gin.Context) {
	name := strings.TrimPrefix(path.Clean(c.Request.URL.Path), "/")
	switch {
	case isMachinePath(name):
		httpapi.Refuse(c, problem.NotFound, "There is nothing here.")
	case c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead:
		httpapi.Refuse(c, problem.NotFound, "There is nothing here.")
	case name == "":
		s.sendFile(c, pageLanding)
	case name == previewImage:
		s.sendPreviewImage(c)
	case s.hasFile(name):
		s.sendFile(c, name)
	case path.Ext(name) != "":
		httpapi.Refuse(c, problem.NotFound, "There is no such file.")
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
		s.sendPage(c, name)
		return
	}
	file, err := fs.ReadFile(s.UI, name)
	if err != nil {
		httpapi.Refuse(c, problem.Internal, "The file could not be read.")
		return
	}
	if strings.HasPrefix(name, "assets/") { // their names change with their content
		c.Header("Cache-Control", "public, max-age=31536000, immutable")
		c.Data(http.StatusOK, kindOf(name), file)
		return
	}
	if named(c, tagOf(file)) {
		c.Data(http.StatusOK, kindOf(name), file)
	}
}

func kindOf(name string) string {
	return cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream")
}

// named names what is to be sent, whose address stays when its content changes. Who has it
// already is told so: false.
func named(c *gin.Context, tag string) bool {
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
		httpapi.Refuse(c, problem.Internal, "The file could not be read.")
		return
	}
	shareable(c)
	if named(c, tagOf(picture)) {
		c.Data(http.StatusOK, "image/png", picture)
	}
}

// page is a file with our address in it. It is part of the program: what was read once stays so.
type page struct {
	tag    string
	around [][]byte // what stands before, between and behind the places of the number
}

// sendPage fills in what nobody knew when the page was built. Its name is weak: each time it
// comes with another number, and says the same.
func (s *Server) sendPage(c *gin.Context, name string) {
	page, err := s.filledIn(name)
	if err != nil {
		httpapi.Refuse(c, problem.Internal, "The file could not be read.")
		return
	}
	nonce := newNonce()
	allowStyles(c, nonce)
	if named(c, page.tag) {
		text := texts.Get().(*bytes.Buffer)
		defer texts.Put(text)
		page.write(text, nonce)
		c.Data(http.StatusOK, kindOf(pageApp), text.Bytes())
	}
}

// texts are used again: most of what the front door cost was to clear them away.
var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (p *page) write(text *bytes.Buffer, nonce string) {
	text.Reset()
	for i, part := range p.around {
		if i > 0 {
			text.WriteString(nonce)
		}
		text.Write(part)
	}
}

// filledIn fills a page in, once.
func (s *Server) filledIn(name string) (*page, error) {
	if known, ok := s.pages.Load(name); ok {
		return known.(*page), nil
	}
	file, err := fs.ReadFile(s.UI, name)
	if err != nil {
		return nil, err
	}
	text := bytes.ReplaceAll(file, []byte(publicURLMark), []byte(html.EscapeString(s.Site.PublicURL)))
	filled := &page{tag: "W/" + tagOf(text), around: bytes.Split(text, []byte(styleNonceMark))}
	s.pages.Store(name, filled)
	return filled, nil
}
