package api

import (
	"context"
	"net/http/httputil"
	"net/url"
	"path"
	"time"

	"github.com/gin-gonic/gin"

	"customerzero/internal/problem"
)

// sandboxPath is where the sandbox shows its timeline.
const sandboxPath = "/sandbox/x"

// registerSandbox shows the sandbox's pages under our own address. The sandbox itself is
// a server apart: nothing else here knows it.
func (s *Server) registerSandbox(router *gin.Engine) {
	if !s.Site.Sandbox {
		return
	}
	target, err := url.Parse(s.Site.XBaseURL)
	if err != nil {
		return
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	show := func(c *gin.Context) {
		asked := path.Clean(c.Request.URL.Path)
		if asked == sandboxPath+"/faults" { // faults are switched at the sandbox itself
			refuse(c, problem.NotFound, "There is nothing here.")
			return
		}
		c.Writer.Header().Del("Content-Security-Policy") // its pages bring their own
		c.Request.URL.Path, c.Request.URL.RawPath = asked, ""
		proxy.ServeHTTP(c.Writer, c.Request)
	}
	router.GET(sandboxPath, show)
	router.GET(sandboxPath+"/*path", show)
}

func (s *Server) scrapeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 5*time.Second)
}
