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
	mailPath   = "/sandbox/mail" // the e-mails that a mail server would have taken
	stripePath = "/sandbox/stripe"
)

// proxy shows a sandbox's pages. Their faults are switched at the sandbox itself.
func (s *Server) proxy(base, prefix string) gin.HandlerFunc {
	target, err := url.Parse(base)
	if err != nil {
		return func(c *gin.Context) { httpapi.Refuse(c, problem.NotFound, "There is nothing here.") }
	}
	proxy := &httputil.ReverseProxy{ModifyResponse: hardenSandbox, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.SetXForwarded()                                                          // the sandbox asks where a form came from; it was shown under our name
		for _, ours := range []string{"Cookie", "Authorization", adminKeyHeader} { // none of its business
			r.Out.Header.Del(ours)
		}
	}}
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) {
		hardenOthers(w.Header())
		w.Header().Set("Cache-Control", httpapi.NoStore)
		w.WriteHeader(http.StatusBadGateway)
	}
	return func(c *gin.Context) {
		asked := path.Clean(c.Request.URL.Path)
		// One sandbox's path must not lead into the other, which may ask for more.
		if asked == prefix+"/faults" || !strings.HasPrefix(asked, prefix) {
			httpapi.Refuse(c, problem.NotFound, "There is nothing here.")
			return
		}
		for name := range hardening { // it may know better; see hardenSandbox
			c.Writer.Header().Del(name)
		}
		c.Writer.Header().Del("Cache-Control")
		c.Request.URL.Path, c.Request.URL.RawPath = asked, ""
		proxy.ServeHTTP(c.Writer, c.Request)
	}
}

// hardenSandbox makes an answer of a sandbox one of ours, whose pages bring a policy of their own.
func hardenSandbox(answer *http.Response) error {
	hardenOthers(answer.Header)
	answer.Header.Set("Cache-Control", httpapi.NoStore)
	return nil
}

// tokensAtHome keeps strangers from the page that hands out tokens; the timeline is for all.
func (s *Server) tokensAtHome(c *gin.Context) {
	if path.Clean(c.Request.URL.Path) == httpapi.SandboxX+"/keys" {
		s.atHomeOnly(c)
	}
}

// atHomeOnly keeps strangers from what lets anybody in: the sandbox's logins, and e-mails
// with codes in them.
func (s *Server) atHomeOnly(c *gin.Context) {
	if !s.Site.AtHome(c.Request) {
		httpapi.Refuse(c, problem.NotFound, "There is nothing here.")
	}
}
