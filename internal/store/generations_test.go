package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
)

// asked stores a generation of some models. Its candidates are named by their labels.
func asked(t *testing.T, s *store.DB, id string, accountID *string, models ...string) generation.Listed {
	t.Helper()
	label := 'A' - 1
	candidates := generation.Blank(id, models, strings.ToLower, func() string { label++; return id + string(label) })
	g := generation.Generation{
		ID: id, AccountID: accountID, Voice: "founder", Topic: "us", Blind: len(models) > 1, CreatedAt: november,
		Facts: []generation.Fact{{Kind: "quota", Text: "Of 500 posts 12 are spent."}},
	}
	require.NoError(t, s.Generations.BeginGeneration(t.Context(), g, candidates, id))
	return must(s.Generations.Generation(t.Context(), id))(t)
}

func done(text string) generation.End { return generation.EndOf(text) }

func broken() generation.End {
	return generation.End{State: generation.Failed, Code: problem.ModelTrouble, Reason: "It did not answer in time."}
}

func TestGenerations(t *testing.T) {
	t.Parallel()
	each(t, "a generation is stored as it was requested", func(t *testing.T, s *store.DB) {
		a := asked(t, s, "g", nil, "b", "a")
		require.Equal(t, []generation.Fact{{Kind: "quota", Text: "Of 500 posts 12 are spent."}}, a.Facts)
		require.Equal(t, []any{[]string{"gA", "gB"}, "a", false, november}, []any{idsOf(a.Candidates), a.Candidates[0].Model, a.Ended(), a.CreatedAt.UTC()})
		require.NoError(t, s.Generations.MoveGeneration(t.Context(), "g", "run-1"))
		require.Equal(t, "run-1", must(s.Generations.Generation(t.Context(), "g"))(t).RunID)
		requireCode(t, problem.NotFound, errOf(s.Generations.Generation(t.Context(), "other")))
	})
	each(t, "a text grows and ends once", func(t *testing.T, s *store.DB) {
		asked(t, s, "g", nil, "a")
		read := func() generation.Candidate {
			c, g := must2(s.Generations.Candidate(t.Context(), "gA"))(t)
			require.Equal(t, "g", g.ID)
			return c
		}
		require.NoError(t, s.Generations.WriteCandidate(t.Context(), "gA", "too early"))
		require.Empty(t, read().Text)
		require.True(t, must(s.Generations.BeginCandidate(t.Context(), "gA", "tweet.v1"))(t))
		require.False(t, must(s.Generations.BeginCandidate(t.Context(), "gA", "tweet.v1"))(t), "a model is called once")
		require.NoError(t, s.Generations.WriteCandidate(t.Context(), "gA", "Hel\x00lo\xff"))
		require.Equal(t, "Hello\uFFFD", read().Text)

		require.NoError(t, s.ModelCalls.SaveCall(t.Context(), model.Call{ID: "c1", Task: "tweet", Model: "a", Outcome: model.Answered, CreatedAt: november}))
		end := done("Hello there.")
		end.CallID = new("c1")
		require.Equal(t, generation.Done, must(s.Generations.EndCandidate(t.Context(), "gA", end, november))(t).State)
		c := read()
		require.Equal(t, []any{"Hello there.", "c1", "tweet.v1", november}, []any{c.Text, *c.CallID, c.Prompt, c.EndedAt.UTC()})
		require.Equal(t, c, must(s.Generations.EndCandidate(t.Context(), "gA", generation.Lost(), november.Add(time.Hour)))(t), "the first end stays")
		require.NoError(t, s.Generations.WriteCandidate(t.Context(), "gA", "too late"))
		require.NoError(t, s.Generations.EndGeneration(t.Context(), "g", november.Add(time.Hour)))
		require.Equal(t, c, read())
	})
	each(t, "which texts a post may use", func(t *testing.T, s *store.DB) {
		ada, eve := emailAccount(t, s, "ada", "ada@example.com"), emailAccount(t, s, "eve", "eve@example.com")
		asked(t, s, "hers", &ada.ID, "a", "b", "c", "d")
		asked(t, s, "programs", nil, "a")
		for id, end := range map[string]generation.End{"hersA": done("Hello."), "hersB": done("**Hello.**"), "hersC": broken(), "programsA": done("Hi.")} {
			must(s.Generations.EndCandidate(t.Context(), id, end, november))(t)
		}
		for name, tt := range map[string]struct {
			id    string
			whose *string
			found bool
		}{
			"of the same account":            {"hersA", &ada.ID, true},
			"invalid, to be edited":          {"hersB", &ada.ID, true},
			"failed":                         {"hersC", &ada.ID, false},
			"not written":                    {"hersD", &ada.ID, false},
			"of another member":              {"hersA", &eve.ID, false},
			"of a member, for the admin key": {"hersA", nil, false},
			"of the admin key, for itself":   {"programsA", nil, true},
			"of the admin key, for a member": {"programsA", &ada.ID, false},
			"unknown":                        {"x", &ada.ID, false},
		} {
			c, err := s.Generations.CandidateForPost(t.Context(), tt.id, tt.whose)
			require.Equal(t, []bool{tt.found, tt.found}, []bool{err == nil, c.ID == tt.id}, name)
			if !tt.found {
				require.EqualError(t, err, "There is no such generated text.", name)
				requireCode(t, problem.NotFound, err)
			}
		}
	})
	each(t, "one vote a generation", func(t *testing.T, s *store.DB) {
		asked(t, s, "g", nil, "a", "b")
		for _, id := range []string{"gA", "gB"} {
			must(s.Generations.EndCandidate(t.Context(), id, done("Hello."), november))(t)
		}
		require.Equal(t, 1, atOnce(t, 50, func(i int) error {
			return s.Generations.Vote(t.Context(), generation.Vote{GenerationID: "g", CandidateID: []string{"gA", "gB"}[i%2], CreatedAt: november})
		}, problem.GenerationEnded))
		a := must(s.Generations.Generation(t.Context(), "g"))(t)
		require.True(t, a.Voted)
		require.NotEqual(t, a.Candidates[0].Chosen, a.Candidates[1].Chosen, "one is chosen")
		err := s.Exec(`INSERT INTO generation_votes (generation_id, candidate_id, created_at) VALUES ('g', 'gA', '2026-11-20')`)
		require.ErrorIs(t, err, gorm.ErrDuplicatedKey)
	})
	each(t, "leaderboard", func(t *testing.T, s *store.DB) {
		standings, votes := must2(s.Generations.Leaderboard(t.Context()))(t)
		require.Equal(t, []int{0, 0}, []int{len(standings), votes})
		for i, play := range []struct {
			winner string // empty without a vote
			models []string
		}{
			{"a", []string{"a", "b"}},
			{"a", []string{"a", "b", "broken"}},
			{"b", []string{"a", "b", "c"}},
			{"", []string{"a", "c"}},
			{"", []string{"a"}},                           // nothing to compare
			{"a", []string{"a", generation.LongTemplate}}, // templates are no models
			{generation.LongTemplate, []string{"a", "b", generation.LongTemplate, "builtin-1"}},
		} {
			g := asked(t, s, fmt.Sprint(i), nil, play.models...)
			for _, c := range g.Candidates {
				end := done("Hello.")
				if c.Model == "broken" {
					end = broken()
				}
				must(s.Generations.EndCandidate(t.Context(), c.ID, end, november))(t)
			}
			for _, c := range g.Candidates {
				if c.Model == play.winner {
					require.NoError(t, s.Generations.Vote(t.Context(), generation.Vote{GenerationID: g.ID, CandidateID: c.ID, CreatedAt: november}))
				}
			}
		}
		standings, votes = must2(s.Generations.Leaderboard(t.Context()))(t)
		require.Equal(t, 4, votes)
		require.Equal(t, []generation.Standing{{Model: "a", Wins: 2, Votes: 4}, {Model: "b", Wins: 1, Votes: 4}, {Model: "c", Wins: 0, Votes: 1}}, standings)
	})
	each(t, "Tidy ends texts whose worker was lost", func(t *testing.T, s *store.DB) {
		asked(t, s, "g", nil, "a", "b")
		must(s.Generations.EndCandidate(t.Context(), "gA", done("Hello."), november))(t)
		require.NoError(t, s.Tidy(t.Context(), november.Add(generation.Patience)))
		require.False(t, must(s.Generations.Generation(t.Context(), "g"))(t).Ended())
		require.NoError(t, s.Tidy(t.Context(), november.Add(generation.Patience+time.Second)))
		kept, lost := must(s.Generations.Generation(t.Context(), "g"))(t).Candidates[0], must(s.Generations.Generation(t.Context(), "g"))(t).Candidates[1]
		require.Equal(t, generation.Done, kept.State)
		require.Equal(t, []any{generation.Failed, generation.Lost().Reason, string(problem.ModelTrouble)}, []any{lost.State, lost.Reason, lost.Code})
	})
}

func TestGenerationLimits(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, s *store.DB, id, whom string, at time.Time, models ...string) error {
		candidates := generation.Blank(id, models, strings.ToLower, func() string { return xid.New().String() })
		return s.Generations.BeginGeneration(t.Context(), generation.Generation{ID: id, Voice: "founder", CreatedAt: at}, candidates, whom)
	}
	each(t, "texts of an account", func(t *testing.T, s *store.DB) {
		for i := range account.GenerationsPerAccount.Most/2 - 1 {
			require.NoError(t, begin(t, s, string(rune('a'+i)), "ada", november, "a", "b"))
		}
		requireCode(t, problem.TooMany, begin(t, s, "y", "ada", november, "a", "b", "c")) // only two are left
		require.NoError(t, begin(t, s, "z", "ada", november, "a", "b"), "what was refused was not counted")
		requireCode(t, problem.TooMany, begin(t, s, "x", "ada", november, "a"))
		require.Equal(t, account.GenerationsPerAccount.Most, s.Count(t, "generation_candidates"))
	})
	// The daily cost of models is bounded for all members together.
	each(t, "texts of all accounts together in a day", func(t *testing.T, s *store.DB) {
		require.NoError(t, begin(t, s, "first", "ada", november, "a", "b"))
		require.NoError(t, s.Exec("UPDATE rate_windows SET used = ? WHERE bucket = 'generation-day:all'", account.GenerationsOverall.Most-1))
		over := november.Add(account.GenerationsOverall.Per)
		// One is left, and two are requested.
		requireTooMany(t, begin(t, s, "second", "bea", over.Add(-time.Second), "a", "b"), over, "Too many texts by models overall.")
		require.Equal(t, 2, s.Count(t, "generation_candidates"))
		require.NoError(t, begin(t, s, "third", "cleo", over, "a", "b"), "the next day starts a new window")
	})
}
