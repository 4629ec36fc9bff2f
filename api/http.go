package api

import (
	"log"
	"net/http"
	"time"
)

// maxHeaders bounds what a request may say of itself, cookies included.
const maxHeaders = 32 << 10

// HTTPServer bounds how long a slow client may hold a connection, and how much a request
// may say before it is read.
func HTTPServer(handler http.Handler, troubles *log.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 60 * time.Second, MaxHeaderBytes: maxHeaders,
		ErrorLog: troubles,
	}
}
