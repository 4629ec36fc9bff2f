package store_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func keys(name string) bot.Keys {
	return bot.Keys{ConsumerKey: "key-" + name, ConsumerSecret: "hunter2-" + name}
}

func proposeKeys(t *testing.T, s *store.DB, name string) bot.ProviderKeys {
	t.Helper()
	founder := xAccount(t, s, "1", "grace")
	k := must(s.Bot.ProposeKeys(t.Context(), keys(name), &founder.ID, november))(t)
	require.Equal(t, bot.KeysCandidate, k.State)
	return k
}

func replaceKeys(t *testing.T, s *store.DB, name string, at time.Time) bot.ProviderKeys {
	t.Helper()
	return must(s.Bot.ReplaceKeys(t.Context(), proposeKeys(t, s, name).ID, "run-"+name, at))(t)
}

// requireKeys checks the current and the previous keys, empty for none. All others are deleted.
func requireKeys(t *testing.T, s *store.DB, inUse, kept string) {
	t.Helper()
	current, previous := must(s.Bot.ProviderKeys(t.Context()))(t), must(s.Bot.PreviousKeys(t.Context()))(t)
	require.Equal(t, []string{inUse, kept}, []string{nameOf(t, s, current), nameOf(t, s, previous)})
	held := len(slices.DeleteFunc([]string{inUse, kept}, func(name string) bool { return name == "" }))
	require.Equal(t, held, s.Count(t, "secrets"))
	require.Equal(t, held, s.Number(t, "SELECT count(*) FROM provider_keys WHERE state IN ('current', 'previous')"))
}

func nameOf(t *testing.T, s *store.DB, k *bot.ProviderKeys) string {
	t.Helper()
	if k == nil {
		return ""
	}
	_, opened := must2(s.Bot.KeysOf(t.Context(), k.ID))(t)
	require.Equal(t, bot.Fingerprint(opened.ConsumerKey, opened.ConsumerSecret), k.Fingerprint)
	return opened.ConsumerKey[len("key-"):]
}

func TestProviderKeys(t *testing.T) {
	t.Parallel()
	each(t, "replaced keys are kept for a rollback", func(t *testing.T, s *store.DB) {
		requireKeys(t, s, "", "")
		replaceKeys(t, s, "first", november)
		requireKeys(t, s, "first", "")
		second := replaceKeys(t, s, "second", november)
		requireKeys(t, s, "second", "first")
		again := must(s.Bot.ReplaceKeys(t.Context(), second.ID, "run-late", november.Add(time.Hour)))(t)
		require.Equal(t, "run-second", again.RunID, "repeated, it changes nothing")
		requireKeys(t, s, "second", "first")
		kept := must(s.Bot.PreviousKeys(t.Context()))(t)
		require.True(t, kept.EndsAt.Equal(november.Add(bot.KeepPrevious)))

		first := kept.ID
		replaceKeys(t, s, "third", november)
		requireKeys(t, s, "third", "second")
		dropped, opened := must2(s.Bot.KeysOf(t.Context(), first))(t)
		require.Equal(t, bot.KeysDiscarded, dropped.State)
		require.Zero(t, opened)
		for _, table := range []string{"provider_keys", "secrets"} {
			require.NotContains(t, s.Dump(t, table), "hunter2")
			require.NotContains(t, s.Dump(t, table), "key-")
		}
	})
	each(t, "rolling back twice restores the first keys", func(t *testing.T, s *store.DB) {
		require.Equal(t, problem.Conflict, codeOf(s.Bot.RollBackKeys(t.Context(), november)), "there is nothing to go back to")
		replaceKeys(t, s, "first", november)
		require.Equal(t, problem.Conflict, codeOf(s.Bot.RollBackKeys(t.Context(), november)))
		replaceKeys(t, s, "second", november)
		later := november.Add(time.Hour)
		must(s.Bot.RollBackKeys(t.Context(), later))(t)
		requireKeys(t, s, "first", "second")
		require.True(t, must(s.Bot.PreviousKeys(t.Context()))(t).EndsAt.Equal(later.Add(bot.KeepPrevious)), "a day of their own")
		require.Nil(t, must(s.Bot.ProviderKeys(t.Context()))(t).EndsAt)
		must(s.Bot.RollBackKeys(t.Context(), later))(t)
		requireKeys(t, s, "second", "first")
		replaceKeys(t, s, "third", later)
		requireKeys(t, s, "third", "second")
	})
	each(t, "previous keys are dropped after a day", func(t *testing.T, s *store.DB) {
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
		require.Equal(t, problem.Conflict, codeOf(s.Bot.RollBackKeys(t.Context(), day)))
	})
	each(t, "refused keys are deleted", func(t *testing.T, s *store.DB) {
		current, bad := replaceKeys(t, s, "first", november), proposeKeys(t, s, "bad")
		for _, code := range []string{"keys_refused", "too_late"} { // only the first refusal counts
			k := must(s.Bot.RefuseKeys(t.Context(), bad.ID, code, "X refused them.", "run-2"))(t)
			require.Equal(t, []any{bot.KeysRefused, "keys_refused"}, []any{k.State, k.Code})
		}
		require.Equal(t, bot.KeysRefused, must(s.Bot.ReplaceKeys(t.Context(), bad.ID, "run-3", november))(t).State)
		requireKeys(t, s, "first", "")
		k := must(s.Bot.RefuseKeys(t.Context(), current.ID, "late", "", "run-4"))(t)
		require.Equal(t, bot.KeysCurrent, k.State, "what is in use cannot be refused any more")
		requireKeys(t, s, "first", "")
		requireCode(t, problem.NotFound, errOf(s.Bot.KeysByID(t.Context(), "nobody's")))
	})
	each(t, "keys replaced at once leave one in use", func(t *testing.T, s *store.DB) {
		var candidates []bot.ProviderKeys
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			candidates = append(candidates, proposeKeys(t, s, name))
		}
		atOnce(t, len(candidates), func(i int) error { return errOf(s.Bot.ReplaceKeys(t.Context(), candidates[i].ID, "run", november)) })
		inUse, kept := nameOf(t, s, must(s.Bot.ProviderKeys(t.Context()))(t)), nameOf(t, s, must(s.Bot.PreviousKeys(t.Context()))(t))
		requireKeys(t, s, inUse, kept)
		if atOnce(t, 9, func(int) error { return errOf(s.Bot.RollBackKeys(t.Context(), november)) }, problem.Conflict)%2 == 1 {
			inUse, kept = kept, inUse
		}
		requireKeys(t, s, inUse, kept)
	})
}

// TestSeedKeysSurvivesLostConnections checks that a retry starts with fresh keys.
func TestSeedKeysSurvivesLostConnections(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		const last = 40
		lost := s.LoseConnections(t, testseed.New(t))
		for i := range last + 1 {
			require.NoError(t, s.Bot.SeedKeys(t.Context(), keys(strconv.Itoa(i)), november))
		}
		require.Positive(t, lost())
		requireKeys(t, s, strconv.Itoa(last), strconv.Itoa(last-1))
	})
}

func TestSeedKeys(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before      []string // earlier steps, each with its keys
		inUse, kept string   // after the seed
	}{
		"the first time":                                        {nil, "configured", ""},
		"unchanged at the next start":                           {[]string{"seed configured"}, "configured", ""},
		"replaces keys configured before":                       {[]string{"seed older"}, "configured", "older"},
		"never replaces a founder's":                            {[]string{"replace hers"}, "hers", ""},
		"not after a founder replaced them":                     {[]string{"seed configured", "replace hers"}, "hers", "configured"},
		"not after their day":                                   {[]string{"seed configured", "replace hers", "drop"}, "hers", ""},
		"although a founder tried them while X was unavailable": {[]string{"refuse configured"}, "configured", ""},
	} {
		each(t, name, func(t *testing.T, s *store.DB) {
			for _, step := range tt.before {
				switch what, name, _ := strings.Cut(step, " "); what {
				case "seed":
					require.NoError(t, s.Bot.SeedKeys(t.Context(), keys(name), november))
				case "replace":
					replaceKeys(t, s, name, november)
				case "drop":
					require.NoError(t, s.Bot.DropKeys(t.Context(), november.Add(bot.KeepPrevious)))
				case "refuse":
					must(s.Bot.RefuseKeys(t.Context(), proposeKeys(t, s, name).ID, "x_unreachable", "", "run-1"))(t)
				}
			}
			require.NoError(t, s.Bot.SeedKeys(t.Context(), keys("configured"), november))
			requireKeys(t, s, tt.inUse, tt.kept)
		})
	}
}

func TestDiagnoses(t *testing.T) {
	t.Parallel()
	each(t, "diagnosis keeps what its steps found", func(t *testing.T, s *store.DB) {
		require.NoError(t, s.Diagnoses.BeginDiagnosis(t.Context(), diagnostic.Run{ID: "d1", Visitor: "v", CreatedAt: november}, account.Asker{}))
		found := diagnostic.Found{
			Finding: diagnostic.Finding{
				Step: diagnostic.StepRequestToken, Code: "keys_refused", Problem: "X refuses the keys.", Remedy: "Make new ones.",
				Facts: []diagnostic.Fact{{Name: "HTTP status", Value: "401"}},
			},
			Measures: diagnostic.Measures{KeyLength: 25, Status: 401}, Raw: "an answer",
		}
		env := diagnostic.Found{Finding: diagnostic.Finding{Step: diagnostic.StepEnvironment, OK: true, Code: "ok", Facts: []diagnostic.Fact{}}}
		require.NoError(t, s.Diagnoses.SaveFinding(t.Context(), "d1", env, november))
		for _, raw := range []string{"a broken answer", "an answer"} { // a repeated step replaces it
			again := found
			again.Raw = raw
			require.NoError(t, s.Diagnoses.SaveFinding(t.Context(), "d1", again, november.Add(time.Second)))
		}
		end := november.Add(time.Minute)
		require.NoError(t, s.Diagnoses.MoveDiagnosis(t.Context(), "d1", "run-1", nil))
		require.NoError(t, s.Diagnoses.MoveDiagnosis(t.Context(), "d1", "run-1", &end))

		run := must(s.Diagnoses.Diagnosis(t.Context(), "d1"))(t)
		require.Equal(t, []diagnostic.Found{env, found}, run.Findings)
		require.Equal(t, "run-1", run.RunID)
		require.True(t, run.EndedAt.Equal(end))
		require.Error(t, s.Diagnoses.SaveFinding(t.Context(), "nobody's", env, november))
		require.Equal(t, problem.NotFound, codeOf(s.Diagnoses.Diagnosis(t.Context(), "nobody's")))
	})
	each(t, "diagnoses are limited", func(t *testing.T, s *store.DB) {
		begin := func(id, visitor string, keys *string, at time.Time) error {
			return s.Diagnoses.BeginDiagnosis(t.Context(), diagnostic.Run{ID: id, Visitor: visitor, ProviderKeyID: keys, CreatedAt: at}, account.Asker{})
		}
		require.NoError(t, begin("d1", "v", nil, november))
		require.Equal(t, problem.TooMany, problem.CodeOf(begin("d2", "v", nil, november)))
		require.NoError(t, begin("d3", "w", nil, november))
		tried := proposeKeys(t, s, "new")
		for _, id := range []string{"d4", "d5"} {
			require.NoError(t, begin(id, "v", &tried.ID, november.Add(time.Second)), "a diagnosis of new keys is not limited")
		}
		require.NoError(t, begin("d6", "v", nil, november.Add(account.DiagnosisPerVisitor.Per)))
		require.Equal(t, 5, s.Count(t, "diagnoses"))
	})
	each(t, "a visitor's latest diagnosis", func(t *testing.T, s *store.DB) {
		tried := proposeKeys(t, s, "new")
		for _, run := range []diagnostic.Run{
			{ID: "early", Visitor: "v", CreatedAt: november},
			{ID: "late", Visitor: "v", CreatedAt: november.Add(time.Hour)},
			{ID: "another's", Visitor: "w", CreatedAt: november.Add(2 * time.Hour)},
			{ID: "of new keys", Visitor: "v", ProviderKeyID: &tried.ID, CreatedAt: november.Add(2 * time.Hour)},
		} {
			require.NoError(t, s.Diagnoses.BeginDiagnosis(t.Context(), run, account.Asker{}))
		}
		require.Equal(t, "late", must(s.Diagnoses.LatestDiagnosis(t.Context(), "v", november.Add(time.Hour)))(t).ID)
		require.Equal(t, problem.NotFound, codeOf(s.Diagnoses.LatestDiagnosis(t.Context(), "v", november.Add(time.Hour+time.Microsecond))))
	})
}
