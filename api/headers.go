package api

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
)

const (
	// What is no page loads nothing, and is shown nowhere.
	answerPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

	// Pages run our own files. The library of their parts writes style elements, which have to
	// name the number of this very answer; no attribute may hold a style, and no form is sent
	// without a script.
	pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NUMBER'; style-src-attr 'none'; " +
		"connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

	// What browsers offer and our pages do not need.
	noFeatures = "accelerometer=(), camera=(), display-capture=(), encrypted-media=(), geolocation=(), gyroscope=(), " +
		"hid=(), magnetometer=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), usb=()"

	twoYears = "max-age=63072000"
)

// styleNonceMark stands in the pages where the number of an answer belongs.
const styleNonceMark = "__STYLE_NONCE__"

// hardening is what every answer says, unless it knows better.
var hardening = map[string]string{
	"Content-Security-Policy":      answerPolicy,
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           noFeatures,
	"Referrer-Policy":              "strict-origin-when-cross-origin",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY", // for browsers that know no policy
}

// harden puts the security headers on every answer.
func (s *Server) harden(c *gin.Context) {
	hardenOthers(c.Writer.Header())
	if shownElsewhere(c.FullPath()) {
		shareable(c)
	}
	// Of localhost it would be told to every other program on that machine, for two years.
	if strings.HasPrefix(s.Site.PublicURL, "https://") && !s.Site.Local {
		c.Header("Strict-Transport-Security", twoYears)
	}
}

// hardenOthers leaves alone what is said already.
func hardenOthers(header http.Header) {
	for name, value := range hardening {
		if header.Get(name) == "" {
			header.Set(name, value)
		}
	}
}

// shownElsewhere are pictures for other people's pages, and news for readers.
func shownElsewhere(route string) bool {
	return strings.HasPrefix(route, "/feeds/") || strings.Contains(route, "/badges/")
}

func shareable(c *gin.Context) { c.Header("Cross-Origin-Resource-Policy", "cross-origin") }

// allowStyles is the policy of a page that holds the number.
func allowStyles(c *gin.Context, nonce string) {
	c.Header("Content-Security-Policy", strings.Replace(pagePolicy, "NUMBER", nonce, 1))
}

func newNonce() string { return rand.Text() }
