package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

// VerificationTidyID names the schedule that removes old verifications, and its runs.
const VerificationTidyID = "verification-tidy"

const (
	tidyEvery    = 30 * time.Minute
	oneTidying   = time.Minute
	tidyPatience = 5 * time.Minute
)

// VerificationTidy removes the runs that are not kept, and the pictures that nothing names.
func VerificationTidy(ctx workflow.Context) error {
	_, err := call(atBrowser(ctx, oneTidying, tidyPatience), inspector.TidyPictures, activities.TidyPicturesInput{})
	return err
}
