package api

import (
	"context"
	"net/http/httputil"
	"net/url"
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
		if len(c.Request.URL.Path) > len(sandboxPath)+1 && c.Param("path") == "/faults" {
			refuse(c, problem.NotFound, "There is nothing here.") // faults are switched at the sandbox itself
			return
		}
		proxy.ServeHTTP(c.Writer, c.Request)
	}
	router.GET(sandboxPath, show)
	router.GET(sandboxPath+"/*path", show)
}

func (s *Server) scrapeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 5*time.Second)
}
