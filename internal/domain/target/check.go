package target

import "math/bits"

// Check is one thing that a probe looks at.
type Check string

// The checks beside those of the files.
const (
	CheckKeeper   Check = "keeper"   // the parent process answers
	CheckProcess  Check = "process"  // the replica's process lives
	CheckDatabase Check = "database" // its file passes SQLite's integrity check
	CheckWorker   Check = "worker"   // its worker loop beat within HeartbeatFresh
	CheckHome     Check = "page:/"
	CheckPosts    Check = "page:/posts"
	CheckOGImage  Check = "page:/og-image.png"
	CheckAPI      Check = "api:/api/bot-status"
)

// FileCheck is whether a critical file is what the manifest says.
func FileCheck(name string) Check { return Check("file:" + name) }

// checks are all of them. Their places are stored: add at the end, never move one.
var checks = func() []Check {
	var all []Check
	for _, name := range Files() {
		all = append(all, FileCheck(name))
	}
	return append(all, CheckKeeper, CheckProcess, CheckDatabase, CheckWorker, CheckHome, CheckPosts, CheckOGImage, CheckAPI)
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
