package evidence

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// sources are what the tests of a package are found in.
type sources struct {
	functions map[string]bool
	names     map[string]bool // every string in them: subtests are named by strings
	pages     string          // the file, for a test of the pages
}

func readSources(root string, p Proof) (sources, error) {
	path := filepath.Join(root, filepath.FromSlash(p.Package))
	if !p.Runs() {
		file, err := os.ReadFile(path)
		return sources{pages: string(file)}, err
	}
	// Tests that run on both databases take these names from elsewhere.
	s := sources{functions: map[string]bool{}, names: map[string]bool{"sqlite": true, "postgres": true}}
	files, err := filepath.Glob(filepath.Join(path, "*_test.go"))
	if err != nil {
		return s, err
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return s, err
		}
		ast.Inspect(file, s.take)
	}
	return s, nil
}

var isTest = regexp.MustCompile(`^(Test|Fuzz)([^a-z]|$)`)

func (s sources) take(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.FuncDecl:
		if n.Recv == nil && isTest.MatchString(n.Name.Name) {
			s.functions[n.Name.Name] = true
		}
	case *ast.BasicLit:
		if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil {
			s.names[asName(text)] = true
		}
	}
	return true
}

func (s sources) have(p Proof) bool {
	if !p.Runs() {
		return p.Test != "" && quoted(s.pages, p.Test)
	}
	function, rest, isSubtest := strings.Cut(p.Test, "/")
	return s.functions[function] && (!isSubtest || s.haveName(asName(rest)))
}

// haveName says whether strings of the tests, joined by slashes, make that name of a subtest.
func (s sources) haveName(name string) bool {
	if s.names[name] {
		return true
	}
	for i, c := range name {
		if c == '/' && s.names[name[:i]] && s.haveName(name[i+1:]) {
			return true
		}
	}
	return false
}

// asName writes the name of a subtest as go test does.
func asName(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, text)
}

func quoted(file, title string) bool {
	for _, quote := range []string{"'", `"`, "`"} {
		if strings.Contains(file, quote+title+quote) {
			return true
		}
	}
	return false
}
