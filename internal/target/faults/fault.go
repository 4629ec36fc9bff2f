// Package faults implements the ways to break a chaos target, one file each. Only the supervisor injects
// them; other packages read their descriptions.
//
// A fault causes real damage and only uses its Target: no paths, no process IDs. To add one, write its file
// and list it in single.
package faults

import (
	"context"
	"os"
	"strings"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// Fault can break and repair one thing.
type Fault interface {
	Describe() chaos.Fault
	// Check returns why the fault cannot be injected now, as a problem with a readable sentence: its object
	// must exist, be intact, and be no link.
	Check(ctx context.Context, target *Target) error
	// Inject breaks it. It can be repeated after an interruption.
	Inject(ctx context.Context, target *Target) error
	// Revert repairs only what is broken. It is safe to repeat, after an interrupted Inject, and if nothing
	// is broken.
	Revert(ctx context.Context, target *Target) error
}

// All returns all faults in the order of the buttons.
func All() []Fault {
	return append(single(), nuclearOption{})
}

// single returns the faults of one thing; the nuclear option injects all of them.
func single() []Fault {
	return []Fault{
		deleteOGImage{},
		corruptWorker{},
		breakDatabase{},
		deleteTemplates{},
		crashAPI{},
	}
}

// Named returns the fault with this name.
func Named(name string) (Fault, bool) {
	for _, one := range All() {
		if one.Describe().Name == name {
			return one, true
		}
	}
	return nil, false
}

// Descriptions returns the descriptions of all faults in the order of the buttons.
func Descriptions() []chaos.Fault {
	var all []chaos.Fault
	for _, one := range All() {
		all = append(all, one.Describe())
	}
	return all
}

func refuse(format string, args ...any) error {
	return problem.New(problem.TargetRefused, format, args...)
}

// Target is what a fault may change of a chaos target.
type Target struct {
	Live     *os.Root // folder of the critical files
	Files    Files
	Database Database
	Process  Process
}

// Files checks and restores the critical files.
type Files interface {
	// Differing returns the names of files that differ from the manifest or are links.
	Differing(names ...string) []string
	// Restore restores files that differ from the golden copy.
	Restore(ctx context.Context, names ...string) error
}

// Database is the replica's database.
type Database interface {
	// Sound returns what is wrong with the file, as a readable sentence, or nil.
	Sound(ctx context.Context) error
	// Damage calls damage for each existing file: the pages, the log, and the index of the log. It refuses
	// links.
	Damage(ctx context.Context, damage func(file *os.File) error) error
	// Restore restores the last good snapshot and restarts the replica.
	Restore(ctx context.Context) error
}

// Process is the replica's process.
type Process interface {
	Alive() bool
	// Kill sends SIGKILL and returns when the process has ended.
	Kill() error
	// Restart restarts the replica and returns when it responds.
	Restart(ctx context.Context) error
}

// intact refuses a fault whose files already differ.
func intact(target *Target, names ...string) error {
	if broken := target.Files.Differing(names...); len(broken) > 0 {
		return refuse("This fault cannot be injected now: %s differs from the manifest.", broken[0])
	}
	return nil
}

// templates returns the critical files in the templates folder.
func templates() []string {
	var names []string
	for _, name := range target.Files() {
		if strings.HasPrefix(name, templatesFolder+"/") {
			names = append(names, name)
		}
	}
	return names
}
