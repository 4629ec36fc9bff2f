package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

const (
	faultsDoc   = "docs/faults.md"
	securityDoc = "docs/security.md"
	// lastRun begins the only part of the documents that a run measures.
	lastRun = "## Last run\n"
)

// writeDocuments writes both documents of the repository in the working directory. Without measurements it keeps those of
// the last run.
func (c *catalog) writeDocuments(measured string) error {
	faults, security, err := c.documents(".")
	if err != nil {
		return err
	}
	if measured == "" {
		kept, err := os.ReadFile(faultsDoc)
		if err != nil {
			return err
		}
		_, measured, _ = strings.Cut(string(kept), lastRun)
	}
	if err := os.WriteFile(faultsDoc, []byte(faults+lastRun+measured), 0o600); err != nil { //nolint:gosec // the path is a constant
		return err
	}
	return os.WriteFile(securityDoc, []byte(security), 0o600)
}

// documents gives docs/faults.md up to its last run, and docs/security.md.
func (c *catalog) documents(root string) (faults, security string, err error) {
	if faults, err = c.render(filepath.Join(root, "proof/faults/faults.md.tmpl")); err != nil {
		return "", "", err
	}
	security, err = c.render(filepath.Join(root, "proof/security/security.md.tmpl"))
	return faults, security, err
}

func (c *catalog) render(path string) (string, error) {
	functions := template.FuncMap{"join": strings.Join, "tests": listTests, "only": only}
	text, err := template.New(filepath.Base(path)).Funcs(functions).ParseFiles(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = text.Execute(&b, c)
	return b.String(), err
}

// only gives the tests of a mode, or the browser tests.
func only(wanted string, tests []proof) []proof {
	return slices.DeleteFunc(slices.Clone(tests), func(p proof) bool {
		if !p.runs() {
			return wanted != "browser"
		}
		return wanted != string(p.mode)
	})
}

// listTests names tests, those of one package together.
func listTests(tests []proof) string {
	var packages []string
	for i, p := range tests {
		if i > 0 && p.Package == tests[i-1].Package {
			packages[len(packages)-1] += ", " + p.Test
		} else {
			packages = append(packages, "`"+p.Package+"`: "+p.Test)
		}
	}
	return strings.Join(packages, "; ")
}
