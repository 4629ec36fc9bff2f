package x

import (
	"net/http"

	"customerzero/internal/sandbox/pages"
)

// ownPagesOnly refuses what another site's page makes a browser send.
func ownPagesOnly(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if pages.Foreign(r) {
			forbid(w, "This is not for other sites.")
			return
		}
		next(w, r)
	}
}
