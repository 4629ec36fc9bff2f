package fault

import (
	"context"
	"errors"
	"io/fs"

	"customerzero/internal/cell"
	"customerzero/internal/chaos"
)

type deleteOGImage struct{}

func (deleteOGImage) Describe() chaos.Fault {
	return chaos.Fault{
		Name: "delete-og-image", Title: "Delete the preview image",
		About:   "Deletes the picture that links to this site show, so that its page is gone.",
		Promise: chaos.QuickPromise, Weight: 1,
	}
}

func (deleteOGImage) Check(_ context.Context, target *Target) error {
	return intact(target, cell.FileOGImage)
}

func (deleteOGImage) Inject(_ context.Context, target *Target) error {
	err := target.Live.Remove(cell.FileOGImage)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (deleteOGImage) Revert(ctx context.Context, target *Target) error {
	return target.Files.Restore(ctx, cell.FileOGImage)
}
