package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func keys(name string) bot.Keys {
	return bot.Keys{ConsumerKey: "key-" + name, ConsumerSecret: "hunter2-" + name}
}

// proposeKeys keeps a person's keys until they were tried.
func proposeKeys(t *testing.T, s *store.DB, name string) bot.ProviderKeys {
	t.Helper()
	founder := xAccount(t, s, "1", "grace")
	k, err := s.Bot.ProposeKeys(t.Context(), keys(name), &founder.ID, november)
	require.NoError(t, err)
	require.Equal(t, bot.KeysCandidate, k.State)
	return k
}

func replaceKeys(t *testing.T, s *store.DB, name string, at time.Time) bot.ProviderKeys {
	t.Helper()
	k, err := s.Bot.ReplaceKeys(t.Context(), proposeKeys(t, s, name).ID, "run-"+name, at)
	require.NoError(t, err)
	return k
}

func rollBack(t *testing.T, s *store.DB, at time.Time) {
	t.Helper()
	_, err := s.Bot.RollBackKeys(t.Context(), at)
	require.NoError(t, err)
}

func seedKeys(t *testing.T, s *store.DB, name string) {
	t.Helper()
	require.NoError(t, s.Bot.SeedKeys(t.Context(), keys(name), november))
}

// requireKeys says which keys are in use and which are kept; "" is none. All others are
// forgotten.
func requireKeys(t *testing.T, s *store.DB, inUse, kept string) {
	t.Helper()
	current, err := s.Bot.ProviderKeys(t.Context())
	require.NoError(t, err)
	previous, err := s.Bot.PreviousKeys(t.Context())
	require.NoError(t, err)
	require.Equal(t, inUse, nameOf(t, s, current))
	require.Equal(t, kept, nameOf(t, s, previous))
	held := 0
	for _, name := range []string{inUse, kept} {
		if name != "" {
			held++
		}
	}
	require.Equal(t, held, s.Count(t, "secrets"))
	require.Equal(t, held, s.Number(t, "SELECT count(*) FROM provider_keys WHERE state IN ('current', 'previous')"))
}

func nameOf(t *testing.T, s *store.DB, k *bot.ProviderKeys) string {
	t.Helper()
	if k == nil {
		return ""
	}
	_, opened, err := s.Bot.KeysOf(t.Context(), k.ID)
	require.NoError(t, err)
	require.Equal(t, bot.Fingerprint(opened.ConsumerKey, opened.ConsumerSecret), k.Fingerprint)
	return opened.ConsumerKey[len("key-"):]
}

func TestReplacedKeysAreKeptForAWayBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		requireKeys(t, s, "", "")
		replaceKeys(t, s, "first", november)
		requireKeys(t, s, "first", "")
		second := replaceKeys(t, s, "second", november)
		requireKeys(t, s, "second", "first")
		again, err := s.Bot.ReplaceKeys(t.Context(), second.ID, "run-late", november.Add(time.Hour))
		require.NoError(t, err)
		require.Equal(t, "run-second", again.RunID, "repeated, it changes nothing")
		requireKeys(t, s, "second", "first")
		kept, err := s.Bot.PreviousKeys(t.Context())
		require.NoError(t, err)
		require.True(t, kept.EndsAt.Equal(november.Add(bot.KeepPrevious)))

		first := kept.ID
		replaceKeys(t, s, "third", november)
		requireKeys(t, s, "third", "second")
		dropped, opened, err := s.Bot.KeysOf(t.Context(), first)
		require.NoError(t, err)
		require.Equal(t, bot.KeysDropped, dropped.State)
		require.Zero(t, opened)
		for _, table := range []string{"provider_keys", "secrets"} {
			require.NotContains(t, s.Dump(t, table), "hunter2")
			require.NotContains(t, s.Dump(t, table), "key-")
		}
	})
}

func TestRollingBackTwiceReturns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, err := s.Bot.RollBackKeys(t.Context(), november)
		require.Equal(t, problem.Conflict, problem.CodeOf(err), "there is nothing to go back to")
		replaceKeys(t, s, "first", november)
		_, err = s.Bot.RollBackKeys(t.Context(), november)
		require.Equal(t, problem.Conflict, problem.CodeOf(err))
		replaceKeys(t, s, "second", november)
		later := november.Add(time.Hour)
		rollBack(t, s, later)
		requireKeys(t, s, "first", "second")
		kept, err := s.Bot.PreviousKeys(t.Context())
		require.NoError(t, err)
		require.True(t, kept.EndsAt.Equal(later.Add(bot.KeepPrevious)), "a day of their own")
		current, err := s.Bot.ProviderKeys(t.Context())
		require.NoError(t, err)
		require.Nil(t, current.EndsAt)
		rollBack(t, s, later)
		requireKeys(t, s, "second", "first")
		replaceKeys(t, s, "third", later)
		requireKeys(t, s, "third", "second")
	})
}

func TestPreviousKeysAreDroppedAfterADay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Bot.DropKeys(t.Context(), november), "there are none")
		replaceKeys(t, s, "first", november)
		replaceKeys(t, s, "second", november)
		day := november.Add(bot.KeepPrevious)
		require.NoError(t, s.Bot.DropKeys(t.Context(), day.Add(-time.Microsecond)))
		requireKeys(t, s, "second", "first")
		for range 2 {
			require.NoError(t, s.Bot.DropKeys(t.Context(), day))
			requireKeys(t, s, "second", "")
		}
		_, err := s.Bot.RollBackKeys(t.Context(), day)
		require.Equal(t, problem.Conflict, problem.CodeOf(err))
	})
}

func TestRefusedKeysAreForgotten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		replaceKeys(t, s, "first", november)
		bad := proposeKeys(t, s, "bad")
		for _, code := range []string{"keys_refused", "too_late"} { // they are refused once
			k, err := s.Bot.RefuseKeys(t.Context(), bad.ID, code, "X refused them.", "run-2")
			require.NoError(t, err)
			require.Equal(t, bot.KeysRefused, k.State)
			require.Equal(t, "keys_refused", k.Code)
		}
		k, err := s.Bot.ReplaceKeys(t.Context(), bad.ID, "run-3", november)
		require.NoError(t, err)
		require.Equal(t, bot.KeysRefused, k.State)
		requireKeys(t, s, "first", "")
		current, err := s.Bot.ProviderKeys(t.Context())
		require.NoError(t, err)
		k, err = s.Bot.RefuseKeys(t.Context(), current.ID, "late", "", "run-4")
		require.NoError(t, err)
		require.Equal(t, bot.KeysCurrent, k.State, "what is in use cannot be refused any more")
		requireKeys(t, s, "first", "")
		_, err = s.Bot.KeysByID(t.Context(), "nobody's")
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}

func TestKeysReplacedAtOnceLeaveOneInUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		var candidates []bot.ProviderKeys
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			candidates = append(candidates, proposeKeys(t, s, name))
		}
		atOnce(t, len(candidates), func(i int) error {
			_, err := s.Bot.ReplaceKeys(t.Context(), candidates[i].ID, "run", november)
			return err
		})
		current, err := s.Bot.ProviderKeys(t.Context())
		require.NoError(t, err)
		previous, err := s.Bot.PreviousKeys(t.Context())
		require.NoError(t, err)
		requireKeys(t, s, nameOf(t, s, current), nameOf(t, s, previous))
		done := atOnce(t, 9, func(int) error {
			_, err := s.Bot.RollBackKeys(t.Context(), november)
			return err
		}, problem.Conflict)
		inUse, kept := nameOf(t, s, current), nameOf(t, s, previous)
		if done%2 == 1 {
			inUse, kept = kept, inUse
		}
		requireKeys(t, s, inUse, kept)
	})
}

func TestConfiguredKeysAreTakenUp(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before      func(t *testing.T, s *store.DB)
		inUse, kept string // after the configuration's keys were seen at a start
	}{
		"the first time": {func(*testing.T, *store.DB) {}, "configured", ""},
		"and not again":  {func(t *testing.T, s *store.DB) { seedKeys(t, s, "configured") }, "configured", ""},
		"in place of what was configured before": {func(t *testing.T, s *store.DB) {
			seedKeys(t, s, "older")
		}, "configured", "older"},
		"never over a person's": {func(t *testing.T, s *store.DB) {
			replaceKeys(t, s, "hers", november)
		}, "hers", ""},
		"not again after a person replaced them": {func(t *testing.T, s *store.DB) {
			seedKeys(t, s, "configured")
			replaceKeys(t, s, "hers", november)
		}, "hers", "configured"},
		"not again after their day was over": {func(t *testing.T, s *store.DB) {
			seedKeys(t, s, "configured")
			replaceKeys(t, s, "hers", november)
			require.NoError(t, s.Bot.DropKeys(t.Context(), november.Add(bot.KeepPrevious)))
		}, "hers", ""},
		"although a person tried them while X was down": {func(t *testing.T, s *store.DB) {
			_, err := s.Bot.RefuseKeys(t.Context(), proposeKeys(t, s, "configured").ID, "x_unreachable", "", "run-1")
			require.NoError(t, err)
		}, "configured", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				tt.before(t, s)
				seedKeys(t, s, "configured")
				requireKeys(t, s, tt.inUse, tt.kept)
			})
		})
	}
}
