package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func tokens(name string) bot.Tokens {
	return bot.Tokens{AccessToken: "token-" + name, AccessSecret: "hunter2-" + name}
}

// propose keeps a person's tokens until X was asked.
func propose(t *testing.T, s *store.DB, name string) bot.Connection {
	t.Helper()
	founder := xAccount(t, s, "1", "grace")
	c, err := s.Bot.ProposeConnection(t.Context(), tokens(name), &founder.ID, november)
	require.NoError(t, err)
	require.Equal(t, bot.Candidate, c.State)
	return c
}

// connect proposes tokens of the account and connects them.
func connect(t *testing.T, s *store.DB, name, userID, username string) bot.Connection {
	t.Helper()
	c, err := s.Bot.Connect(t.Context(), propose(t, s, name).ID, userID, username, "run-1", november)
	require.NoError(t, err)
	require.Equal(t, bot.Current, c.State)
	return c
}

// requireConnected says with which tokens the bot is connected; "" is not at all.
func requireConnected(t *testing.T, s *store.DB, name string) {
	t.Helper()
	c, err := s.Bot.Connection(t.Context())
	require.NoError(t, err)
	if name == "" {
		require.Nil(t, c)
		return
	}
	require.NotNil(t, c)
	_, kept, err := s.Bot.ConnectionTokens(t.Context(), c.ID)
	require.NoError(t, err)
	require.Equal(t, tokens(name), kept)
	require.Equal(t, bot.Fingerprint(kept.AccessToken, kept.AccessSecret), c.Fingerprint)
	require.Equal(t, 1, s.Number(t, "SELECT count(*) FROM connections WHERE state = 'current'"))
}

func TestConnectionReplacesTheOneBefore(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		requireConnected(t, s, "")
		old := connect(t, s, "old", "77", "bot")
		requireConnected(t, s, "old")
		next := propose(t, s, "new")
		requireConnected(t, s, "old")
		for range 2 { // repeated, it changes nothing
			c, err := s.Bot.Connect(t.Context(), next.ID, "77", "Bot", "run-2", november.Add(time.Hour))
			require.NoError(t, err)
			require.Equal(t, []string{"77", "Bot", "run-2"}, []string{c.UserID, c.Username, c.RunID})
			requireConnected(t, s, "new")
		}
		old, kept, err := s.Bot.ConnectionTokens(t.Context(), old.ID)
		require.NoError(t, err)
		require.Equal(t, bot.Removed, old.State)
		require.True(t, old.EndedAt.Equal(november.Add(time.Hour)))
		require.Zero(t, kept, "they are forgotten")
		require.Equal(t, 1, s.Count(t, "secrets"))
		for _, table := range []string{"connections", "secrets"} {
			require.NotContains(t, s.Dump(t, table), "hunter2")
			require.NotContains(t, s.Dump(t, table), "token-")
		}
	})
}

func TestRefusedCandidateForgetsItsTokens(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		current := connect(t, s, "good", "77", "bot")
		bad := propose(t, s, "bad")
		for _, code := range []string{"x_bad_token", "too_late"} { // it is refused once
			c, err := s.Bot.RefuseConnection(t.Context(), bad.ID, code, "X does not accept them.", "run-2", november)
			require.NoError(t, err)
			require.Equal(t, bot.Refused, c.State)
			require.Equal(t, "x_bad_token", c.Code)
		}
		c, err := s.Bot.Connect(t.Context(), bad.ID, "77", "bot", "run-3", november)
		require.NoError(t, err)
		require.Equal(t, bot.Refused, c.State)
		c, err = s.Bot.RefuseConnection(t.Context(), current.ID, "late", "", "run-4", november)
		require.NoError(t, err)
		require.Equal(t, bot.Current, c.State, "what is connected cannot be refused any more")
		requireConnected(t, s, "good")
		require.Equal(t, 1, s.Count(t, "secrets"))

		_, err = s.Bot.Connect(t.Context(), "nobody's", "77", "bot", "run-5", november)
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}

func TestCandidatesAtOnceLeaveOneConnection(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		candidates := make([]bot.Connection, 10)
		for i := range candidates {
			candidates[i] = propose(t, s, fmt.Sprint(i))
		}
		atOnce(t, len(candidates), func(i int) error {
			_, err := s.Bot.Connect(t.Context(), candidates[i].ID, fmt.Sprint(i), "bot", "run", november)
			return err
		})
		c, err := s.Bot.Connection(t.Context())
		require.NoError(t, err)
		requireConnected(t, s, c.UserID) // named like its tokens
		require.Equal(t, 9, s.Number(t, "SELECT count(*) FROM connections WHERE state = 'removed'"))
		require.Equal(t, 1, s.Count(t, "secrets"))
	})
}

// Proves: F33
func TestDisconnectedBotLetsPostsWait(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		connect(t, s, "ours", "77", "bot")
		second, first := create(t, s, nil, november.Add(time.Hour)), create(t, s, nil, november)
		gone := create(t, s, nil, november)
		_, err := s.Posts.CancelPost(t.Context(), gone.ID, november)
		require.NoError(t, err)
		for range 2 { // again, it says the same
			stopped, err := s.Bot.Disconnect(t.Context(), november)
			require.NoError(t, err)
			require.Len(t, stopped, 2)
			require.Equal(t, []string{first.ID, second.ID}, []string{stopped[0].ID, stopped[1].ID})
			requireConnected(t, s, "")
			require.Zero(t, s.Count(t, "secrets"))
		}
		connect(t, s, "new", "77", "bot")
		requireConnected(t, s, "new")
	})
}
