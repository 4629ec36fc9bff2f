package faults

import (
	"context"
	"errors"
	"io/fs"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
)

type deleteOGImage struct{}

func (deleteOGImage) Describe() chaos.Fault {
	return chaos.Fault{
		Name: "delete-og-image", Title: "Delete the preview image",
		About:   "Deletes the image that link previews of this site show, so that its URL returns 404.",
		Promise: chaos.QuickPromise, Weight: 1,
	}
}

func (deleteOGImage) Check(_ context.Context, t *Target) error {
	return intact(t, target.FileOGImage)
}

func (deleteOGImage) Inject(_ context.Context, t *Target) error {
	err := t.Live.Remove(target.FileOGImage)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (deleteOGImage) Revert(ctx context.Context, t *Target) error {
	return t.Files.Restore(ctx, target.FileOGImage)
}
