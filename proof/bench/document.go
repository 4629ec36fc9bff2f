package main

import (
	"context"
	_ "embed"
	"os"
	"strings"
	"text/template"
	"time"

	"github.com/prometheus/procfs"

	"customerzero/proof/machine"
)

//go:embed document.md.tmpl
var documentText string

// document returns the content of docs/benchmarks.md: the tables and the causes of missed targets.
func document(about run, figures []figure) (string, error) {
	d := struct {
		Run    run
		Tables []subject
		Missed []figure
		Held   int // number of figures with a target
	}{Run: about, Tables: bySubject(figures), Missed: missed(figures)}
	for _, f := range figures {
		if f.Target != (target{}) {
			d.Held++
		}
	}
	var page strings.Builder
	err := template.Must(template.New("document").Parse(documentText)).Execute(&page, d)
	return page.String(), err
}

type run struct {
	Began    time.Time
	Took     time.Duration
	Machine  string
	Load     float64 // of the machine, before the run
	Postgres bool
}

func describeRun(ctx context.Context) run {
	r := run{Began: time.Now().UTC(), Machine: machine.Describe(ctx), Postgres: os.Getenv("TEST_DATABASE_URL") != ""}
	if system, err := procfs.NewDefaultFS(); err == nil {
		if load, err := system.LoadAvg(); err == nil {
			r.Load = load.Load1
		}
	}
	return r
}
