// Package faults holds the ways to break a chaos target, one file each. They are for the supervisor, which
// carries them out; everybody else only reads their descriptions.
//
// A fault breaks for real, and touches nothing but its Target: no paths, no process IDs. To add
// one, write its file and name it in All.
package faults

import (
	"context"
	"os"
	"strings"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// Fault breaks one thing and can repair it.
type Fault interface {
	Describe() chaos.Fault
	// Check returns why it cannot be broken now: it must be there, whole, and no link. Its problem
	// is a sentence for people.
	Check(ctx context.Context, target *Target) error
	// Inject breaks it. It may be called again after it was cut short.
	Inject(ctx context.Context, target *Target) error
	// Revert repairs what is broken, and nothing else. It is safe to repeat, and safe when
	// nothing was broken: it also runs when Inject was interrupted.
	Revert(ctx context.Context, target *Target) error
}

// All are the faults, in the order of the buttons.
func All() []Fault {
	return append(single(), nuclearOption{})
}

// single are those that break one thing; the nuclear option is all of them.
func single() []Fault {
	return []Fault{
		deleteOGImage{},
		corruptWorker{},
		breakDatabase{},
		deleteTemplates{},
		crashAPI{},
	}
}

// Named is the fault that callers ask for by this name.
func Named(name string) (Fault, bool) {
	for _, one := range All() {
		if one.Describe().Name == name {
			return one, true
		}
	}
	return nil, false
}

// Descriptions describe all faults, in the order of the buttons.
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

// Target is all that a fault may touch of a chaos target.
type Target struct {
	Live     *os.Root // of the critical files; nothing outside can be reached through it
	Files    Files
	Database Database
	Process  Process
}

// Files are the critical files.
type Files interface {
	// Differing are those of the names that are not what the manifest says. Links differ.
	Differing(names ...string) []string
	// Restore brings those of the names that differ back from the golden copy.
	Restore(ctx context.Context, names ...string) error
}

// Database is the replica's.
type Database interface {
	// Sound describes what is wrong with its file, as a sentence.
	Sound(ctx context.Context) error
	// Damage hands over each of its files that exists: the pages, the log, the index of the log.
	// A link is refused.
	Damage(ctx context.Context, damage func(file *os.File) error) error
	// Restore puts the last good snapshot in its place, and restarts the replica.
	Restore(ctx context.Context) error
}

// Process is the replica's.
type Process interface {
	Alive() bool
	// Kill sends SIGKILL and returns when the process is gone.
	Kill() error
	// Restart restarts the replica and returns when it answers.
	Restart(ctx context.Context) error
}

// intact describes which of the files cannot be broken, because they are broken already.
func intact(target *Target, names ...string) error {
	if broken := target.Files.Differing(names...); len(broken) > 0 {
		return refuse("It cannot be broken now: %s is not what the manifest says.", broken[0])
	}
	return nil
}

// templates are the critical files in the templates folder.
func templates() []string {
	var names []string
	for _, name := range target.Files() {
		if strings.HasPrefix(name, templatesFolder+"/") {
			names = append(names, name)
		}
	}
	return names
}
