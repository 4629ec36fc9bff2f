package workflows

import (
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/bot"
)

var keeper *activities.Credentials // nil: only names activities

// CredentialsInput names tokens that somebody has sent. They lie sealed in the database.
type CredentialsInput struct{ ConnectionID string }

// CredentialsResult says whether the bot posts with them now.
type CredentialsResult struct {
	State bot.State
	Code  string // why they were refused
}

// CredentialsID is the workflow ID of an attempt to connect the bot.
func CredentialsID(connectionID string) string { return "credentials:" + connectionID }

// Credentials asks X whose tokens these are, and makes them the ones that the bot posts
// with. Posts that waited for that go on.
func Credentials(ctx workflow.Context, in CredentialsInput) (CredentialsResult, error) {
	ref := activities.ConnectionRef{ConnectionID: in.ConnectionID}
	// Somebody waits, and their request ends after a minute.
	state, err := call(remote(ctx, askX, 2*askX), keeper.TryConnection, ref)
	if err != nil {
		state, err = ask(ctx, keeper.GiveUpConnection, ref)
	}
	if err != nil || state.State != bot.Current {
		return CredentialsResult(state), err
	}
	_, err = call(remote(ctx, askX, wakeWithin), keeper.WakePosts, activities.WakePostsInput{})
	return CredentialsResult(state), err
}
