package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
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

// leave leaves a post as it would stand after an attempt with the bot's account.
func leave(t *testing.T, s *store.DB, status post.Status) (id string) {
	t.Helper()
	p := create(t, s, nil, november)
	if status == post.StatusScheduled {
		return p.ID
	}
	c, err := s.Bot.Connection(t.Context())
	require.NoError(t, err)
	p, err = s.Posts.ArmPost(t.Context(), p.ID, 1, c.ID, november)
	require.NoError(t, err)
	require.Equal(t, post.StatusArmed, p.Status)
	switch status {
	case post.StatusUnknown:
		_, err = s.Posts.DoubtPost(t.Context(), p.ID, 1, "x_unreadable", "nobody knows")
		require.NoError(t, err)
	case post.StatusFailed:
		conclude(t, s, p, post.Verdict{Outcome: post.OutcomeRefused})
	case post.StatusPublished:
		conclude(t, s, p, post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
	default:
	}
	return p.ID
}

// Whether a post went out can be seen on one account's timeline only: until it is known,
// the bot stays with that account.
// Proves: F33
func TestAnotherAccountWaitsForUnsettledPosts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		left             post.Status
		userID, username string // of the new tokens; the bot's is 77, bot
		refused          bool
	}{
		"another account, no posts":               {"", "78", "other", false},
		"another account, a post is scheduled":    {post.StatusScheduled, "78", "other", false},
		"another account, a post failed":          {post.StatusFailed, "78", "other", false},
		"another account, a post is published":    {post.StatusPublished, "78", "other", false},
		"another account, a post is armed":        {post.StatusArmed, "78", "other", true},
		"another account, a post is unknown":      {post.StatusUnknown, "78", "other", true},
		"another account took the handle over":    {post.StatusUnknown, "78", "bot", true},
		"the same account, a post is armed":       {post.StatusArmed, "77", "bot", false},
		"the same account with a new handle":      {post.StatusUnknown, "77", "robot", false},
		"the same account, the handle written so": {post.StatusUnknown, "77", "BOT", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				connect(t, s, "ours", "77", "bot")
				if tt.left != "" {
					leave(t, s, tt.left)
				}
				for _, removed := range []bool{false, true} { // removed first, it is no different
					if removed {
						_, err := s.Bot.Disconnect(t.Context(), november)
						require.NoError(t, err)
					}
					next := propose(t, s, "new")
					before := s.Dump(t, "connections")
					_, err := s.Bot.Connect(t.Context(), next.ID, tt.userID, tt.username, "run-2", november)
					if !tt.refused {
						require.NoError(t, err)
						requireConnected(t, s, "new")
						return
					}
					require.Equal(t, problem.Conflict, problem.CodeOf(err), "%v", err)
					require.Equal(t, before, s.Dump(t, "connections"))
					_, err = s.Bot.RefuseConnection(t.Context(), next.ID, "conflict", "", "run-2", november)
					require.NoError(t, err)
				}
			})
		})
	}
}

// The configuration gives a handle and no number.
func TestConfiguredAccountIsKnownByItsHandle(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		username string
		refused  bool
	}{
		"the same handle": {"Bot", false},
		"another handle":  {"other", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				seedConnection(t, s, "configured", "bot")
				leave(t, s, post.StatusUnknown)
				_, err := s.Bot.Connect(t.Context(), propose(t, s, "new").ID, "78", tt.username, "run-1", november)
				if tt.refused {
					require.Equal(t, problem.Conflict, problem.CodeOf(err), "%v", err)
					requireConnected(t, s, "configured")
				} else {
					require.NoError(t, err)
					requireConnected(t, s, "new")
				}
			})
		})
	}
}

// After its month nobody looks for an unknown post any more, so it holds nobody up.
func TestPostThatNobodyCanSettleHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		connect(t, s, "ours", "77", "bot")
		_, err := s.Posts.ClosePost(t.Context(), leave(t, s, post.StatusUnknown))
		require.NoError(t, err)
		connect(t, s, "theirs", "78", "other")
		requireConnected(t, s, "theirs")
	})
}

// Proves: F33
func TestPostsAreSentWithTheConnectionThatTheyWereArmedWith(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		old := connect(t, s, "old", "77", "bot")
		p := create(t, s, nil, november)
		next := connect(t, s, "new", "78", "other")
		for _, id := range []string{old.ID, "", "nobody's"} {
			stood, err := s.Posts.ArmPost(t.Context(), p.ID, 1, id, november)
			require.NoError(t, err)
			require.Equal(t, post.StatusScheduled, stood.Status)
		}
		armed, err := s.Posts.ArmPost(t.Context(), p.ID, 1, next.ID, november)
		require.NoError(t, err)
		require.Equal(t, post.StatusArmed, armed.Status)
	})
}

func seedConnection(t *testing.T, s *store.DB, name, username string) {
	t.Helper()
	require.NoError(t, s.Bot.SeedConnection(t.Context(), tokens(name), username, november))
}

func TestConfiguredTokensAreTakenUp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before    func(t *testing.T, s *store.DB)
		connected string // after the configuration's tokens were seen at a start
		rows      int
	}{
		"the first time": {func(*testing.T, *store.DB) {}, "configured", 1},
		"and not again":  {func(t *testing.T, s *store.DB) { seedConnection(t, s, "configured", "bot") }, "configured", 1},
		"not again after they were removed": {func(t *testing.T, s *store.DB) {
			seedConnection(t, s, "configured", "bot")
			_, err := s.Bot.Disconnect(t.Context(), november)
			require.NoError(t, err)
		}, "", 1},
		"in place of what was configured before": {func(t *testing.T, s *store.DB) {
			seedConnection(t, s, "older", "bot")
		}, "configured", 2},
		"after what was configured before was removed": {func(t *testing.T, s *store.DB) {
			seedConnection(t, s, "older", "bot")
			_, err := s.Bot.Disconnect(t.Context(), november)
			require.NoError(t, err)
		}, "configured", 2},
		"never over a person's": {func(t *testing.T, s *store.DB) {
			connect(t, s, "hers", "77", "bot")
		}, "hers", 1},
		"never over a person's that came after": {func(t *testing.T, s *store.DB) {
			seedConnection(t, s, "configured", "bot")
			connect(t, s, "hers", "77", "bot")
		}, "hers", 2},
		"never over a person's decision to remove hers": {func(t *testing.T, s *store.DB) {
			connect(t, s, "hers", "77", "bot")
			_, err := s.Bot.Disconnect(t.Context(), november)
			require.NoError(t, err)
		}, "", 1},
		"although a person tried them while X was down": {func(t *testing.T, s *store.DB) {
			_, err := s.Bot.RefuseConnection(t.Context(), propose(t, s, "configured").ID, "x_unreachable", "", "run-1", november)
			require.NoError(t, err)
		}, "configured", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				tt.before(t, s)
				seedConnection(t, s, "configured", "bot")
				requireConnected(t, s, tt.connected)
				require.Equal(t, tt.rows, s.Count(t, "connections"))
				secrets := 1
				if tt.connected == "" {
					secrets = 0
				}
				require.Equal(t, secrets, s.Count(t, "secrets"))
			})
		})
	}
}

func TestConfigurationDoesNotMoveUnsettledPostsToAnotherAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		seedConnection(t, s, "configured", "bot")
		leave(t, s, post.StatusUnknown)
		seedConnection(t, s, "renewed", "Bot")
		requireConnected(t, s, "renewed")
		err := s.Bot.SeedConnection(t.Context(), tokens("theirs"), "other", november)
		require.Equal(t, problem.Conflict, problem.CodeOf(err), "%v", err)
		requireConnected(t, s, "renewed")
		require.Equal(t, 1, s.Count(t, "secrets"))
	})
}

// Proves: F26
func TestProcessesThatStartAtOnceTakeThemUpOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		atOnce(t, 10, func(int) error { return s.Bot.SeedConnection(t.Context(), tokens("configured"), "bot", november) })
		requireConnected(t, s, "configured")
		require.Equal(t, 1, s.Count(t, "connections"))
	})
}
