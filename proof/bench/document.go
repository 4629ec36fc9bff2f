package main

import (
	"cmp"
	_ "embed"
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

// unknown stands where nobody has found out yet why a target is missed.
const unknown = "Nobody has looked into it yet."

// writeDocument writes the tables, with the plot beside them, and why targets are missed.
func writeDocument(path string, about run, figures []figure) error {
	d := document{Run: about, Tables: bySubject(figures)}
	d.Plot = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".svg"
	for _, f := range missed(figures) {
		d.Missed = append(d.Missed, explained{f, cmp.Or(causeOf(f), unknown)})
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
