package api

import (
	"bytes"
	"cmp"
	"errors"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/gin-gonic/gin"

	"customerzero/internal/cell"
	"customerzero/internal/cell/golden"
	"customerzero/internal/problem"
)

// The pages: the landing page is one of its own, the API's is the app at a path that it routes.
const (
	pageLanding = "landing.html"
	pageApp     = "index.html"
	pageDocs    = "docs.html"
)

// previewImage is what others show of a link to us. The cell keeps the same file as one that
// visitors may delete; ours is part of the program.
const previewImage = "og-image.png"

// publicURLMark stands in the pages where their absolute address belongs: nobody knew it when
// they were built.
const publicURLMark = "__PUBLIC_URL__"

// registerUI sends the pages: files as they are, the landing page at the front door, and the app
// for every path that it routes. Paths of the API that do not exist are not pages.
func (s *Server) registerUI(router *gin.Engine) {
	router.GET("/docs", func(c *gin.Context) { s.sendFile(c, pageDocs) })
	router.NoRoute(func(c *gin.Context) {
		name := strings.TrimPrefix(path.Clean(c.Request.URL.Path), "/")
		switch {
		case isMachinePath(name):
			refuse(c, problem.NotFound, "There is nothing here.")
		case c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead:
			refuse(c, problem.NotFound, "There is nothing here.")
		case name == "":
			s.sendFile(c, pageLanding)
		case name == previewImage:
			s.sendPreviewImage(c)
		case s.hasFile(name):
			s.sendFile(c, name)
		case path.Ext(name) != "":
			refuse(c, problem.NotFound, "There is no such file.")
		default:
			s.sendFile(c, pageApp)
		}
	})
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
		c.Header("Cache-Control", never)
		c.String(http.StatusServiceUnavailable, "The pages are not built. Run: make up\n")
		return
	}
	file, err := fs.ReadFile(s.UI, name)
	if errors.Is(err, fs.ErrNotExist) {
		refuse(c, problem.NotFound, "There is no such file.")
		return
	}
	if err != nil {
		refuse(c, problem.Internal, "The file could not be read.")
		return
	}
	switch {
	case path.Ext(name) == ".html":
		s.sendPage(c, name, file)
	case strings.HasPrefix(name, "assets/"): // their names change with their content
		c.Header("Cache-Control", "public, max-age=31536000, immutable")
		c.Data(http.StatusOK, kindOf(name), file)
	default:
		sendUnlessKnown(c, tagOf(file), kindOf(name), file)
	}
}

// sendPage fills in what nobody knew when the page was built. Its name is weak: each time it
// comes with another number, and says the same.
func (s *Server) sendPage(c *gin.Context, name string, file []byte) {
	page, nonce := s.filledIn(name, file), newNonce()
	allowStyles(c, nonce)
	sendUnlessKnown(c, page.tag, kindOf(pageApp), bytes.Join(page.around, []byte(nonce)))
}

// page is a file with our address in it.
type page struct {
	file   []byte // as it was read
	tag    string
	around [][]byte // what stands before, between and behind the places of the number
}

// filledIn fills a page in once, unless the file has changed: those of the cell are broken and mended.
func (s *Server) filledIn(name string, file []byte) *page {
	if known, ok := s.pages.Load(name); ok && bytes.Equal(known.(*page).file, file) {
		return known.(*page)
	}
	text := bytes.ReplaceAll(file, []byte(publicURLMark), []byte(html.EscapeString(s.Site.PublicURL)))
	filled := &page{file: file, tag: "W/" + tagOf(text), around: bytes.Split(text, []byte(styleNonceMark))}
	s.pages.Store(name, filled)
	return filled
}

func kindOf(name string) string {
	return cmp.Or(mime.TypeByExtension(path.Ext(name)), "application/octet-stream")
}

// sendUnlessKnown sends a file whose name stays when its content changes.
func sendUnlessKnown(c *gin.Context, tag, kind string, file []byte) {
	c.Header("Cache-Control", "no-cache")
	c.Header("ETag", tag)
	weaken(c.Writer.Header())
	if matches(c.GetHeader("If-None-Match"), strings.TrimPrefix(tag, "W/")) {
		notModified(c.Writer)
		return
	}
	c.Data(http.StatusOK, kind, file)
}

func (s *Server) sendPreviewImage(c *gin.Context) {
	picture, err := fs.ReadFile(golden.FS, cell.FileOGImage)
	if err != nil {
		refuse(c, problem.Internal, "The file could not be read.")
		return
	}
	shareable(c)
	sendUnlessKnown(c, tagOf(picture), "image/png", picture)
}
