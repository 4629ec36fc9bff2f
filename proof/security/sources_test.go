// Package security has the security checklist, from which docs/security.md is generated, and the tests of it that search
// the sources.
package security

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// source is a Go file of the product.
type source struct {
	path string // below the root
	tree *ast.File
}

// sourcesOf reads the Go files below some folders, without tests.
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

// inside visits every node with its place: the file, and the function if the node is in one.
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

// nameOf gives the name of an identifier or a selector, such as x.y.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return nameOf(e.X) + "." + e.Sel.Name
	}
	return ""
}

// excused requires that exactly the places with a reason were found.
func excused(t *testing.T, found []string, reasons map[string]string) {
	t.Helper()
	slices.Sort(found)
	require.Equal(t, slices.Sorted(maps.Keys(reasons)), slices.Compact(found))
}

// products are the folders of the deployed code; proof and sandboxes are not among them.
var products = []string{
	"api", "activities", "worker", "workflows", "internal/platform/backup", "internal/clients/browser", "internal/platform/cli", "internal/clients/egress", "internal/target/supervisor",
	"internal/clients/llm", "internal/clients/smtp", "internal/platform/metrics", "internal/platform/opsserver", "internal/clients/stripe", "internal/target/probe", "internal/target/instance", "internal/clients/x",
	"internal/store", "internal/platform/telemetry",
}

// followers are the places that create an HTTP client without CheckRedirect, and what keeps it from following a redirect.
var followers = map[string]string{
	"internal/clients/llm/door.go ask":              "its transport returns a redirect as the answer; internal/clients/llm: TestFailures",
	"internal/clients/stripe/client.go New":         "its transport returns a redirect as the answer; internal/clients/stripe: TestRedirectsAreNotFollowed",
	"internal/clients/x/app.go signed":              "it sends nothing; it only signs the request",
	"internal/clients/x/transport.go signingClient": "the client created from it follows none; internal/clients/x: TestRedirectsAreNotFollowed",
}

// Proves: V15.3.2
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
