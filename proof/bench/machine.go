package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

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
