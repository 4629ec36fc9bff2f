// Package target describes the chaos target, the instance of the product that chaos tests break in
// public: its files and checks, probe results, and the supervisor's API. Values only: no I/O, no clock.
//
// A chaos target is two processes. The supervisor owns the listener, injects and repairs faults, and is
// never broken itself; the instance, its child process, serves the pages and can be killed.
package target

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"time"
)

// Check is one check of a probe.
type Check string

// The checks that are not file checks.
const (
	CheckSupervisor Check = "supervisor" // the supervisor responds
	CheckProcess    Check = "process"    // the instance's process is alive
	CheckDatabase   Check = "database"   // passes SQLite's integrity check
	CheckWorker     Check = "worker"     // heartbeat within HeartbeatFresh
	CheckHome       Check = "page:/"
	CheckPosts      Check = "page:/posts"
	CheckOGImage    Check = "page:/og-image.png"
	CheckAPI        Check = "api:/api/bot-status"
)

// FileCheck is the check that a critical file matches the manifest.
func FileCheck(name string) Check { return Check("file:" + name) }

// checks lists all checks. Their positions are stored: append only, never move one.
var checks = func() []Check {
	var all []Check
	for _, name := range Files() {
		all = append(all, FileCheck(name))
	}
	return append(all, CheckSupervisor, CheckProcess, CheckDatabase, CheckWorker, CheckHome, CheckPosts, CheckOGImage, CheckAPI)
}()

// Checks returns all checks in stored order.
func Checks() []Check { return append([]Check(nil), checks...) }

// Failing is a set of failed checks: bit n is the n-th of Checks.
type Failing uint32

// Failed returns the set of these checks.
func Failed(some ...Check) (f Failing) {
	for _, check := range some {
		if i := slices.Index(checks, check); i >= 0 {
			f |= 1 << i
		}
	}
	return f
}

// Has reports whether a check is in the set.
func (f Failing) Has(check Check) bool { return f&Failed(check) != 0 }

// Any reports whether a check failed.
func (f Failing) Any() bool { return f != 0 }

// Count returns the number of checks in the set.
func (f Failing) Count() int { return bits.OnesCount32(uint32(f)) }

// Checks returns the checks in the set in stored order.
func (f Failing) Checks() []Check {
	some := []Check{}
	for i, check := range checks {
		if f&(1<<i) != 0 {
			some = append(some, check)
		}
	}
	return some
}

// Files returns the names of the critical files in the set.
func (f Failing) Files() []string {
	names := []string{}
	for i, name := range Files() {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// The critical files, relative to the chaos target's directory.
const (
	FileSettings  = "config/target.json"
	FileFavicon   = "public/favicon.svg"
	FileOGImage   = "public/og-image.png"
	FileRobots    = "public/robots.txt"
	FileSecurity  = "public/security.txt"
	FileManifest  = "public/site.webmanifest"
	FileStyle     = "public/style.css"
	FileErrorPage = "templates/error.html"
	FileHome      = "templates/home.html"
	FileLayout    = "templates/layout.html"
	FilePosts     = "templates/posts.html"
	FileStatus    = "templates/status.html"
	FileRules     = "worker/rules.json"
)

// Files returns the 13 critical files in order of their names. Their positions are stored with probes:
// new checks go to the end of Checks, never here.
func Files() []string {
	return []string{
		FileSettings, FileFavicon, FileOGImage, FileRobots, FileSecurity, FileManifest, FileStyle,
		FileErrorPage, FileHome, FileLayout, FilePosts, FileStatus, FileRules,
	}
}

// File is one entry of the manifest.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hex
}

// Probe interval, probe timeout, and the maximum age of the worker's heartbeat.
const (
	ProbeEvery     = 250 * time.Millisecond
	ProbeTimeout   = time.Second
	HeartbeatFresh = time.Second
)

// Sample is the result of one probe.
type Sample struct {
	At      time.Time
	Took    time.Duration
	Failing Failing
	Process int // process ID of the instance; 0: none or unknown
}

// Healthy reports whether no check failed.
func (s Sample) Healthy() bool { return s.Failing == 0 }

// words holds the display names of the checks that are not file checks.
var words = map[Check]string{
	CheckSupervisor: "the supervisor", CheckProcess: "the process", CheckDatabase: "the database", CheckWorker: "the worker",
	CheckHome: "the page /", CheckPosts: "the page /posts", CheckOGImage: "the page /og-image.png", CheckAPI: "the API",
}

// InWords lists the failed checks for people.
func (f Failing) InWords() string {
	var parts []string
	switch files := f.Files(); len(files) {
	case 0:
	case 1:
		parts = append(parts, "the file "+files[0])
	default:
		parts = append(parts, fmt.Sprintf("%d of the %d files", len(files), len(Files())))
	}
	for _, check := range f.Checks() {
		if word, named := words[check]; named {
			parts = append(parts, word)
		}
	}
	return List(parts)
}

// List joins parts as in "a, b and c".
func List(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
