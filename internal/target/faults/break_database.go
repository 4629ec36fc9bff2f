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

// Inject also damages the log and its index: a process with the database open reads pages from the log, and
// caches them until the index changes.
func (breakDatabase) Inject(ctx context.Context, target *Target) error {
	return target.Database.Damage(ctx, fillWithNoise)
}

// fillWithNoise keeps the file's size: a process that maps a truncated file would crash.
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
