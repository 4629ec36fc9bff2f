// Package target says what a chaos target is: the replica of the product that chaos breaks in public.
// It holds the names of its files and checks, what a probe saw, and the words that its supervisor
// understands. Values only: nothing here reads a file, a clock or the network.
//
// A chaos target is two processes. The supervisor holds the listener, breaks and mends what it is told to,
// and is never broken itself; the replica, its child, serves the pages and can be killed.
package target

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
)

// Check is one thing that a probe looks at.
type Check string

// The checks beside those of the files.
const (
	CheckSupervisor Check = "supervisor" // the parent process answers
	CheckProcess    Check = "process"    // the replica's process lives
	CheckDatabase   Check = "database"   // its file passes SQLite's integrity check
	CheckWorker     Check = "worker"     // its worker loop beat within HeartbeatFresh
	CheckHome       Check = "page:/"
	CheckPosts      Check = "page:/posts"
	CheckOGImage    Check = "page:/og-image.png"
	CheckAPI        Check = "api:/api/bot-status"
)

// FileCheck is whether a critical file is what the manifest says.
func FileCheck(name string) Check { return Check("file:" + name) }

// checks are all of them. Their places are stored: add at the end, never move one.
var checks = func() []Check {
	var all []Check
	for _, name := range Files() {
		all = append(all, FileCheck(name))
	}
	return append(all, CheckSupervisor, CheckProcess, CheckDatabase, CheckWorker, CheckHome, CheckPosts, CheckOGImage, CheckAPI)
}()

// Checks are all checks of a probe, in the order in which they are stored.
func Checks() []Check { return append([]Check(nil), checks...) }

// Failing is a set of checks that failed: bit n is the n-th of Checks.
type Failing uint32

// Failed is the set of these checks.
func Failed(some ...Check) (f Failing) {
	for _, one := range some {
		for i, check := range checks {
			if check == one {
				f |= 1 << i
			}
		}
	}
	return f
}

// Has says whether a check is in the set.
func (f Failing) Has(check Check) bool { return f&Failed(check) != 0 }

// Any says whether something failed.
func (f Failing) Any() bool { return f != 0 }

// Count is how many checks are in the set.
func (f Failing) Count() int { return bits.OnesCount32(uint32(f)) }

// Checks are the members of the set, in the order of Checks.
func (f Failing) Checks() []Check {
	some := []Check{}
	for i, check := range checks {
		if f&(1<<i) != 0 {
			some = append(some, check)
		}
	}
	return some
}

// Files are the names of the critical files in the set.
func (f Failing) Files() []string {
	names := []string{}
	for i, name := range Files() {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// The critical files of a chaos target, by their names under its directory.
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

// Files are the thirteen critical files, in order of their names. Their places in the list are
// stored with probes: add at the end of Checks, never here.
func Files() []string {
	return []string{
		FileSettings, FileFavicon, FileOGImage, FileRobots, FileSecurity, FileManifest, FileStyle,
		FileErrorPage, FileHome, FileLayout, FilePosts, FileStatus, FileRules,
	}
}

// File is one line of the manifest.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // in hex
}

// How often a probe is made, how long it waits for an answer, and how old the worker's last
// beat may be.
const (
	ProbeEvery     = 250 * time.Millisecond
	ProbeTimeout   = time.Second
	HeartbeatFresh = time.Second
)

// Sample is what one probe saw.
type Sample struct {
	At      time.Time
	Took    time.Duration
	Failing Failing
	Process int // the replica's process ID; 0: there is none, or nobody could say
}

// Healthy says whether nothing failed.
func (s Sample) Healthy() bool { return s.Failing == 0 }

// words name the checks beside those of the files for people.
var words = map[Check]string{
	CheckSupervisor: "the supervisor", CheckProcess: "the process", CheckDatabase: "the database", CheckWorker: "the worker",
	CheckHome: "the page /", CheckPosts: "the page /posts", CheckOGImage: "the page /og-image.png", CheckAPI: "the API",
}

// InWords lists what failed for people.
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

// List joins parts of a sentence.
func List(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
