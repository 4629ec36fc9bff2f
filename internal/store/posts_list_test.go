package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func idsOf(posts []post.Listed) (ids []string) {
	for _, p := range posts {
		ids = append(ids, p.ID)
	}
	return ids
}

func TestCalendarShowsWhenPostsWentOutOrAreTo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		from, to := november, november.Add(24*time.Hour)
		first, last := create(t, s, nil, from), create(t, s, nil, to.Add(-time.Microsecond))
		create(t, s, nil, to)
		giveUp(t, s, create(t, s, nil, from.Add(time.Hour)))
		late := create(t, s, nil, from.Add(-time.Hour)) // went out later than planned
		armed, err := s.Posts.ArmPost(t.Context(), late.ID, 1, storetest.Connection(t, s), november)
		require.NoError(t, err)
		conclude(t, s, armed, post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: from.Add(time.Hour)})

		found, cut, err := s.Posts.PostsBetween(t.Context(), from, to, nil, 10)
		require.NoError(t, err)
		require.False(t, cut)
		require.Equal(t, []string{first.ID, late.ID, last.ID}, idsOf(found))
		require.NotNil(t, found[0].Slot)

		found, cut, err = s.Posts.PostsBetween(t.Context(), from, to, nil, 2)
		require.NoError(t, err)
		require.True(t, cut)
		require.Len(t, found, 2)
	})
}

func TestDraftsAreTheirMembersOwn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, eve := newMember(t, s, "ada"), newMember(t, s, "eve")
		hers := ask(t, s, ada, november.Add(time.Hour))
		theirs := draft(nil, november.Add(time.Hour))
		theirs.Status = post.StatusDraft
		theirs, err := s.Posts.CreatePost(t.Context(), theirs, november)
		require.NoError(t, err)
		public := create(t, s, eve, november.Add(time.Hour))
		for name, tt := range map[string]struct {
			viewer *post.Viewer
			sees   []string
		}{
			"founders see all":        {nil, []string{hers.ID, theirs.ID, public.ID}},
			"a member their own":      {&post.Viewer{MemberID: *ada}, []string{hers.ID, public.ID}},
			"another member none":     {&post.Viewer{MemberID: *eve}, []string{public.ID}},
			"a visitor none, no name": {&post.Viewer{}, []string{public.ID}},
		} {
			listed, total, err := s.Posts.Posts(t.Context(), post.Filter{Viewer: tt.viewer, Limit: 10})
			require.NoError(t, err)
			require.ElementsMatch(t, tt.sees, idsOf(listed), name)
			require.Equal(t, len(tt.sees), total, name)
			between, _, err := s.Posts.PostsBetween(t.Context(), november, november.Add(2*time.Hour), tt.viewer, 10)
			require.NoError(t, err)
			require.ElementsMatch(t, tt.sees, idsOf(between), name)
			counts, err := s.Posts.CountByStatus(t.Context(), tt.viewer)
			require.NoError(t, err)
			require.Equal(t, len(tt.sees), counts[post.StatusDraft]+counts[post.StatusScheduled], name)
			compared, err := s.Posts.ToCompare(t.Context(), november, tt.viewer)
			require.NoError(t, err)
			require.Len(t, compared, len(tt.sees), name)
			for _, p := range listed {
				require.True(t, tt.viewer.MaySee(p.Post))
			}
		}
	})
}

func TestBudgetMarksWhoseSlotsTheyAre(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		create(t, s, nil, november)
		conclude(t, s, arm(t, s, ada), post.Verdict{Outcome: post.OutcomePublished, TweetID: "7", At: november})
		create(t, s, ada, november)
		founders := ""
		for cells, holder := range map[string]*string{"rsr": nil, "rSR": ada, "Rsr": &founders} {
			budget, err := s.Posts.Budget(t.Context(), "2026-11", holder)
			require.NoError(t, err)
			require.Equal(t, cells+strings.Repeat(".", 497), budget.Cells)
			require.Equal(t, post.MonthUsage{Spent: 1, Reserved: 2, CommonsHeld: 1, Members: 1}, budget.Usage)
			require.Equal(t, strings.Count(cells, "R")+strings.Count(cells, "S"), budget.OwnHeld)
		}
		untouched, err := s.Posts.Budget(t.Context(), "2027-01", ada)
		require.NoError(t, err)
		require.Equal(t, strings.Repeat(".", 500), untouched.Cells)
	})
}

func TestPostsToCompareAreOpenOrLate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		open := create(t, s, nil, november)
		giveUp(t, s, create(t, s, nil, november))
		for i, age := range []time.Duration{29, 31} {
			v := post.Verdict{Outcome: post.OutcomePublished, TweetID: string(rune('7' + i)), At: november.Add(-age * 24 * time.Hour)}
			conclude(t, s, arm(t, s, nil), v)
		}
		found, err := s.Posts.ToCompare(t.Context(), november.Add(-30*24*time.Hour), nil)
		require.NoError(t, err)
		require.Len(t, found, 2)
		taken, err := s.Posts.TextOpenBeside(t.Context(), open.Text, open.ID)
		require.NoError(t, err)
		require.False(t, taken, "a post is no duplicate of itself")
	})
}

// generate writes a generation with one text down.
func generate(t *testing.T, s *store.DB, id string, blind bool) (candidateID *string) {
	t.Helper()
	require.NoError(t, s.Exec(`INSERT INTO generations (id, voice, topic, facts, blind, run_id, created_at)
		VALUES (?, 'founder', 'mugs', '[]', ?, '', ?)`, id, blind, november))
	require.NoError(t, s.Exec(`INSERT INTO candidates (id, generation_id, label, model, prompt, state, text, code, reason, chosen, ended_at)
		VALUES (?, ?, 'A', 'builtin-1', 'tweet.v1', ?, 'generated', '', '', false, ?)`, id, id, generation.Done, november))
	return &id
}

func TestGeneratedTextNamesItsModel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := draft(nil, november)
		p.Text, p.CandidateID = "generated", generate(t, s, "c1", false)
		p, err := s.Posts.CreatePost(t.Context(), p, november)
		require.NoError(t, err)
		listed, err := s.Posts.ListedPost(t.Context(), p.ID)
		require.NoError(t, err)
		require.Equal(t, &post.Source{Model: "builtin-1", Prompt: "tweet.v1"}, listed.Source)
		require.False(t, listed.Edited)

		for _, text := range []string{"changed", "generated"} {
			p, err = s.Posts.ChangePost(t.Context(), p.ID, post.Change{Text: &text}, november)
			require.NoError(t, err)
			require.Equal(t, text != "generated", p.Edited, text)
		}
	})
}

// A post must not tell which model wrote what people are still to vote on.
func TestModelOfABlindVoteIsNotNamed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		p := draft(nil, november)
		p.CandidateID = generate(t, s, "c1", true)
		p, err := s.Posts.CreatePost(t.Context(), p, november)
		require.NoError(t, err)
		listed, err := s.Posts.ListedPost(t.Context(), p.ID)
		require.NoError(t, err)
		require.Nil(t, listed.Source)

		require.NoError(t, s.Exec(`INSERT INTO generation_votes (generation_id, candidate_id, created_at) VALUES ('c1', 'c1', ?)`, november))
		listed, err = s.Posts.ListedPost(t.Context(), p.ID)
		require.NoError(t, err)
		require.NotNil(t, listed.Source)
	})
}
