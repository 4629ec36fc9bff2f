// Package api serves the product over HTTP. The Go types of its operations are the contract; openapi.yaml is
// generated from them, and the UI's types from openapi.yaml. A handler validates, reads the store, and starts or
// updates a workflow.
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

// Server holds the configuration of the HTTP server. Its fields must not change after Handler is called.
type Server struct {
	httpapi.Deps
	Health         *Health
	UI             fs.FS  // the built pages
	AdminKey       string // lets programs act as a founder; empty disables it
	TrustedProxies []string
	Scrape         http.Handler // serves /metrics; nil if another listener does

	measured sync.Once
	pages    sync.Map // *page by file name
}

// Handler returns the handler of the API, the pages, the probes and the metrics.
func (s *Server) Handler() http.Handler {
	router, _ := s.routes()
	return router
}

// Routes lists every route, like "GET /api/posts/{id}".
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
	// Gin trusts every X-Forwarded-For by default. The configuration rejects an invalid list.
	_ = router.SetTrustedProxies(s.TrustedProxies)
	router.RemoteIPHeaders = []string{"X-Forwarded-For"} // proxies forward any other header of their client
	contract := humagin.New(router, contractConfig())
	contract.UseMiddleware(httpapi.RejectNonUTF8(contract))
	table := s.table(contract)
	router.Use(httpapi.NameRequest)
	router.Use(traced()...)
	router.Use(s.meters().Observe, recovered, matched(table), bounded, s.harden, sameOrigin(), compressed(), s.authorize, (&coalescer{}).cached)
	for _, r := range table {
		r.add(r, router, contract)
	}
	router.NoRoute(s.sendUI)
	alsoHead(router, table)
	return router, contract
}

// alsoHead adds a HEAD route for every cacheable GET route. That excludes streams and redirects.
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

// maxHeaders bounds the headers of a request, cookies included.
const maxHeaders = 32 << 10

// HTTPServer returns a server with timeouts for slow clients and a limit for headers.
func HTTPServer(handler http.Handler, errorLog *log.Logger) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 60 * time.Second, MaxHeaderBytes: maxHeaders,
		ErrorLog: errorLog,
	}
}
