package api

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"go.yaml.in/yaml/v3"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// access is who may call a route. The zero access is for everyone.
type access struct {
	least  account.Role
	login  bool          // needs a login; a membership only with least or member
	member bool          // needs an active membership of the caller's own, which a founder may not have
	key    bool          // the admin key is accepted, because programs cannot log in
	scope  account.Scope // a minted token of this scope will do
	fresh  bool          // the login must be younger than ten minutes
	hidden bool          // to others the route does not exist
}

var (
	public        = access{}
	publicOrToken = access{scope: account.ScopeCredentials}
	user          = access{login: true}
	freshUser     = access{login: true, fresh: true}
	// memberOrKey is for members, and for programs with the admin key. Handlers check which posts.
	memberOrKey = access{least: account.Member, login: true, key: true}
	// memberOrFounder acts for a person. Founders need no membership.
	memberOrFounder = access{least: account.Member, login: true}
	founderOrKey    = access{least: account.Founder, login: true, key: true}
	// memberOnly acts for a membership of the caller's own, which a program has not.
	memberOnly = access{least: account.Member, login: true, member: true}
	// botAdmin may change what the bot posts with.
	botAdmin = access{least: account.Founder, login: true, scope: account.ScopeCredentials}
	// freshOrKey is for founders' changes of other people's access, and for the command line.
	freshOrKey = access{least: account.Founder, login: true, key: true, fresh: true}
	adminOnly  = access{least: account.Founder, login: true, hidden: true}
	freshAdmin = access{least: account.Founder, login: true, hidden: true, fresh: true}
)

// schemes are the ways to authenticate that the contract names. Any one of the list will do.
func (a access) schemes() []map[string][]string {
	if !a.login {
		return nil
	}
	ways := []map[string][]string{{"session": {}}}
	if a.key {
		ways = append(ways, map[string][]string{"founder": {}})
	}
	if a.scope != "" {
		ways = append(ways, map[string][]string{"token": {}})
	}
	return ways
}

// route is a line of the table in routes.go.
type route struct {
	method, path string
	access       access
	cache        string
	deadline     time.Duration
	add          endpoint
}

// endpoint adds a route's handler to the router.
type endpoint func(route, *gin.Engine, huma.API)

// raw serves a route that is no operation of the contract; its path is written as Gin writes it.
func raw(handlers ...gin.HandlerFunc) endpoint {
	return func(r route, router *gin.Engine, _ huma.API) { router.Handle(r.method, r.path, handlers...) }
}

// maxBody bounds what an ordinary request may send.
const maxBody = 64 << 10

const jsonType = "application/json"

//go:embed reference.yaml
var referenceText []byte

// documentation is an entry of reference.yaml. The examples are nil where the body is not JSON.
type documentation struct {
	Description       string
	Request, Response any
}

// reference parses reference.yaml, by operation ID. It is part of the program, so an error is a bug.
var reference = sync.OnceValue(func() map[string]documentation {
	all := map[string]documentation{}
	if err := yaml.Unmarshal(referenceText, &all); err != nil {
		panic(fmt.Sprintf("reference.yaml: %v", err))
	}
	return all
})

// op serves an operation of the contract that replies with a JSON body.
func op[In, Out any](handle func(context.Context, *In) (Out, error), id, tag, summary string, options ...option) endpoint {
	type reply struct{ Body Out }
	return custom(func(ctx context.Context, in *In) (*reply, error) {
		out, err := handle(ctx, in)
		return &reply{out}, err
	}, id, tag, summary, options...)
}

// private is op with a reply that no cache may store.
func private[In, Out any](handle func(context.Context, *In) (Out, error), id, tag, summary string, options ...option) endpoint {
	type reply struct {
		CacheControl string `header:"Cache-Control"`
		Body         Out
	}
	return custom(func(ctx context.Context, in *In) (*reply, error) {
		out, err := handle(ctx, in)
		return &reply{httpapi.NoStore, out}, err
	}, id, tag, summary, options...)
}

// custom serves an operation whose handler sets headers or statuses, and its errors.
func custom[In, Out any](handle func(context.Context, *In) (*Out, error), id, tag, summary string, options ...option) endpoint {
	return func(r route, _ *gin.Engine, contract huma.API) {
		described := reference()[id]
		o := operation{Operation: huma.Operation{
			OperationID: id, Method: r.method, Path: r.path, Tags: []string{tag}, Summary: summary, Description: described.Description,
			MaxBodyBytes: maxBody, Security: r.access.schemes(), Responses: map[string]*huma.Response{},
		}}
		if described.Request != nil {
			o.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{jsonType: {Example: described.Request}}}
		}
		for _, set := range options {
			set(&o)
		}
		huma.Register(contract, o.Operation, func(ctx context.Context, in *In) (*Out, error) {
			out, err := handle(ctx, in)
			if err != nil {
				return nil, httpapi.Answer(ctx, id, err)
			}
			return out, nil
		})
		o.complete(r.cache, described.Response)
	}
}

// operation is the contract of a route without its types.
type operation struct {
	huma.Operation
	also map[int]string // further statuses of the same answer; the library would take them for failures
}

// complete adds the example, and the responses that the library does not know.
func (o *operation) complete(cache string, example any) {
	usual := o.Responses[strconv.Itoa(cmp.Or(o.DefaultStatus, http.StatusOK))]
	for status, about := range o.also {
		o.Responses[strconv.Itoa(status)] = &huma.Response{Description: about, Content: map[string]*huma.MediaType{
			jsonType: {Schema: usual.Content[jsonType].Schema},
		}}
	}
	if example != nil {
		usual.Content[jsonType].Example = example
	}
	if usual.Headers["ETag"] != nil || cacheable(cache) {
		o.Responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "Not modified since the ETag in If-None-Match"}
	}
}

// option changes an operation.
type option func(*operation)

func created(o *operation)     { o.DefaultStatus = http.StatusCreated }
func accepted(o *operation)    { o.DefaultStatus = http.StatusAccepted }
func unvalidated(o *operation) { o.SkipValidateBody = true } // the handler wants the very bytes

// also adds another status under which the operation gives its answer.
func also(status int, about string) option {
	return func(o *operation) { o.also = map[int]string{status: about} }
}

// accepts lets a request be larger, and take longer to arrive.
func accepts(bytes int64, within time.Duration) option {
	return func(o *operation) { o.MaxBodyBytes, o.BodyReadTimeout = bytes, within }
}

// responds is for answers that are text of these media types.
func responds(about string, kinds ...string) option {
	return respondsWith(about, &huma.Schema{Type: huma.TypeString}, kinds...)
}

// respondsWithJSON is for answers whose fields the contract does not list.
func respondsWithJSON(about string) option {
	return respondsWith(about, &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}, jsonType)
}

func respondsWith(about string, schema *huma.Schema, kinds ...string) option {
	content := map[string]*huma.MediaType{}
	for _, kind := range kinds {
		content[kind] = &huma.MediaType{Schema: schema}
	}
	return func(o *operation) {
		o.Responses[strconv.Itoa(http.StatusOK)] = &huma.Response{Description: about, Content: content}
	}
}

const routeKey = "route"

// matched stores the request's route for the middleware after it.
func matched(table []route) gin.HandlerFunc {
	lines := map[string]route{}
	for _, r := range table {
		lines[routeName(r.method, r.path)] = r
	}
	return func(c *gin.Context) {
		if r, listed := lines[routeName(c.Request.Method, c.FullPath())]; listed {
			c.Set(routeKey, r)
		}
	}
}

func routeOf(c *gin.Context) (r route, listed bool) {
	value, _ := c.Get(routeKey)
	r, listed = value.(route)
	return r, listed
}

// routeName names a route alike whether Gin or Huma wrote its path.
func routeName(method, path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if name, found := strings.CutPrefix(part, ":"); found {
			parts[i] = "{" + name + "}"
		} else if name, found := strings.CutPrefix(part, "*"); found {
			parts[i] = "{" + name + "}"
		}
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return method + " " + strings.Join(parts, "/")
}

// contractPrinter makes handlers that show the contract. Each form is made when it is first
// requested and then kept, one at a time: the library's own routes are not safe for two readers at once.
func contractPrinter(contract *huma.OpenAPI) func(kind string, form func(*huma.OpenAPI) ([]byte, error)) gin.HandlerFunc {
	var printing sync.Mutex
	return func(kind string, form func(*huma.OpenAPI) ([]byte, error)) gin.HandlerFunc {
		printed := sync.OnceValues(func() ([]byte, error) {
			printing.Lock()
			defer printing.Unlock()
			return form(contract)
		})
		return func(c *gin.Context) {
			text, err := printed()
			if err != nil {
				httpapi.Refuse(c, problem.Internal, "The contract could not be printed.")
				return
			}
			c.Data(http.StatusOK, kind, text)
		}
	}
}
