package api

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

const (
	// answerPolicy is for replies that are not pages. They load nothing and cannot be framed.
	answerPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

	// pagePolicy allows the site's own files. The UI library adds style elements, which carry the nonce of the reply.
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NUMBER'; style-src-attr 'none'; " +
		"connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

	// noFeatures turns off browser features that the pages do not need.
	noFeatures = "accelerometer=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), " +
		"hid=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=()"

	twoYears = "max-age=63072000"
)

// styleNonceMark is the placeholder of the nonce in the built pages.
const styleNonceMark = "__STYLE_NONCE__"

var hardening = map[string]string{
	"Content-Security-Policy":      answerPolicy,
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           noFeatures,
	"Referrer-Policy":              "strict-origin-when-cross-origin",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY", // for browsers without Content-Security-Policy
}

func (s *Server) harden(c *gin.Context) {
	addHardening(c.Writer.Header())
	if route := c.FullPath(); strings.HasPrefix(route, "/feeds/") || strings.Contains(route, "/badges/") {
		allowEmbedding(c)
	}
	// On localhost the header would affect every other program of the machine.
	if s.Site.Secure() && !s.Site.Local {
		c.Header("Strict-Transport-Security", twoYears)
	}
}

// addHardening sets the security headers that are not set yet.
func addHardening(header http.Header) {
	for name, value := range hardening {
		if header.Get(name) == "" {
			header.Set(name, value)
		}
	}
}

func allowEmbedding(c *gin.Context) { c.Header("Cross-Origin-Resource-Policy", "cross-origin") }

func allowStyles(c *gin.Context, nonce string) {
	c.Header("Content-Security-Policy", strings.Replace(pagePolicy, "NUMBER", nonce, 1))
}
