// Package http3 refuses to serve HTTP/3.
package http3

import (
	"errors"
	"net/http"
)

// ListenAndServeQUIC fails: the product serves HTTP/1.1, and a proxy in front of it the rest.
func ListenAndServeQUIC(_, _, _ string, _ http.Handler) error { return errors.ErrUnsupported }
