package x

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

func TestTheTimelineOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "made", "on", "the", "way.jsonl")
	w := newWorld(t, onFile(file))
	kept, gone := w.tweet("kept"), w.tweet("deleted")
	require.Equal(t, http.StatusOK, w.call(http.MethodDelete, "/2/tweets/"+gone, "").status)
	granted, err := w.sandbox.state.grantFor("7")
	require.NoError(t, err)

	restarted := newWorld(t, onFile(file)) // the first one stays open, as after a kill
	before, after := w.sandbox.Tweets(), restarted.sandbox.Tweets()
	require.Len(t, after, 2)
	for i := range after {
		require.Equal(t, before[i].ID+before[i].Text, after[i].ID+after[i].Text)
		require.True(t, before[i].CreatedAt.Equal(after[i].CreatedAt))
	}
	require.Equal(t, kept, restarted.sandbox.state.visible()[0].ID)
	require.Equal(t, http.StatusForbidden, restarted.call(http.MethodPost, "/2/tweets", `{"text":"kept"}`).status)
	require.Greater(t, restarted.tweet("deleted"), gone)
	restarted.client = restarted.signedBy(granted.token, granted.secret)
	require.Equal(t, "ada", restarted.me().at(t, "data.username"))
}

func TestADamagedFileIsNotGuessedAt(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{
		"an entry of an unknown kind": `{"op":"other"}`,
		"a deletion of nothing":       `{"op":"delete","id":"1"}`,
		"a tweet that has no number":  `{"op":"tweet","tweet":{"id":"x"}}`,
	} {
		config := testConfig()
		config.File = filepath.Join(t.TempDir(), "x.jsonl")
		require.NoError(t, os.WriteFile(config.File, []byte(`{"op":"grant","token":"t"}`+"\n"+second+"\n{}\n"), 0o600))
		_, err := New(config)
		require.ErrorContains(t, err, "line 2", name)
	}
}

func TestConfigsThatCannotWork(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Config){
		"a user ID that is no number":    func(c *Config) { c.UserID = "me" },
		"a username with a blank":        func(c *Config) { c.Username = "customer zero" },
		"a second account without an ID": func(c *Config) { c.Accounts = []Account{{Username: "ada"}} },
	} {
		config := testConfig()
		spoil(&config)
		_, err := New(config)
		require.Error(t, err, name)
	}
}

// Proves: F11
func TestDuplicates(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, author string
		after        time.Duration
		deleted      bool
		err          error
	}{
		"the same text a minute later is refused":    {text: "hello", author: "1", after: time.Minute, err: errDuplicate},
		"the same text just within a day is refused": {text: "hello", author: "1", after: 24*time.Hour - 1, err: errDuplicate},
		"the same text a day later is accepted":      {text: "hello", author: "1", after: 24 * time.Hour},
		"the same text by another is accepted":       {text: "hello", author: "2", after: time.Minute},
		"another text is accepted":                   {text: "hello!", author: "1", after: time.Minute},
		"the same text after a deletion is accepted": {text: "hello", author: "1", after: time.Minute, deleted: true},
	} {
		ticking := testwait.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
		st := newTestState(t, "", ticking.Now)
		first, err := st.accept(Tweet{AuthorID: "1", Text: "hello"}, 0)
		require.NoError(t, err)
		if tt.deleted {
			require.NoError(t, st.remove(first.ID, "1"))
		}
		ticking.Advance(tt.after)
		_, err = st.accept(Tweet{AuthorID: tt.author, Text: tt.text}, 0)
		require.ErrorIs(t, err, tt.err, name)
	}
}

func TestParallelPosts(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/x.jsonl"
	w := newWorld(t, onFile(file))
	var wait sync.WaitGroup
	for i := range 50 {
		wait.Go(func() { w.tweet(fmt.Sprintf("post %d", i)) })
		wait.Go(func() { w.call(http.MethodPost, "/2/tweets", `{"text":"me first"}`) }) // accepted once
	}
	wait.Wait()
	tweets := w.sandbox.Tweets()
	require.Len(t, tweets, 51)
	for i := range tweets[1:] {
		require.Less(t, parseID(tweets[i].ID), parseID(tweets[i+1].ID), "IDs grow")
	}
	require.Equal(t, http.StatusTooManyRequests, w.call(http.MethodPost, "/2/tweets", `{"text":"one too many"}`).status)
	require.Len(t, newTestState(t, file, time.Now).all(), 51)
}

func TestMetricsGrowAndNeverShrink(t *testing.T) {
	t.Parallel()
	for i := range 50 {
		id, before := fmt.Sprint(1_900_000_000_000_000_000+i), Metrics{}
		for _, age := range []time.Duration{-time.Minute, 0, time.Minute, time.Hour, 24 * time.Hour, 10 * 365 * 24 * time.Hour} {
			m := metricsAt(id, age)
			require.True(t, m.Likes >= before.Likes && m.Reposts >= before.Reposts && m.Replies >= before.Replies && m.Quotes >= before.Quotes, m)
			require.Equal(t, age <= 0, m == Metrics{})
			before = m
		}
		require.Positive(t, before.Likes)
	}
}

func TestIDsGrow(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_780_000_000_123)
	id := nextID(now, 0)
	require.Equal(t, now.UnixMilli(), id>>snowflakeShift+snowflakeEpoch, "an ID contains its time")
	require.Equal(t, id+1, nextID(now, id), "the clock stops")
	require.Equal(t, id+1, nextID(now.Add(-time.Hour), id), "the clock runs backwards")
	require.Greater(t, nextID(now.Add(time.Millisecond), id), id+1)
	require.Positive(t, nextID(time.Unix(0, 0), 0))
}
