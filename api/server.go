// Package api is the HTTP face of the product. The Go types of its operations are the
// contract; openapi.yaml is their printout, from which the UI takes its types. A handler
// never does the work: it validates, reads the store, and starts or updates a flow.
package api

import (
	"context"
	"io/fs"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-contrib/gzip"
	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"customerzero/internal/member"
	"customerzero/internal/post"
	"customerzero/internal/problem"
	"customerzero/workflows"
)

// Server answers every operation.
type Server struct {
	Posts   PostBook
	Members MemberBook
	Reports ReportBook
	Runs    PostRuns
	Health  *Health
	Site    Site
	UI      fs.FS // the built pages
	// AdminKey is the founders' key until they have logins. Empty: nobody is a founder.
	AdminKey       string
	TrustedProxies []string
	Now            func() time.Time
	// TweetWait is how long POST /tweet waits for its post to end.
	TweetWait time.Duration
}

// PostBook is the book of posts and slots. *store.Store implements it.
type PostBook interface {
	CreatePost(ctx context.Context, p post.Post, now time.Time) (post.Post, error)
	ChangePost(ctx context.Context, id string, c post.Change, now time.Time) (post.Post, error)
	CancelPost(ctx context.Context, id string, now time.Time) (post.Post, error)
	ListedPost(ctx context.Context, id string) (post.Listed, error)
	Posts(ctx context.Context, f post.Filter) ([]post.Listed, int, error)
	PublishedPosts(ctx context.Context, limit, offset int) ([]post.Listed, int, error)
	SponsoredPublished(ctx context.Context) (int, error)
	CountByStatus(ctx context.Context) (map[post.Status]int, error)
	RecentlyPublished(ctx context.Context, text string, since time.Time) (bool, error)
	TextOpen(ctx context.Context, text string) (bool, error)
	MonthUsage(ctx context.Context, month post.Month) (post.MonthUsage, error)
	ReadUsage(ctx context.Context, month post.Month) (post.ReadUsage, error)
	SuccessSince(ctx context.Context, since time.Time) (published, failed int, err error)
	LastAttempt(ctx context.Context) (*post.Attempt, error)
}

// MemberBook is the registry. *store.Store implements it.
type MemberBook interface {
	AddMember(ctx context.Context, m member.Member) error
	MemberNamed(ctx context.Context, username string) (member.Member, error)
	Members(ctx context.Context, month post.Month) ([]member.Account, error)
	Account(ctx context.Context, id string, month post.Month) (member.Account, error)
}

// ReportBook keeps what broken pages say. *store.Store implements it.
type ReportBook interface {
	SaveClientError(ctx context.Context, report problem.ClientError) error
}

// PostRuns starts flows and gives them orders. *workflows.Client implements it.
type PostRuns interface {
	StartPost(ctx context.Context, p post.Post) (runID string, err error)
	EditPost(ctx context.Context, p post.Post, o workflows.EditOrder) error
	ReschedulePost(ctx context.Context, p post.Post, o workflows.RescheduleOrder) error
	CancelPost(ctx context.Context, p post.Post) error
	RetryPost(ctx context.Context, p post.Post) error
}

// Site says what stands around the product, for links.
type Site struct {
	PublicURL   string // how people reach us
	Username    string // the bot's X handle
	Sandbox     bool   // X is the stand-in
	XBaseURL    string
	TemporalURL string // the Web console
	Namespace   string
}

// Handler routes every operation, the pages, and what operators read.
func (s *Server) Handler() http.Handler {
	router, _ := s.routes()
	return router
}

func (s *Server) routes() (*gin.Engine, huma.API) {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	// Gin believes every X-Forwarded-For unless told otherwise. An invalid list was refused
	// by the configuration.
	_ = router.SetTrustedProxies(s.TrustedProxies)
	metrics := prometheus.NewRegistry()
	router.Use(identify, observe(metrics), recovered, harden, sameOrigin(), gzip.Gzip(gzip.DefaultCompression))

	contract := humagin.New(router, contractConfig())
	s.registerBotPosts(contract)
	s.registerBotStatus(contract)
	s.registerStats(contract)
	s.registerMembers(contract)
	s.registerPosts(contract)
	s.registerImport(contract)
	s.registerTweet(contract)
	s.registerClientErrors(contract)
	s.registerHealth(contract)
	s.registerMetrics(router, metrics)
	s.registerSandbox(router)
	s.registerUI(router)
	return router, contract
}

func contractConfig() huma.Config {
	installProblems()
	config := huma.DefaultConfig("Customer Zero", "1")
	config.Info.Description = "A social bot you can audit: every post is a durable workflow run that anyone may open."
	config.CreateHooks = nil // no $schema in bodies
	config.DocsPath = ""     // the docs page of the library loads scripts from a CDN
	config.SchemasPath = ""
	config.Formats = map[string]huma.Format{"application/json": strictJSON, "json": strictJSON}
	config.RejectUnknownQueryParameters = true
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"founder": {Type: "apiKey", In: "header", Name: adminKeyHeader, Description: "The founders' key"},
	}
	return config
}
