package instance

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/xid"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
)

// handle is the name of the chaos target's bot, which has no account on X.
const handle = "chaos_target"

// firstPosts are the posts of a new chaos target, oldest first.
var firstPosts = []string{
	"Hello. I am the chaos target: a replica of Customer Zero that anyone may break.",
	"Delete my files, damage my database, kill my process. A healer diagnoses me from the probes alone and repairs me.",
	"Every repair is measured by probes from outside, four times a second. Look at the numbers, then try it yourself.",
}

// prepare creates the schema and the first posts if they are missing. Checking first is far cheaper than
// migrating.
func prepare(ctx context.Context, db *store.DB, now time.Time) error {
	if db.CheckSchema(ctx) != nil {
		if err := db.Migrate(ctx); err != nil {
			return err
		}
	}
	_, total, err := db.Posts.PublishedPosts(ctx, 1, 0)
	if err != nil || total > 0 {
		return err
	}
	return seed(ctx, db, now)
}

// seed publishes the first posts on a fictitious account. Its secrets are dummies, encrypted with a key that
// is not kept.
func seed(ctx context.Context, db *store.DB, now time.Time) error {
	text, err := keyring.New("target")
	if err != nil {
		return err
	}
	ring, err := keyring.Parse(text)
	if err != nil {
		return err
	}
	db.UseKeys(ring)
	if err := db.Bot.SeedConnection(ctx, bot.Tokens{AccessToken: "nobody", AccessSecret: "nothing"}, handle, now); err != nil {
		return err
	}
	account, err := db.Bot.Connection(ctx)
	if err != nil {
		return err
	}
	for i, text := range firstPosts {
		at := now.Add(time.Duration(i-len(firstPosts)) * time.Minute)
		if err := publish(ctx, db, account.ID, i+1, text, at); err != nil {
			return fmt.Errorf("publish first post %d: %w", i+1, err)
		}
	}
	return nil
}

func publish(ctx context.Context, db *store.DB, accountID string, number int, text string, at time.Time) error {
	p, err := db.Posts.CreatePost(ctx, post.Post{ID: xid.New().String(), Text: text, Status: post.StatusScheduled, ScheduledAt: at}, at)
	if err != nil {
		return err
	}
	if _, err := db.Posts.ArmPost(ctx, p.ID, 1, accountID, at); err != nil {
		return err
	}
	_, err = db.Posts.ConcludePost(ctx, p.ID, post.Verdict{
		Attempt: 1, Outcome: post.OutcomePublished, TweetID: fmt.Sprintf("target-%d", number), At: at,
	}, at)
	return err
}
