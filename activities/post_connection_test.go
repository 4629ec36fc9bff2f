package activities

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
)

// asConnected gives the account that the database name at the time, and lets something happen
// right after it was asked for.
type asConnected struct {
	desk  *desk
	after func()
}

func (a *asConnected) Account(ctx context.Context) (Account, string, error) {
	c, err := a.desk.db.Bot.Connection(ctx)
	after := a.after
	a.after = func() {}
	after()
	if err != nil {
		return nil, "", err
	}
	if c == nil {
		return nil, "", post.ErrNotConnected
	}
	return a.desk.x, c.ID, nil
}

// connectAnew connects the bot with other tokens of its account.
func connectAnew(t *testing.T, d *desk) {
	t.Helper()
	c, err := d.db.Bot.ProposeConnection(t.Context(), bot.Tokens{AccessToken: "1-new", AccessSecret: "new"}, nil, noon)
	require.NoError(t, err)
	_, err = d.db.Bot.Connect(t.Context(), c.ID, "1", "bot", "run", noon)
	require.NoError(t, err)
}

func disconnect(t *testing.T, d *desk) {
	t.Helper()
	_, err := d.db.Bot.Disconnect(t.Context(), noon)
	require.NoError(t, err)
}

// Proves: F33
func TestPublishWhileConnectionsChange(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before, meanwhile func(t *testing.T, d *desk)
		code              string
		due               time.Time
	}{
		"not connected: the post waits for it":             {before: disconnect, code: post.CodeNotConnected, due: noon.Add(post.NotConnectedWait)},
		"connected just then: the post need not wait":      {before: disconnect, meanwhile: connectAnew, due: noon},
		"connected otherwise just then: nothing is sent":   {meanwhile: connectAnew, due: noon},
		"removed just then: nothing is sent, nothing said": {meanwhile: disconnect, due: noon},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			accounts := &asConnected{desk: d, after: func() {}}
			d.Accounts = accounts
			d.write(t, "p1", "hello")
			if tt.before != nil {
				tt.before(t, d)
			}
			if tt.meanwhile != nil {
				accounts.after = func() { tt.meanwhile(t, d) }
			}
			state, err := d.Publish(t.Context(), PublishInput{PostID: "p1", Attempt: 1, Send: time.Second})
			require.NoError(t, err)
			require.WithinDuration(t, tt.due, state.DueAt, 0)
			state.DueAt = time.Time{}
			require.Equal(t, PostState{Status: post.StatusScheduled, Code: tt.code}, state, "no try is counted")
			require.Zero(t, d.x.calls)
		})
	}
}
