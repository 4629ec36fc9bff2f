package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// scenario is one fault and what must hold under it.
type scenario struct {
	ID    string
	Fault string   // what is done to the product
	Holds string   // what must hold
	Keeps []string // IDs of the invariants that it is checked against
	How   string   // how the tests do it
	Tests []proof  `yaml:"-"`
}

// requirement is one entry of the security checklist.
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
