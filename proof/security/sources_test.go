package security

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var numbered = regexp.MustCompile(`(?m)^func (TestV[0-9]+_[0-9]+_[0-9]+_\w+)\(`)

// source is a file of the product.
type source struct {
	path string // below the root
	tree *ast.File
}

// sourcesOf reads the Go files below some folders, without their tests.
func sourcesOf(t *testing.T, folders ...string) (found []source) {
	t.Helper()
	for _, folder := range folders {
		require.NoError(t, filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			below, _ := filepath.Rel(root, path)
			found = append(found, source{filepath.ToSlash(below), tree})
			return err
		}))
	}
	require.NotEmpty(t, found)
	return found
}

// inside walks what is inside each function, and outside of all.
func (s source) inside(visit func(place string, node ast.Node)) {
	for _, decl := range s.tree.Decls {
		place := s.path
		if f, ok := decl.(*ast.FuncDecl); ok {
			place += " " + f.Name.Name
		}
		ast.Inspect(decl, func(node ast.Node) bool {
			visit(place, node)
			return true
		})
	}
}

// names gives x.y for what is called so.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return nameOf(e.X) + "." + e.Sel.Name
	}
	return ""
}

// excused holds what was found against what has a reason, both ways.
func excused(t *testing.T, found []string, reasons map[string]string) {
	t.Helper()
	slices.Sort(found)
	require.Equal(t, slices.Sorted(maps.Keys(reasons)), slices.Compact(found))
}

// products are the folders of what is deployed: what only tests, measures or plays a vendor is
// not among them.
var products = []string{
	"api", "activities", "worker", "workflows", "internal/platform/backup", "internal/clients/browser", "internal/platform/cli", "internal/clients/egress", "internal/target/supervisor",
	"internal/clients/llm", "internal/clients/smtp", "internal/platform/metrics", "internal/platform/opsserver", "internal/clients/stripe", "internal/target/probe", "internal/target/instance", "internal/clients/x",
	"internal/store", "internal/platform/telemetry",
}

// followers are clients that do not say themselves where they stay, and what keeps them.
var followers = map[string]string{
	"internal/clients/llm/door.go ask":              "its transport keeps a redirect as the answer that it is; internal/clients/llm: TestFailures",
	"internal/clients/stripe/client.go New":         "its transport keeps a redirect as the answer that it is; internal/clients/stripe: TestRedirectsAreNotFollowed",
	"internal/clients/x/app_sign.go signed":         "it sends nothing: the call is signed, and taken away",
	"internal/clients/x/transport.go signingClient": "the client that is made of it stays; internal/clients/x: TestRedirectsAreNotFollowed",
}

func TestV15_3_2_EveryClientStaysWhereItIsSent(t *testing.T) {
	t.Parallel()
	var found []string
	for _, s := range sourcesOf(t, products...) {
		s.inside(func(place string, node ast.Node) {
			switch n := node.(type) {
			case *ast.CompositeLit:
				if nameOf(n.Type) == "http.Client" && !sets(n, "CheckRedirect") {
					found = append(found, place)
				}
			case *ast.SelectorExpr:
				if slices.Contains([]string{"http.DefaultClient", "http.Get", "http.Post", "http.Head", "http.PostForm"}, nameOf(n)) {
					found = append(found, place)
				}
			}
		})
	}
	excused(t, found, followers)
}

func sets(literal *ast.CompositeLit, field string) bool {
	return slices.ContainsFunc(literal.Elts, func(e ast.Expr) bool {
		pair, ok := e.(*ast.KeyValueExpr)
		return ok && nameOf(pair.Key) == field
	})
}
