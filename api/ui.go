package api

import (
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/gin-gonic/gin"

	"customerzero/internal/problem"
)

// registerUI sends the pages: files as they are, and index.html for every path that the
// pages themselves route. Paths of the API that do not exist are not pages.
func (s *Server) registerUI(router *gin.Engine) {
	router.GET("/docs", func(c *gin.Context) { s.sendFile(c, "docs.html") })
	router.NoRoute(func(c *gin.Context) {
		name := strings.TrimPrefix(path.Clean(c.Request.URL.Path), "/")
		switch {
		case isMachinePath(name):
			c.Header("Cache-Control", "no-store") // as hidden routes have it, which nobody should tell apart
			refuse(c, problem.NotFound, "There is nothing here.")
		case c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead:
			refuse(c, problem.NotFound, "There is nothing here.")
		case s.hasFile(name):
			s.sendFile(c, name)
		case path.Ext(name) != "":
			refuse(c, problem.NotFound, "There is no such file.")
		default:
			s.sendFile(c, "index.html")
		}
	})
}

func isMachinePath(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return first == "api" || first == "sandbox" || first == "webhooks"
}

func (s *Server) hasFile(name string) bool {
	info, err := fs.Stat(s.UI, name)
	return err == nil && !info.IsDir()
}

func (s *Server) sendFile(c *gin.Context, name string) {
	if !s.hasFile(name) {
		c.String(http.StatusServiceUnavailable, "The pages are not built. Run: make up\n")
		return
	}
	if strings.HasPrefix(name, "assets/") { // their names change with their content
		c.Header("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		c.Header("Cache-Control", "no-cache")
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
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	c.Data(http.StatusOK, kind, file)
}
