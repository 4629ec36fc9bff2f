package x

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func onFile(file string) func(*Config) { return func(c *Config) { c.File = file } }

func TestTheTimelineOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "made", "on", "the", "way.jsonl")
	w := newWorld(t, onFile(file))
	kept, gone := w.tweet("kept"), w.tweet("deleted")
	require.Equal(t, http.StatusOK, w.call(http.MethodDelete, "/2/tweets/"+gone, "").status)
	granted, err := w.sandbox.state.grantFor("7")
	require.NoError(t, err)
	before := w.sandbox.Tweets()

	// Nobody closed the first one: a killed process does not either.
	again := newWorld(t, onFile(file))
	after := again.sandbox.Tweets()
	require.Len(t, after, 2)
	for i := range after {
		require.Equal(t, before[i].ID, after[i].ID)
		require.Equal(t, before[i].Text, after[i].Text)
		require.True(t, before[i].CreatedAt.Equal(after[i].CreatedAt))
	}
	ids, _ := again.timeline(nil)
	require.Equal(t, []string{kept}, ids)
	require.Equal(t, http.StatusForbidden, again.call(http.MethodPost, "/2/tweets", `{"text":"kept"}`).status)
	require.Positive(t, compareIDs(again.tweet("deleted"), gone))
	again.client = again.signedBy(granted.token, granted.secret)
	require.Equal(t, "ada", again.call(http.MethodGet, "/2/users/me", "").at(t, "data.username"))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds secrets")
}

func TestATornLastLineIsDroppedAndReported(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.jsonl")
	w := newWorld(t, onFile(file))
	w.tweet("whole")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for cut := range len(whole) { // any part of a second line
		torn := append(bytes.Clone(whole), whole[:cut]...)
		path := filepath.Join(t.TempDir(), "torn.jsonl")
		require.NoError(t, os.WriteFile(path, torn, 0o600))
		var log bytes.Buffer
		config := testConfig()
		config.File, config.Log = path, slog.New(slog.NewTextHandler(&log, nil))
		s, err := New(config)
		require.NoError(t, err)
		require.Len(t, s.Tweets(), 1)
		require.Equal(t, cut > 0, bytes.Contains(log.Bytes(), []byte("torn last line")))
		_, err = s.state.accept(Tweet{AuthorID: "4242", Text: "after"}, 0)
		require.NoError(t, err)
		require.NoError(t, s.Close())
		again, dropped, err := newState(path, grant{}, time.Now)
		require.NoError(t, err)
		require.Zero(t, dropped)
		require.Len(t, again.all(), 2)
	}
}

func TestADamagedFileIsNotGuessedAt(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"a line that is no JSON":      "{\"op\":\"grant\",\"token\":\"t\"}\nnonsense\n{}\n",
		"an entry of an unknown kind": "{\"op\":\"grant\",\"token\":\"t\"}\n{\"op\":\"other\"}\n",
		"a deletion of nothing":       "{\"op\":\"grant\",\"token\":\"t\"}\n{\"op\":\"delete\",\"id\":\"1\"}\n",
		"a tweet that has no number":  "{\"op\":\"grant\",\"token\":\"t\"}\n{\"op\":\"tweet\",\"tweet\":{\"id\":\"x\"}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := testConfig()
			config.File = filepath.Join(t.TempDir(), "x.jsonl")
			require.NoError(t, os.WriteFile(config.File, []byte(content), 0o600))
			_, err := New(config)
			require.ErrorContains(t, err, "line 2")
		})
	}
}

func TestWhatCannotBeKeptIsNotAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onFile(filepath.Join(t.TempDir(), "x.jsonl")))
	w.tweet("kept")
	w.spoilTheFile()
	answer := w.call(http.MethodPost, "/2/tweets", `{"text":"lost"}`)
	require.Equal(t, http.StatusServiceUnavailable, answer.status)
	require.Equal(t, []string{"kept"}, w.texts())
}

// spoilTheFile makes every write fail from now on.
func (w *world) spoilTheFile() {
	st := w.sandbox.state
	st.mu.Lock()
	defer st.mu.Unlock()
	st.journal = spoiled{st.journal}
}

type spoiled struct{ journal }

func (spoiled) Append(any) error { return errors.New("the disk is full") }

func TestConfigsThatCannotWork(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Config){
		"no consumer secret":             func(c *Config) { c.ConsumerSecret = "" },
		"a token without its secret":     func(c *Config) { c.AccessSecret = "" },
		"a user ID that is no number":    func(c *Config) { c.UserID = "me" },
		"a username with a blank":        func(c *Config) { c.Username = "customer zero" },
		"a second account without an ID": func(c *Config) { c.Accounts = []Account{{Username: "ada"}} },
		"a public URL without a scheme":  func(c *Config) { c.PublicURLs = []string{"api.x.com"} },
		"a callback that is a script":    func(c *Config) { c.Callbacks = []string{"javascript:alert(1)"} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := testConfig()
			spoil(&config)
			_, err := New(config)
			require.Error(t, err)
			require.NotContains(t, err.Error(), "secret&%")
		})
	}
}
