package faults

import (
	"context"
	"os"
)

// Target is all that a fault may touch of a cell.
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
	// Sound says what is wrong with its file, as a sentence.
	Sound(ctx context.Context) error
	// Damage hands over each of its files that exists: the pages, the log, the index of the log.
	// A link is refused.
	Damage(ctx context.Context, damage func(file *os.File) error) error
	// Restore puts the last good snapshot in its place, and starts the replica anew.
	Restore(ctx context.Context) error
}

// Process is the replica's.
type Process interface {
	Alive() bool
	// Kill sends SIGKILL and returns when the process is gone.
	Kill() error
	// Restart starts the replica anew and returns when it answers.
	Restart(ctx context.Context) error
}
