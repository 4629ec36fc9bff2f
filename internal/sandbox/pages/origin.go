package pages

import (
	"net/http"
	"net/url"
)

// Foreign says whether another site's page is behind the request. Programs other than
// browsers send neither header. A proxy may have changed the host; it then names the one
// that the browser asked, in a header that no page can set without our leave.
func Foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host == "" || u.Host != r.Host && u.Host != r.Header.Get("X-Forwarded-Host")
}
