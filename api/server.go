// Package api is the HTTP face of the product. The Go types of its operations are the
// contract; openapi.yaml is their printout, from which the UI takes its types. A handler
// never does the work: it validates, reads the store, and starts or updates a flow.
package api

import (
	"io/fs"
	"log"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
)

// Server answers every operation. Its fields are read when Handler is called, and do not change after.
type Server struct {
	httpapi.Deps
	Health *Health
	UI     fs.FS // the built pages
	// AdminKey is the founders' key, for programs. Empty: there is none.
	AdminKey       string
	TrustedProxies []string
	Scrape         http.Handler // what /metrics answers; nil: nothing, operators are answered elsewhere

	measured sync.Once
	pages    sync.Map // of *page, by the file's name
}

// Handler routes every operation, the pages, and what operators read.
func (s *Server) Handler() http.Handler {
	router, _ := s.routes()
	return router
}

// Routes names every route that is served, like "GET /api/posts/{id}".
func (s *Server) Routes() []string {
	router, _ := s.routes()
	var names []string
	for _, route := range router.Routes() {
		if route.Method != http.MethodHead {
			names = append(names, routeName(route.Method, route.Path))
		}
	}
	return names
}

func (s *Server) routes() (*gin.Engine, huma.API) {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	// Gin believes every X-Forwarded-For unless told otherwise. An invalid list was refused
	// by the configuration.
	_ = router.SetTrustedProxies(s.TrustedProxies)
	router.RemoteIPHeaders = []string{"X-Forwarded-For"} // a proxy hands on whatever else its client says
	contract := humagin.New(router, contractConfig())
	contract.UseMiddleware(httpapi.RejectNonUTF8(contract))
	table := s.table(contract)
	router.Use(httpapi.NameRequest)
	router.Use(traced()...)
	router.Use(s.meters().Observe, recovered, matched(table), bounded, s.harden, sameOrigin(), compressed(), s.authorize, (&sharing{}).remembered)
	for _, r := range table {
		r.add(r, router, contract)
	}
	router.NoRoute(s.sendUI)
	alsoHead(router, table)
	return router, contract
}

// alsoHead lets everything that may be cached be requested for its headers alone: no streams, and
// nothing that has further conditions.
func alsoHead(router *gin.Engine, table []route) {
	cached := map[string]bool{}
	for _, r := range table {
		cached[routeName(r.method, r.path)] = cacheable(r.cache)
	}
	for _, r := range router.Routes() {
		if r.Method == http.MethodGet && cached[routeName(r.Method, r.Path)] {
			router.HEAD(r.Path, r.HandlerFunc)
		}
	}
}

func contractConfig() huma.Config {
	httpapi.InstallProblems()
	config := huma.DefaultConfig("Customer Zero", "1")
	config.Info.Description = "A social bot you can audit: every post is a durable workflow run that anyone may open.\n\n" +
		"Errors have one shape, Problem, and a machine-readable `code`. Besides those that an operation lists, each may return " +
		"400 or 422 `invalid` (`details` names the fields), 401 `unauthorized`, 403 `forbidden`, 500 `internal` and 503 `unavailable`. " +
		"429 `too_many_requests` carries a Retry-After header. Times are RFC 3339 in UTC."
	config.CreateHooks = nil // no $schema in bodies
	config.DocsPath = ""     // the docs page of the library loads scripts from a CDN
	config.SchemasPath = ""
	config.OpenAPIPath = "" // see contract.go
	config.Formats = map[string]huma.Format{"application/json": httpapi.StrictJSON, "json": httpapi.StrictJSON}
	config.RejectUnknownQueryParameters = true
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"session": {Type: "apiKey", In: "cookie", Name: httpapi.SessionCookie, Description: "Session cookie of a login. With HTTPS its name has the prefix __Host-"},
		"token":   {Type: "http", Scheme: "bearer", Description: "Bearer token of createToken, valid for 15 minutes and for the operations of its scope"},
		"founder": {Type: "apiKey", In: "header", Name: adminKeyHeader, Description: "Admin key, for programs. It has a founder's rights where it is accepted"},
	}
	return config
}

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
