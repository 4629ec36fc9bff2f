package main

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/prometheus/procfs"

	"customerzero/proof/machine"
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

// plot is a bar for every figure that has a target: how often better it is than it has to be.
type plot struct {
	Height int
	Line   float64 // where a target is just met
	Marks  []mark
	Rows   []bar
}

type mark struct {
	X    float64
	Text string
}

type bar struct {
	Y          int
	Name, Says string
	X, Width   float64
	Met        bool
}

// The plot is drawn for a narrow page, and grows with a wide one. Its scale doubles from mark to
// mark: half as good as it has to be is as far from the line as twice as good.
const (
	plotWidth  = 400.0
	plotMargin = 8.0
	rowHeight  = 52
	plotTop    = 34
	farthest   = 3.0 // doublings to each side; bars that would be longer end there
)

func plotOf(figures []figure) plot {
	p := plot{Line: placeOf(1)}
	for doublings := -int(farthest) + 1; doublings < int(farthest); doublings++ {
		times := math.Exp2(float64(doublings))
		p.Marks = append(p.Marks, mark{placeOf(times), fmt.Sprintf("%g×", times)})
	}
	for _, f := range figures {
		if f.Target == (target{}) {
			continue
		}
		end := placeOf(f.margin())
		says := f.RatioText()
		if says == "" {
			says = f.OursText()
		}
		p.Rows = append(p.Rows, bar{
			Y: plotTop + rowHeight*len(p.Rows), Name: nameOf(f), Says: fmt.Sprintf("%s (%s)", says, f.TargetText()),
			X: math.Min(end, p.Line), Width: math.Max(1, math.Abs(end-p.Line)), Met: f.met(),
		})
	}
	p.Height = plotTop + rowHeight*len(p.Rows) + int(plotMargin)
	return p
}

// margin is how often better a figure is than it has to be; 1: just good enough.
func (f figure) margin() float64 {
	if f.Target.Least {
		return f.held() / f.Target.At
	}
	return f.Target.At / f.held()
}

// placeOf is where so many times as good as wanted stands.
func placeOf(times float64) float64 {
	doublings := math.Max(-farthest, math.Min(farthest, math.Log2(times)))
	if math.IsNaN(doublings) {
		doublings = -farthest
	}
	share := (doublings + farthest) / (2 * farthest)
	return math.Round(10*(plotMargin+share*(plotWidth-2*plotMargin))) / 10
}

// longestName is what fits into a plot of this width.
const longestName = 66

func nameOf(f figure) string {
	name := []rune(f.Subject + ": " + f.What)
	if len(name) > longestName {
		return string(name[:longestName-1]) + "…"
	}
	return string(name)
}

// run is where and when figures were measured.
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
