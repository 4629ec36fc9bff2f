package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

var (
	//go:embed document.md.tmpl
	documentText string
	//go:embed plot.svg.tmpl
	plotText string
)

// document is what the pages are made of.
type document struct {
	Run    run
	Plot   string // the picture's file
	Tables []subject
	Missed []explained
	Held   int // how many figures have a target
}

// explained is a missed target and why it is missed.
type explained struct {
	figure
	Cause string
}

// writeDocument writes the tables, with the plot beside them. A target that is missed needs a
// sentence that says why.
func writeDocument(path string, about run, figures []figure) error {
	d := document{Run: about, Tables: bySubject(figures)}
	d.Plot = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".svg"
	for _, f := range missed(figures) {
		cause := causeOf(f)
		if cause == "" {
			return fmt.Errorf("%s: %s: the target %s is missed at %.2f, and causes.go does not say why", f.Subject, f.What, f.TargetText(), f.held())
		}
		d.Missed = append(d.Missed, explained{f, cause})
	}
	bars := plotOf(figures)
	d.Held = len(bars.Rows)
	if err := fill(filepath.Join(filepath.Dir(path), d.Plot), plotText, bars); err != nil {
		return err
	}
	return fill(path, documentText, d)
}

func fill(path, text string, with any) error {
	page, err := template.New(filepath.Base(path)).Parse(text)
	if err != nil {
		return err
	}
	var written strings.Builder
	if err := page.Execute(&written, with); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(written.String()), 0o644)
}
