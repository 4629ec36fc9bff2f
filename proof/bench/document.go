package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"text/template"
	"time"
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

// run is where, when and of what figures were measured.
type run struct {
	Began     time.Time
	Took      time.Duration
	Cores     int
	Processor string
	Memory    string
	Kernel    string
	Go        string
	Commit    string
	Load      string // of the machine, before we began
	Postgres  bool
}

func describeRun() run {
	memory := lineOf("/proc/meminfo", "MemTotal:")
	var kB float64
	_, _ = fmt.Sscan(memory, &kB)
	load, _, _ := strings.Cut(textOf("/proc/loadavg"), " ")
	processor := lineOf("/proc/cpuinfo", "model name")
	return run{
		Began: time.Now().UTC(), Cores: runtime.NumCPU(), Processor: strings.TrimLeft(processor, " \t:"), Memory: fmt.Sprintf("%.0f GB", kB/1024/1024),
		Kernel: "Linux " + textOf("/proc/sys/kernel/osrelease"), Go: runtime.Version(), Commit: commit(), Load: load,
		Postgres: os.Getenv("TEST_DATABASE_URL") != "",
	}
}

func textOf(file string) string {
	text, _ := os.ReadFile(filepath.Clean(file))
	return strings.TrimSpace(string(text))
}

// lineOf is what the first line of a name says; empty: there is none.
func lineOf(file, name string) string {
	for line := range strings.Lines(textOf(file)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// commit is what the compiler noted: which sources this program was built of.
func commit() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	named := map[string]string{}
	for _, setting := range build.Settings {
		named[setting.Key] = setting.Value
	}
	name := named["vcs.revision"]
	if name == "" {
		return "unknown"
	}
	name = name[:min(len(name), 12)]
	if named["vcs.modified"] == "true" {
		name += " and changes that are not committed"
	}
	return name
}
