package activities

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// X escapes texts and shortens their links. A post must be found all the same, or it would go
// out twice.
// Proves: F9
func TestReconcileFindsWhatXHasChanged(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"signs that HTML escapes":      `fish & chips <3 "both" > one`,
		"text that is escaped already": "write &amp; for &, and &lt; for <",
		"a link without a scheme":      "read example.com/a?b=1&c=2 today",
		"a link with a slash behind":   "read https://example.com/ today",
		"two links and a host in caps": "HTTPS://Example.COM/Path, then example.org",
		"a link of another alphabet":   "siehe https://bücher.example/straße",
		"lines and blanks":             "  one\n\n\ttwo   three ",
		"emoji and marks":              "👩‍👩‍👧 cafe\u0301 ❤️",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, db, x := newDeskAtX(t)
			now := time.Now()
			_, err := db.Posts.CreatePost(t.Context(), post.Post{
				ID: "p1", Text: text, Status: post.StatusScheduled, ScheduledAt: now,
			}, now)
			require.NoError(t, err)
			require.NoError(t, x.SetFaults(xsandbox.Faults{Rules: []xsandbox.Rule{
				{On: xsandbox.OnPost, Fault: xsandbox.DropAfter, Times: 1},
			}}))
			state, err := d.Publish(t.Context(), PublishInput{PostID: "p1", Attempt: 1, Send: time.Minute})
			require.NoError(t, err)
			require.Equal(t, post.StatusArmed, state.Status, "its answer is lost")

			state, err = d.Reconcile(t.Context(), ReconcileInput{PostID: "p1"})
			require.NoError(t, err)
			require.Equal(t, post.StatusPublished, state.Status)
			require.Equal(t, x.Tweets()[0].ID, state.TweetID)
		})
	}
}

// newDeskAtX is the activities of posts with the real client of X, before its sandbox.
func newDeskAtX(t *testing.T) (*Post, *store.DB, *xsandbox.Server) {
	t.Helper()
	remote, err := xsandbox.New(xsandbox.Config{
		ConsumerKey: "key", ConsumerSecret: "secret", AccessToken: "4242-token", AccessSecret: "token-secret",
		UserID: "4242", Username: "customerzerobot", Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	listener := httptest.NewServer(remote.Handler())
	t.Cleanup(func() {
		require.NoError(t, remote.Close())
		listener.Close()
	})
	client := x.New(x.Config{
		BaseURL: listener.URL, ConsumerKey: "key", ConsumerSecret: "secret", AccessToken: "4242-token", AccessSecret: "token-secret",
	})
	db := storetest.New(t, "sqlite")
	return &Post{Posts: db.Posts, Accounts: connected{client, storetest.Connection(t, db)}, Now: time.Now}, db, remote
}

// X wants to know which posts a model wrote, and which were paid for.
func TestXIsToldWhatAPostIs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ generated, sponsored bool }{
		"by people, for the founders":  {},
		"by a model, for the founders": {generated: true},
		"by people, for a member":      {sponsored: true},
		"by a model, for a member":     {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, db, x := newDeskAtX(t)
			p := post.Post{ID: "p1", Text: "hello", Status: post.StatusScheduled, ScheduledAt: time.Now(), MadeWithAI: tt.generated}
			if tt.sponsored {
				ada := "ada"
				require.NoError(t, db.Members.AddMember(t.Context(), member.Member{
					ID: ada, Username: ada, UsernameKey: ada, Status: member.StatusActive, PaymentCents: 900, JoinedAt: time.Now(),
				}, nil))
				p.MemberID = &ada
			}
			_, err := db.Posts.CreatePost(t.Context(), p, time.Now())
			require.NoError(t, err)
			state, err := d.Publish(t.Context(), PublishInput{PostID: "p1", Attempt: 1, Send: time.Minute})
			require.NoError(t, err)
			require.Equal(t, post.StatusPublished, state.Status)
			tweet := x.Tweets()[0]
			require.Equal(t, []bool{tt.generated, tt.sponsored}, []bool{tweet.MadeWithAI, tweet.PaidPartnership})
		})
	}
}
