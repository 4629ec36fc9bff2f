package store_test

import (
	"strings"
	"sync"
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

func propose(t *testing.T, s *store.DB, name string) bot.Connection {
	t.Helper()
	founder := xAccount(t, s, "1", "grace")
	c := must(s.Bot.ProposeConnection(t.Context(), tokens(name), &founder.ID, november))(t)
	require.Equal(t, bot.Candidate, c.State)
	return c
}

func connect(t *testing.T, s *store.DB, name, userID, username string) bot.Connection {
	t.Helper()
	c := must(s.Bot.Connect(t.Context(), propose(t, s, name).ID, userID, username, "run-1", november))(t)
	require.Equal(t, bot.Current, c.State)
	return c
}

// requireConnected checks the current connection's tokens; name is empty if there is none.
func requireConnected(t *testing.T, s *store.DB, name string) {
	t.Helper()
	c := must(s.Bot.Connection(t.Context()))(t)
	if name == "" {
		require.Nil(t, c)
		return
	}
	require.NotNil(t, c)
	_, kept := must2(s.Bot.ConnectionTokens(t.Context(), c.ID))(t)
	require.Equal(t, tokens(name), kept)
	require.Equal(t, bot.Fingerprint(kept.AccessToken, kept.AccessSecret), c.Fingerprint)
	require.Equal(t, 1, s.Number(t, "SELECT count(*) FROM bot_connections WHERE state = 'current'"))
}

// Proves: F33, F26
func TestConnections(t *testing.T) {
	t.Parallel()
	each(t, "a connection replaces the one before", func(t *testing.T, s *store.DB) {
		requireConnected(t, s, "")
		old := connect(t, s, "old", "77", "bot")
		requireConnected(t, s, "old")
		next := propose(t, s, "new")
		requireConnected(t, s, "old")
		for range 2 { // a repeat changes nothing
			c := must(s.Bot.Connect(t.Context(), next.ID, "77", "Bot", "run-2", november.Add(time.Hour)))(t)
			require.Equal(t, []string{"77", "Bot", "run-2"}, []string{c.UserID, c.Username, c.RunID})
			requireConnected(t, s, "new")
		}
		old, kept := must2(s.Bot.ConnectionTokens(t.Context(), old.ID))(t)
		require.Equal(t, bot.Removed, old.State)
		require.True(t, old.EndedAt.Equal(november.Add(time.Hour)))
		require.Zero(t, kept, "they are forgotten")
		require.Equal(t, 1, s.Count(t, "secrets"))
		for _, table := range []string{"bot_connections", "secrets"} {
			require.NotContains(t, s.Dump(t, table), "hunter2")
			require.NotContains(t, s.Dump(t, table), "token-")
		}
	})
	each(t, "a refused candidate's tokens are deleted", func(t *testing.T, s *store.DB) {
		current, bad := connect(t, s, "good", "77", "bot"), propose(t, s, "bad")
		for _, code := range []string{"x_bad_token", "too_late"} { // only the first refusal counts
			c := must(s.Bot.RefuseConnection(t.Context(), bad.ID, code, "X does not accept them.", "run-2", november))(t)
			require.Equal(t, []any{bot.Refused, "x_bad_token"}, []any{c.State, c.Code})
		}
		require.Equal(t, bot.Refused, must(s.Bot.Connect(t.Context(), bad.ID, "77", "bot", "run-3", november))(t).State)
		c := must(s.Bot.RefuseConnection(t.Context(), current.ID, "late", "", "run-4", november))(t)
		require.Equal(t, bot.Current, c.State, "what is connected cannot be refused any more")
		requireConnected(t, s, "good")
		require.Equal(t, 1, s.Count(t, "secrets"))
		requireCode(t, problem.NotFound, errOf(s.Bot.Connect(t.Context(), "nobody's", "77", "bot", "run-5", november)))
	})
	each(t, "posts wait while the bot is disconnected", func(t *testing.T, s *store.DB) {
		connect(t, s, "ours", "77", "bot")
		second, first := create(t, s, nil, november.Add(time.Hour)), create(t, s, nil, november)
		cancelPost(t, s, create(t, s, nil, november))
		for range 2 { // a repeat returns the same
			require.Equal(t, []string{first.ID, second.ID}, idsOf(must(s.Bot.Disconnect(t.Context(), november))(t)))
			requireConnected(t, s, "")
			require.Zero(t, s.Count(t, "secrets"))
		}
		connect(t, s, "new", "77", "bot")
		requireConnected(t, s, "new")
	})
	// After a month an unknown post is closed, so it no longer blocks another account.
	each(t, "a closed unknown post does not block another account", func(t *testing.T, s *store.DB) {
		connect(t, s, "ours", "77", "bot")
		must(s.Posts.ClosePost(t.Context(), leave(t, s, post.StatusUnknown)))(t)
		connect(t, s, "theirs", "78", "other")
		requireConnected(t, s, "theirs")
	})
	each(t, "posts are sent with the connection that they were armed with", func(t *testing.T, s *store.DB) {
		old := connect(t, s, "old", "77", "bot")
		p := create(t, s, nil, november)
		next := connect(t, s, "new", "78", "other")
		for _, id := range []string{old.ID, "", "nobody's"} {
			require.Equal(t, post.StatusScheduled, must(s.Posts.ArmPost(t.Context(), p.ID, 1, id, november))(t).Status)
		}
		require.Equal(t, post.StatusArmed, must(s.Posts.ArmPost(t.Context(), p.ID, 1, next.ID, november))(t).Status)
	})
	// The configuration has a handle and no user ID.
	each(t, "the configuration does not move unsettled posts to another account", func(t *testing.T, s *store.DB) {
		seedConnection(t, s, "configured", "bot")
		leave(t, s, post.StatusUnknown)
		seedConnection(t, s, "renewed", "Bot")
		requireConnected(t, s, "renewed")
		requireCode(t, problem.Conflict, s.Bot.SeedConnection(t.Context(), tokens("theirs"), "other", november))
		requireConnected(t, s, "renewed")
		require.Equal(t, 1, s.Count(t, "secrets"))
		requireCode(t, problem.Conflict, errOf(s.Bot.Connect(t.Context(), propose(t, s, "theirs").ID, "78", "other", "run-1", november)))
		requireConnected(t, s, "renewed")
		connect(t, s, "hers", "78", "BOT") // the same handle
		requireConnected(t, s, "hers")
	})
	each(t, "processes that start at once store the configured tokens once", func(t *testing.T, s *store.DB) {
		atOnce(t, 10, func(int) error { return s.Bot.SeedConnection(t.Context(), tokens("configured"), "bot", november) })
		requireConnected(t, s, "configured")
		require.Equal(t, 1, s.Count(t, "bot_connections"))
	})
}

// leave stores a post as an attempt with the bot's account would leave it.
func leave(t *testing.T, s *store.DB, status post.Status) (id string) {
	t.Helper()
	p := create(t, s, nil, november)
	if status == post.StatusScheduled {
		return p.ID
	}
	c := must(s.Bot.Connection(t.Context()))(t)
	p = must(s.Posts.ArmPost(t.Context(), p.ID, 1, c.ID, november))(t)
	require.Equal(t, post.StatusArmed, p.Status)
	switch status {
	case post.StatusUnknown:
		must(s.Posts.DoubtPost(t.Context(), p.ID, 1, "x_unreadable", "The outcome is unknown."))(t)
	case post.StatusFailed:
		conclude(t, s, p, post.Verdict{Outcome: post.OutcomeRefused})
	case post.StatusPublished:
		conclude(t, s, p, post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
	default:
	}
	return p.ID
}

// TestConnectAnotherAccount requires the same account while posts are unresolved, because only its
// timeline shows whether they were published.
// Proves: F33
func TestConnectAnotherAccount(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		left             post.Status
		userID, username string // of the new tokens; the bot's are 77 and bot
		refused          bool
	}{
		"another account, no posts":                    {"", "78", "other", false},
		"another account, a post is scheduled":         {post.StatusScheduled, "78", "other", false},
		"another account, a post failed":               {post.StatusFailed, "78", "other", false},
		"another account, a post is published":         {post.StatusPublished, "78", "other", false},
		"another account, a post is armed":             {post.StatusArmed, "78", "other", true},
		"another account, a post is unknown":           {post.StatusUnknown, "78", "other", true},
		"another account with the same handle":         {post.StatusUnknown, "78", "bot", true},
		"the same account, a post is armed":            {post.StatusArmed, "77", "bot", false},
		"the same account with a new handle":           {post.StatusUnknown, "77", "robot", false},
		"the same account, the handle in another case": {post.StatusUnknown, "77", "BOT", false},
	} {
		each(t, name, func(t *testing.T, s *store.DB) {
			connect(t, s, "ours", "77", "bot")
			if tt.left != "" {
				leave(t, s, tt.left)
			}
			for _, removed := range []bool{false, true} { // the same if the connection was removed before
				if removed {
					must(s.Bot.Disconnect(t.Context(), november))(t)
				}
				next := propose(t, s, "new")
				before := s.Dump(t, "bot_connections")
				_, err := s.Bot.Connect(t.Context(), next.ID, tt.userID, tt.username, "run-2", november)
				if !tt.refused {
					require.NoError(t, err)
					requireConnected(t, s, "new")
					return
				}
				require.Equal(t, problem.Conflict, problem.CodeOf(err), "%v", err)
				require.Equal(t, before, s.Dump(t, "bot_connections"))
				must(s.Bot.RefuseConnection(t.Context(), next.ID, "conflict", "", "run-2", november))(t)
			}
		})
	}
}

func seedConnection(t *testing.T, s *store.DB, name, username string) {
	t.Helper()
	require.NoError(t, s.Bot.SeedConnection(t.Context(), tokens(name), username, november))
}

func TestSeedConnection(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before    []string // earlier steps, each with its tokens
		connected string   // after the seed
		rows      int
	}{
		"the first time":                                        {nil, "configured", 1},
		"unchanged at the next start":                           {[]string{"seed configured"}, "configured", 1},
		"not after their removal":                               {[]string{"seed configured", "remove"}, "", 1},
		"replaces tokens configured before":                     {[]string{"seed older"}, "configured", 2},
		"after tokens configured before were removed":           {[]string{"seed older", "remove"}, "configured", 2},
		"never replaces a founder's":                            {[]string{"connect hers"}, "hers", 1},
		"never replaces a founder's later ones":                 {[]string{"seed configured", "connect hers"}, "hers", 2},
		"never after a founder removed theirs":                  {[]string{"connect hers", "remove"}, "", 1},
		"although a founder tried them while X was unavailable": {[]string{"refuse configured"}, "configured", 2},
	} {
		each(t, name, func(t *testing.T, s *store.DB) {
			for _, step := range tt.before {
				switch what, name, _ := strings.Cut(step, " "); what {
				case "seed":
					seedConnection(t, s, name, "bot")
				case "connect":
					connect(t, s, name, "77", "bot")
				case "remove":
					must(s.Bot.Disconnect(t.Context(), november))(t)
				case "refuse":
					must(s.Bot.RefuseConnection(t.Context(), propose(t, s, name).ID, "x_unreachable", "", "run-1", november))(t)
				}
			}
			seedConnection(t, s, "configured", "bot")
			requireConnected(t, s, tt.connected)
			require.Equal(t, []any{tt.rows, tt.connected != ""}, []any{s.Count(t, "bot_connections"), s.Count(t, "secrets") == 1})
			require.LessOrEqual(t, s.Count(t, "secrets"), 1)
		})
	}
}

func setControls(t *testing.T, s *store.DB, c bot.ControlsChange) (was, is bot.PostingControls) {
	t.Helper()
	return must2(s.Bot.SetControls(t.Context(), c, "grace", november))(t)
}

func pause(t *testing.T, s *store.DB, paused bool) {
	setControls(t, s, bot.ControlsChange{Paused: &paused, Reason: "a storm"})
}

func TestPostingControls(t *testing.T) {
	t.Parallel()
	each(t, "nothing is armed while the bot is paused", func(t *testing.T, s *store.DB) {
		connection, p := storetest.Connection(t, s), create(t, s, nil, november)
		pause(t, s, true)
		for range 2 {
			held := must(s.Posts.ArmPost(t.Context(), p.ID, 1, connection, november))(t)
			require.Equal(t, []any{post.StatusScheduled, 0, post.CodePaused}, []any{held.Status, held.Attempt, held.Code}, "no try is counted")
			require.Contains(t, held.Reason, "a storm.")
			require.WithinDuration(t, november.Add(time.Hour), held.DueAt(), 0)
		}
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved, "it keeps its slot")
		require.Equal(t, 1, must(s.Posts.Overdue(t.Context(), november))(t))
		pause(t, s, false)
		p = must(s.Posts.Post(t.Context(), p.ID))(t)
		require.Empty(t, p.Code+p.Reason)
		require.WithinDuration(t, november, p.DueAt(), 0, "it is due again")
		require.Equal(t, post.StatusArmed, must(s.Posts.ArmPost(t.Context(), p.ID, 1, connection, november))(t).Status)
	})
	// Nothing is sent once the pause has returned.
	each(t, "nothing is armed after a pause was answered", func(t *testing.T, s *store.DB) {
		connection := storetest.Connection(t, s)
		var posts []post.Post
		for range 12 {
			posts = append(posts, create(t, s, nil, november))
		}
		var armed sync.WaitGroup
		for _, p := range posts {
			armed.Go(func() { _, _ = s.Posts.ArmPost(t.Context(), p.ID, 1, connection, november) })
		}
		pause(t, s, true)
		before := must(s.Posts.CountByStatus(t.Context(), nil))(t)
		armed.Wait()
		require.Equal(t, before[post.StatusArmed], must(s.Posts.CountByStatus(t.Context(), nil))(t)[post.StatusArmed])
	})
	each(t, "controls are stored", func(t *testing.T, s *store.DB) {
		yes := true
		for range 2 { // a repeat changes nothing
			_, is := setControls(t, s, bot.ControlsChange{Paused: &yes, Approval: &yes, Reason: "a storm"})
			kept := must(s.Bot.Controls(t.Context()))(t)
			require.True(t, november.Equal(*is.PausedAt) && november.Equal(*kept.PausedAt))
			is.PausedAt, kept.PausedAt = nil, nil
			require.Equal(t, is, kept)
			require.Equal(t, bot.PostingControls{Approval: true, PausedBy: "grace", PauseReason: "a storm"}, kept)
		}
		was, _ := setControls(t, s, bot.ControlsChange{})
		require.True(t, was.Approval)
	})
	each(t, "overdue leaves out what waits for X", func(t *testing.T, s *store.DB) {
		create(t, s, nil, november.Add(time.Hour))
		limited, cut := create(t, s, nil, november), create(t, s, nil, november)
		must(s.Posts.DelayPost(t.Context(), limited.ID, "x_rate_limited", "X asks us to wait.", november.Add(time.Hour)))(t)
		must(s.Posts.DelayPost(t.Context(), cut.ID, post.CodeNotConnected, post.NotConnectedReason, november.Add(time.Hour)))(t)
		require.Equal(t, 1, must(s.Posts.Overdue(t.Context(), november))(t))
	})
}
