// Package security has the security checklist, from which docs/security.md is generated, and the tests of it that search
// the sources.
package security

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

const root = "../.."

type source struct {
	path string // below the root
	tree *ast.File
}

// sourcesOf reads the Go files below some folders, without tests.
func sourcesOf(t *testing.T, folders ...string) (found []source) {
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

// calls visits every call of a method, or of another package's function.
func (s source) calls(visit func(place string, method *ast.SelectorExpr, args []ast.Expr)) {
	s.inside(func(place string, node ast.Node) {
		if call, ok := node.(*ast.CallExpr); ok {
			if method, ok := call.Fun.(*ast.SelectorExpr); ok {
				visit(place, method, call.Args)
			}
		}
	})
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
	"internal/clients/llm/exchange.go complete":     "its transport returns a redirect as the answer; internal/clients/llm: TestFailures",
	"internal/clients/stripe/client.go New":         "its transport returns a redirect as the answer; internal/clients/stripe: TestRedirectsAreNotFollowed",
	"internal/clients/x/app.go signed":              "it sends nothing; it only signs the request",
	"internal/clients/x/transport.go signingClient": "the client created from it follows none; internal/clients/x: TestRedirectsAreNotFollowed",
}

// Proves: V15.3.2
func TestClientsFollowNoRedirects(t *testing.T) {
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

// worded are the methods whose first argument is part of a statement.
var worded = []string{
	"Where", "Or", "Not", "Having", "Order", "Group", "Select", "Omit", "Joins", "Table", "Pluck", "Distinct", "Raw", "Exec", "Expr",
	"ExecContext", "QueryContext", "QueryRowContext", "Prepare", "PrepareContext", "InnerJoins",
}

// passing are the store's own functions that put one of their arguments into a statement.
var passing = map[string]int{"ensureRow": 2, "readPage": 1, "upsert": 0}

// elsewhere are packages that have functions of these names and build no statement.
var elsewhere = map[string]bool{"cmp": true, "errors": true}

// putTogether are the places that assemble a statement, and what they assemble it from.
var putTogether = map[string]string{
	"internal/store/accounts.go oneAccount":            "its two callers give a constant",
	"internal/store/screenshots.go NoteBrowser":        "two constant lists of columns",
	"internal/store/checkouts.go Checkouts":            "two constant orders",
	"internal/store/deletions_erase.go do":             "a loop over the constants of its callers",
	"internal/store/deletions.go rows":                 "every caller gives constants",
	"internal/store/deletions_erase.go eraseEmails":    "two constants",
	"internal/store/deletions_erase.go eraseNames":     "a constant list of tables",
	"internal/store/diagnoses.go oneDiagnosis":         "its two callers give a constant",
	"internal/store/chaos.go firstDuring":              "its two callers give constants",
	"internal/store/dump.go writeRows":                 "table and column names from the database itself, quoted",
	"internal/store/dump.go tablesOf":                  "a constant for each database",
	"internal/store/experiments_list.go Experiments":   "a constant list of orders; the API rejects others",
	"internal/store/stats.go waitingOf":                "every caller names a column",
	"internal/store/load.go alterKeys":                 "names of tables and keys from the database itself, quoted",
	"internal/store/load.go hold":                      "table names from the database itself, quoted",
	"internal/store/load.go insertAll":                 "a table name from the database itself",
	"internal/store/load.go run":                       "table names from the database itself, quoted",
	"internal/store/posts_list.go merged":              "three constant orders and constant parts",
	"internal/store/posts_list.go page":                "three constant orders",
	"internal/store/providerkeys.go oneKeys":           "its callers give constants",
	"internal/store/pgretry/connector.go ExecContext":  "passes its argument on",
	"internal/store/pgretry/connector.go QueryContext": "passes its argument on",
	"internal/store/testdb/testdb.go Copy":             "for tests only: the name of a database, which it has just created",
	"internal/store/testdb/testdb.go create":           "for tests only: names of databases that it invents",
	"internal/store/tx.go ensureRow":                   "its callers give constants",
	"internal/store/tx.go readPage":                    "its callers give constants",
	"internal/store/experiments.go countVotes":         "a constant with one of two column names",
	"internal/store/experiments_list.go listed":        "a constant with one of two column names",
	"internal/store/retention.go deleteOld":            "a constant list of tables, keys and expiry columns",
}

// Proves: V1.2.4
func TestStatementsAreConstants(t *testing.T) {
	t.Parallel()
	all := sourcesOf(t, "internal/store")
	known := constants(all)
	var found []string
	for _, s := range all {
		s.calls(func(place string, method *ast.SelectorExpr, args []ast.Expr) {
			if !slices.Contains(worded, method.Sel.Name) || elsewhere[nameOf(method.X)] {
				return
			}
			for _, argument := range wording(method.Sel.Name, args) {
				if !constant(argument, known) {
					found = append(found, place)
				}
			}
		})
		s.inside(func(place string, node ast.Node) {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return
			}
			function := call.Fun
			if generic, ok := function.(*ast.IndexExpr); ok {
				function = generic.X
			}
			if n, ok := passing[nameOf(function)]; ok && !constant(call.Args[n], known) {
				found = append(found, place)
			}
		})
	}
	excused(t, found, putTogether)
}

// wording gives the arguments that are part of the statement. Some methods take a context first.
func wording(method string, args []ast.Expr) []ast.Expr {
	if strings.HasSuffix(method, "Context") && len(args) > 0 {
		args = args[1:]
	}
	if len(args) == 0 {
		return nil
	}
	return args[:1]
}

// constants gives the names of the package's constants.
func constants(all []source) map[string]bool {
	known := map[string]bool{}
	for _, s := range all {
		ast.Inspect(s.tree, func(node ast.Node) bool {
			if group, ok := node.(*ast.GenDecl); ok && group.Tok == token.CONST {
				for _, spec := range group.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						known[name.Name] = true
					}
				}
			}
			return true
		})
	}
	return known
}

func constant(e ast.Expr, known map[string]bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.ParenExpr:
		return constant(e.X, known)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && constant(e.X, known) && constant(e.Y, known)
	case *ast.Ident:
		return known[e.Name]
	case *ast.CallExpr: // the day of a column, or a conversion of a constant
		return slices.Contains([]string{"s.day", "string"}, nameOf(e.Fun)) && constant(e.Args[0], known)
	case *ast.UnaryExpr: // a struct whose fields are the conditions
		_, row := e.X.(*ast.CompositeLit)
		return e.Op == token.AND && row
	case *ast.CompositeLit:
		return nameOf(e.Type) == "clause.Expr" && slices.ContainsFunc(e.Elts, func(field ast.Expr) bool {
			pair, ok := field.(*ast.KeyValueExpr)
			return ok && nameOf(pair.Key) == "SQL" && constant(pair.Value, known)
		})
	}
	return false
}

// losing are the methods that skip false, zero or null values, or read before they write.
var losing = []string{"First", "Last", "FirstOrCreate", "FirstOrInit", "Save", "Assign", "Attrs"}

// TestChangesNameTheirColumns finds rows that are written without naming their columns: GORM skips columns that are false,
// zero or null.
// Proves: S-zero-values
func TestChangesNameTheirColumns(t *testing.T) {
	t.Parallel()
	var found []string
	for _, s := range sourcesOf(t, "internal/store") {
		s.calls(func(place string, method *ast.SelectorExpr, args []ast.Expr) {
			if slices.Contains(losing, method.Sel.Name) || method.Sel.Name == "Updates" && !selected(method.X) && !isMap(args[0]) {
				found = append(found, place)
			}
		})
	}
	excused(t, found, map[string]string{
		"internal/store/diagnoses.go MoveDiagnosis": "a map of columns",
		"internal/store/retention.go Tidy":          "a map of columns",
		"internal/store/checkouts.go forgetVisitor": "a map of columns",
	})
}

// selected reports whether an earlier call of the chain names the columns.
func selected(chain ast.Expr) bool {
	call, ok := chain.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (method.Sel.Name == "Select" || selected(method.X))
}

func isMap(e ast.Expr) bool {
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	_, ok = literal.Type.(*ast.MapType)
	return ok
}

// patterns are the forms of secrets that could be committed by mistake.
var patterns = map[string]*regexp.Regexp{
	"a Stripe key":        regexp.MustCompile(`\b[sr]k_(live|test)_[0-9A-Za-z]{20,}`),
	"a webhook secret":    regexp.MustCompile(`\bwhsec_[0-9A-Za-z+/]{32,}`),
	"a private key":       regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY`),
	"a keyring key":       regexp.MustCompile(`\bk[0-9]+:[0-9A-Za-z+/_-]{43}=?`),
	"an OpenAI key":       regexp.MustCompile(`\bsk-(proj-)?[0-9A-Za-z_-]{32,}`),
	"a GitHub token":      regexp.MustCompile(`\b(gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{60,})`),
	"an AWS key":          regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`),
	"an X access token":   regexp.MustCompile(`\b[0-9]{8,20}-[0-9A-Za-z]{40}\b`),
	"a password in a URL": regexp.MustCompile(`\b(postgres|postgresql|smtp|smtps|https?)://[^\s:/@$<{"'` + "`" + `]+:[^\s/@$<{"'` + "`" + `]{12,}@`),
	"an npm token":        regexp.MustCompile(`\bnpm_[0-9A-Za-z]{36}\b|_authToken=[0-9A-Za-z]`),
	"a session token":     regexp.MustCompile(`\b(session|Bearer)[= ][0-9A-Za-z_-]{43}\b`),
}

// madeUp are the prefixes of texts that look like a secret and are none.
var madeUp = []string{
	"k1:AAECAwQF",     // the bytes 0, 1, 2 …
	"http://canary",   // a canary
	"sk_test_canary",  // a canary
	"sk_test_sandbox", // of the sandbox
	"whsec_sandbox",   // of the sandbox
	"sk_test_crash",   // of a crash test
	"370773112-Gm",    // the example in X's documentation
}

// Proves: V13.3.1
func TestTrackedFilesContainNoSecrets(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	names, err := list.Output()
	require.NoError(t, err)
	var read atomic.Int32
	var reading errgroup.Group
	reading.SetLimit(runtime.GOMAXPROCS(0))
	for name := range strings.SplitSeq(strings.TrimRight(string(names), "\x00"), "\x00") {
		reading.Go(func() error {
			text, err := os.ReadFile(filepath.Join(root, name))
			if err == nil && !isBinary(text) { // it may have been removed just now, or be an image
				read.Add(1)
				search(t, name, string(text))
			}
			return nil
		})
	}
	require.NoError(t, reading.Wait())
	require.Greater(t, int(read.Load()), 500)
}

func search(t *testing.T, name, text string) {
	for what, pattern := range patterns {
		for _, line := range pattern.FindAllString(text, -1) {
			if !knownAsMadeUp(line) {
				t.Errorf("%s seems to contain %s: %s…", name, what, line[:12])
			}
		}
	}
}

func isBinary(text []byte) bool { return strings.ContainsRune(string(text[:min(len(text), 8000)]), 0) }

func knownAsMadeUp(line string) bool {
	return slices.ContainsFunc(madeUp, func(beginning string) bool { return strings.HasPrefix(line, beginning) })
}
