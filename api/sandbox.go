package api

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

const (
	mailPath   = "/sandbox/mail" // shows the emails that the sandbox caught
	stripePath = "/sandbox/stripe"
)

// proxy serves a sandbox's pages, except /faults, which is reachable at the sandbox's own address only.
func (s *Server) proxy(base, prefix string) gin.HandlerFunc {
	target, err := url.Parse(base)
	if err != nil {
		return func(c *gin.Context) { httpapi.Refuse(c, problem.NotFound, httpapi.NoEndpoint) }
	}
	proxy := &httputil.ReverseProxy{ModifyResponse: hardenSandbox, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.SetXForwarded() // the sandbox compares the origin of a form with the public host
		for _, credential := range []string{"Cookie", "Authorization", adminKeyHeader} {
			r.Out.Header.Del(credential)
		}
	}}
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) {
		addHardening(w.Header())
		w.Header().Set("Cache-Control", httpapi.NoStore)
		w.WriteHeader(http.StatusBadGateway)
	}
	return func(c *gin.Context) {
		clean := path.Clean(c.Request.URL.Path)
		// A path with .. must not lead to another sandbox with stricter access.
		if clean == prefix+"/faults" || !strings.HasPrefix(clean, prefix) {
			httpapi.Refuse(c, problem.NotFound, httpapi.NoEndpoint)
			return
		}
		for name := range hardening { // the sandbox may set its own; see hardenSandbox
			c.Writer.Header().Del(name)
		}
		c.Writer.Header().Del("Cache-Control")
		c.Request.URL.Path, c.Request.URL.RawPath = clean, ""
		proxy.ServeHTTP(c.Writer, c.Request)
	}
}

func hardenSandbox(reply *http.Response) error {
	addHardening(reply.Header)
	reply.Header.Set("Cache-Control", httpapi.NoStore)
	return nil
}

// tokensAtHome limits the sandbox's page with tokens to this machine; its timeline is public.
func (s *Server) tokensAtHome(c *gin.Context) {
	if path.Clean(c.Request.URL.Path) == httpapi.SandboxX+"/keys" {
		s.atHomeOnly(c)
	}
}

// atHomeOnly limits a route to this machine: the sandbox's logins and emails would let anyone log in.
func (s *Server) atHomeOnly(c *gin.Context) {
	if !s.atHome(c) {
		httpapi.Refuse(c, problem.NotFound, httpapi.NoEndpoint)
	}
}
