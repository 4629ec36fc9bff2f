package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// catalog is all that the tests have to prove: the fault matrix and the security checklist, each entry with its tests.
type catalog struct {
	Invariants []struct{ ID, Holds string }
	Scenarios  []*scenario
	Topics     []struct {
		Topic        string
		Requirements []*requirement
	} `yaml:"-"`
}

type scenario struct {
	ID    string
	Fault string   // what is done to the product
	Holds string   // what must hold
	Keeps []string // IDs of the invariants that it is checked against
	How   string   // how the tests do it
	Tests []proof  `yaml:"-"`
}

type requirement struct {
	ID, Also string // Also is a second number of the standard that the entry covers
	Requires string
	Does     string
	Differs  string  // where and why the product deviates; empty if it does not
	Tests    []proof `yaml:"-"`
}

// load reads both lists and the tags of all tests below root. Its error names everything that does not fit.
func load(root string) (*catalog, error) {
	c := &catalog{}
	if err := errors.Join(
		readYAML(filepath.Join(root, "proof/faults/scenarios.yaml"), c),
		readYAML(filepath.Join(root, "proof/security/checklist.yaml"), &c.Topics),
	); err != nil {
		return nil, err
	}
	tags, err := findTags(root)
	return c, errors.Join(err, c.assign(tags), c.check())
}

func readYAML(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// assign gives every entry the tests that name it.
func (c *catalog) assign(tags []tag) error {
	tests := map[string]*[]proof{}
	for _, s := range c.Scenarios {
		tests[s.ID] = &s.Tests
	}
	for _, topic := range c.Topics {
		for _, r := range topic.Requirements {
			tests[r.ID] = &r.Tests
		}
	}
	var problems []error
	for _, tag := range tags {
		of, known := tests[tag.id]
		switch {
		case !known:
			problems = append(problems, fmt.Errorf("%s proves %s, which does not exist", tag.proof, tag.id))
		case slices.Contains(*of, tag.proof):
			problems = append(problems, fmt.Errorf("%s names %s twice", tag.proof, tag.id))
		default:
			*of = append(*of, tag.proof)
		}
	}
	return errors.Join(problems...)
}

// check reports entries that are incomplete or have no test.
func (c *catalog) check() error {
	var problems []error
	seen := map[string]bool{}
	hold := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf(format, args...))
		}
	}
	entry := func(id string, tests []proof, texts ...string) {
		hold(!seen[id], "two entries have the ID %s", id)
		seen[id] = true
		hold(!slices.Contains(texts, ""), "%s is incomplete", id)
		hold(!strings.Contains(strings.Join(texts, ""), "|"), "%s contains a |, which would break its table", id)
		hold(len(tests) > 0, "%s has no test", id)
	}
	kept := map[string]bool{}
	for _, s := range c.Scenarios {
		entry(s.ID, s.Tests, s.Fault, s.Holds, s.How)
		hold(len(s.Keeps) > 0, "%s keeps no invariant", s.ID)
		hold(len(s.Tests) == 0 || slices.ContainsFunc(s.Tests, proof.runs), "%s has browser tests only, which this program does not run", s.ID)
		for _, id := range s.Keeps {
			kept[id] = true
		}
	}
	for _, i := range c.Invariants {
		hold(kept[i.ID], "no scenario keeps %s", i.ID)
		hold(i.Holds != "", "%s is incomplete", i.ID)
		delete(kept, i.ID)
	}
	hold(len(kept) == 0, "no such invariants: %v", kept)
	for _, topic := range c.Topics {
		for _, r := range topic.Requirements {
			entry(r.ID, r.Tests, r.Requires, r.Does)
		}
	}
	return errors.Join(problems...)
}

// mode is how often this program runs a test: once, with every seed, or, of the tests of a package that are marked
// "in turn", one with each seed.
type mode string

const (
	once   mode = ""
	seeded mode = "seeded"
	inTurn mode = "in turn"
)

type proof struct {
	// Package is the folder below the repository's root, such as "internal/store"; for a browser test it is the file.
	Package string
	// Test is "TestVotes" or "TestVotes/sqlite"; for a browser test it is the title.
	Test string
	mode mode
}

func (p proof) String() string {
	if p.runs() {
		return p.Package + "." + p.Test
	}
	return p.Package + ": " + p.Test
}

// runs reports whether go test runs it. Browser tests run in make test alone.
func (p proof) runs() bool { return !strings.HasPrefix(path.Ext(p.Package), ".ts") }

// pattern is what go test -run takes to run it alone.
func (p proof) pattern() string {
	parts := strings.Split(p.Test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

type tag struct {
	id string
	proof
}

var (
	tagged   = regexp.MustCompile(`(?m)^\s*(?://)?\s*(Proves:.*)$`)
	tagLine  = regexp.MustCompile(`^Proves: ([\w.-]+(?:, [\w.-]+)*)(?: (seeded|in turn))?(?:: (.+))?$`)
	isTest   = regexp.MustCompile(`^(Test|Fuzz)([^a-z]|$)`)
	pageTest = regexp.MustCompile(`^\s*(?:test|it)\((?:'(.+?)'|"(.+?)"|` + "`(.+?)`)")
)

// findTags reads the tags of all tests below root, ordered by package and name.
func findTags(root string) (tags []tag, err error) {
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if slices.Contains([]string{"node_modules", "testdata", "bin", "dist"}, name) || strings.HasPrefix(name, ".") && file != root {
				return fs.SkipDir
			}
			return nil
		}
		below, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		var found []tag
		switch {
		case strings.HasSuffix(name, "_test.go"):
			found, err = goTags(file, filepath.ToSlash(filepath.Dir(below)))
		case strings.HasSuffix(name, ".e2e.ts"), strings.HasSuffix(name, ".test.ts"), strings.HasSuffix(name, ".test.tsx"):
			found, err = pageTags(file, filepath.ToSlash(below))
		}
		tags = append(tags, found...)
		return err
	})
	slices.SortFunc(tags, func(a, b tag) int { return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Test, b.Test)) })
	return tags, err
}

// goTags reads the doc comments of the tests of a file. A tag anywhere else would prove nothing, so it is an error.
func goTags(file, folder string) (tags []tag, err error) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	known := map[*ast.CommentGroup]bool{}
	for _, decl := range tree.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !isTest.MatchString(f.Name.Name) {
			continue
		}
		known[f.Doc] = true
		found, err := readTags(f.Doc.Text(), proof{Package: folder, Test: f.Name.Name})
		if err != nil {
			return nil, err
		}
		tags = append(tags, found...)
	}
	for _, comment := range tree.Comments {
		if !known[comment] && tagged.MatchString(comment.Text()) {
			return nil, fmt.Errorf("%s: %q is not in the doc comment of a test", file, tagged.FindStringSubmatch(comment.Text())[1])
		}
	}
	return tags, nil
}

// pageTags reads the comment lines directly above the tests of a TypeScript file.
func pageTags(file, below string) (tags []tag, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var comments []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "//") {
			comments = append(comments, strings.TrimPrefix(strings.TrimSpace(line), "//"))
			continue
		}
		if comment := strings.Join(comments, "\n"); tagged.MatchString(comment) {
			title := pageTest.FindStringSubmatch(line)
			if title == nil {
				return nil, fmt.Errorf("%s: %q is not directly above a test", below, comment)
			}
			found, err := readTags(comment, proof{Package: below, Test: strings.Join(title[1:], "")})
			if err != nil {
				return nil, err
			}
			tags = append(tags, found...)
		}
		comments = nil
	}
	return tags, nil
}

// readTags reads lines such as "Proves: F7, V1.2.4" or "Proves: F1 in turn: sqlite postgres"; the latter names subtests.
func readTags(comment string, of proof) (tags []tag, err error) {
	for _, line := range tagged.FindAllStringSubmatch(comment, -1) {
		parts := tagLine.FindStringSubmatch(strings.TrimSpace(line[1]))
		if parts == nil {
			return nil, fmt.Errorf("%s: %q does not have the form \"Proves: F7, F12 seeded\"", of, line[1])
		}
		for id := range strings.SplitSeq(parts[1], ", ") {
			p := of
			p.mode = mode(parts[2])
			if !p.runs() && p.mode != once {
				return nil, fmt.Errorf("%s: a browser test runs with no seed", of)
			}
			if parts[3] == "" {
				tags = append(tags, tag{id, p})
			}
			for subtest := range strings.FieldsSeq(parts[3]) {
				p.Test = of.Test + "/" + subtest
				tags = append(tags, tag{id, p})
			}
		}
	}
	return tags, nil
}
