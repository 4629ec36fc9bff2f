package faults

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"

	"customerzero/internal/domain/chaos"
)

type breakDatabase struct{}

func (breakDatabase) Describe() chaos.Fault {
	return chaos.Fault{
		Name: "break-database", Title: "Break the database",
		About:   "Overwrites the database file of the chaos target with noise, so that nothing in it can be read.",
		Promise: chaos.SlowPromise, Weight: 3,
	}
}

func (breakDatabase) Check(ctx context.Context, target *Target) error {
	return target.Database.Sound(ctx)
}

// Inject damages the log and its index as well: a process that has the database open reads
// pages from the log, and from its memory for as long as the index has not changed.
func (breakDatabase) Inject(ctx context.Context, target *Target) error {
	return target.Database.Damage(ctx, fillWithNoise)
}

// fillWithNoise keeps the size: a process that has mapped the file would die of a shorter one.
func fillWithNoise(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	_, err = io.CopyN(io.NewOffsetWriter(file, 0), rand.Reader, info.Size())
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (breakDatabase) Revert(ctx context.Context, target *Target) error {
	if target.Database.Sound(ctx) == nil {
		return nil
	}
	return target.Database.Restore(ctx)
}
