package activities

import (
	"context"
	"time"

	"customerzero/internal/domain/verification"
)

const (
	// PicturedRuns is how many chaos runs keep their pictures.
	PicturedRuns = 50
	// unnamedFor is how long a picture may be in no row: it is kept before its row is.
	unnamedFor = time.Hour
)

type TidyPicturesInput struct{}

// TidyPicturesResult counts what was removed.
type TidyPicturesResult struct{ Runs, Pictures int }

// TidyPictures removes the runs beyond those that are kept, and the pictures that no row names.
func (a *Verification) TidyPictures(ctx context.Context, _ TidyPicturesInput) (result TidyPicturesResult, err error) {
	if result.Runs, err = a.Book.ForgetVerifications(ctx, verification.Kept); err != nil {
		return result, err
	}
	kept, err := a.Shots.PicturesInUse(ctx, PicturedRuns)
	if err != nil {
		return result, err
	}
	result.Pictures, err = a.Pictures.Sweep(ctx, kept, a.Now().Add(-unnamedFor))
	return result, err
}
