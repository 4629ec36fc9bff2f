package activities

import (
	"context"
	"testing"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// timeline is a fake X that records its calls.
type timeline struct {
	tweet    post.Tweet
	timeline []post.Tweet
	metrics  map[string]post.Metrics
	err      error // overrides answers

	draft    post.Draft  // of the last Publish
	deadline time.Time   // of the last Publish
	since    []time.Time // of each call of Timeline
	asked    [][]string  // of each call of Metrics
	calls    int         // calls of Publish
}

func (a *timeline) Publish(ctx context.Context, d post.Draft) (post.Tweet, error) {
	a.calls, a.draft = a.calls+1, d
	a.deadline, _ = ctx.Deadline()
	return a.tweet, a.err
}

func (a *timeline) Timeline(_ context.Context, since time.Time) ([]post.Tweet, error) {
	a.since = append(a.since, since)
	return a.timeline, a.err
}

func (a *timeline) Metrics(_ context.Context, ids []string) (map[string]post.Metrics, error) {
	a.asked = append(a.asked, ids)
	return a.metrics, a.err
}

// connected is a bot whose account never changes.
type connected struct {
	account    Account
	connection string
}

func (c connected) Account(context.Context) (Account, string, error) {
	if c.account == nil {
		return nil, "", post.ErrNotConnected
	}
	return c.account, c.connection, nil
}

// postWorld is the activities of posts with a real store.
type postWorld struct {
	*Post
	db *store.DB
	x  *timeline
}

func newPostWorld(t *testing.T) *postWorld {
	db, x := storetest.New(t, "sqlite"), &timeline{}
	return &postWorld{&Post{Posts: db.Posts, Accounts: connected{x, storetest.Connection(t, db)}, Now: func() time.Time { return noon }}, db, x}
}

// write stores a post that is due now.
func (d *postWorld) write(t *testing.T, id, text string) {
	must(d.db.Posts.CreatePost(t.Context(), post.Post{
		ID: id, Text: text, Status: post.StatusScheduled, ScheduledAt: noon,
	}, noon))
}

// arm stores a post whose first attempt is running.
func (d *postWorld) arm(t *testing.T, id, text string) {
	d.write(t, id, text)
	must(d.db.Posts.ArmPost(t.Context(), id, 1, storetest.Connection(t, d.db), noon))
}

// publish stores a published post.
func (d *postWorld) publish(t *testing.T, id, tweetID string, at time.Time) {
	d.arm(t, id, "text of "+id)
	must(d.db.Posts.ConcludePost(t.Context(), id, post.Verdict{
		Attempt: 1, Outcome: post.OutcomePublished, TweetID: tweetID, At: at,
	}, noon))
}
