package cli

import "net/http"

// stay follows no redirect: what a request carries is for the address that was meant, and Go
// takes a header like X-Admin-Key along to any other.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
