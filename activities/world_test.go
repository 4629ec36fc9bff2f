package activities

import (
	"context"
	"testing"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// noon is when everything here happens.
var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

// must is the value of a step without which a test cannot go on.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// timeline is an X that answers as it is told, and notes how it was asked.
type timeline struct {
	tweet    post.Tweet
	timeline []post.Tweet
	metrics  map[string]post.Metrics
	err      error // in place of any answer

	draft    post.Draft  // of the last Publish
	deadline time.Time   // of the last Publish
	since    []time.Time // of every Timeline
	asked    [][]string  // of every Metrics
	calls    int         // of Publish
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

// desk is the activities of posts, with a real store.
type desk struct {
	*Post
	db *store.DB
	x  *timeline
}

func newDesk(t *testing.T) *desk {
	db, x := storetest.New(t, "sqlite"), &timeline{}
	return &desk{&Post{Posts: db.Posts, Accounts: connected{x, storetest.Connection(t, db)}, Now: func() time.Time { return noon }}, db, x}
}

// write writes a post that is due now.
func (d *desk) write(t *testing.T, id, text string) {
	must(d.db.Posts.CreatePost(t.Context(), post.Post{
		ID: id, Text: text, Status: post.StatusScheduled, ScheduledAt: noon,
	}, noon))
}

// arm writes a post whose first try is under way.
func (d *desk) arm(t *testing.T, id, text string) {
	d.write(t, id, text)
	must(d.db.Posts.ArmPost(t.Context(), id, 1, storetest.Connection(t, d.db), noon))
}

// publish writes a post that went out.
func (d *desk) publish(t *testing.T, id, tweetID string, at time.Time) {
	d.arm(t, id, "text of "+id)
	must(d.db.Posts.ConcludePost(t.Context(), id, post.Verdict{
		Attempt: 1, Outcome: post.OutcomePublished, TweetID: tweetID, At: at,
	}, noon))
}
