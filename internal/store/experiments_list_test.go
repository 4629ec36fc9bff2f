package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// titled lists titles, and how many there are in all.
func titled(t *testing.T, s *store.DB, q experiment.Query) ([]string, int) {
	t.Helper()
	listed, total, err := s.Experiments.Experiments(t.Context(), q)
	require.NoError(t, err)
	titles := []string{}
	for _, e := range listed {
		titles = append(titles, e.Title)
	}
	return titles, total
}

// seedLab makes one experiment of each kind; each was submitted an hour after the one before.
func seedLab(t *testing.T, s *store.DB) map[string]experiment.Experiment {
	t.Helper()
	lab := map[string]experiment.Experiment{}
	at := november.AddDate(0, 0, 1)
	for _, one := range []struct {
		title string
		way   []experiment.Status
	}{
		{"Waits for a founder", nil},
		{"Declined unseen", []experiment.Status{experiment.Declined}},
		{"Is being planned", []experiment.Status{experiment.Planning}},
		{"Was declined", []experiment.Status{experiment.Planning, experiment.Declined}},
		{"Has completed", []experiment.Status{experiment.Planning, experiment.Active, experiment.Completed}},
		{"Has shipped 100%_so", []experiment.Status{experiment.Planning, experiment.Active, experiment.Completed, experiment.Shipped}},
	} {
		at = at.Add(time.Hour)
		e, err := s.Experiments.SubmitExperiment(t.Context(), newIdea(t, one.title, experiment.FromVisitor, nil, at), "")
		require.NoError(t, err)
		lab[one.title] = moveTo(t, s, e, one.way...)
	}
	return lab
}

func TestWhatIsListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		lab := seedLab(t, s)
		const first = "Public experiments page"
		for name, tt := range map[string]struct {
			q     experiment.Query
			want  []string
			total int
		}{
			"what is public, newest first": {experiment.Query{}, []string{"Has shipped 100%_so", "Has completed", "Is being planned", first}, 4},
			"a page of it":                 {experiment.Query{Limit: 2, Offset: 1}, []string{"Has completed", "Is being planned"}, 4},
			"a page after the last":        {experiment.Query{Limit: 2, Offset: 9}, []string{}, 4},
			"what waits":                   {experiment.Query{Status: experiment.Waiting}, []string{"Waits for a founder"}, 1},
			"what was declined in public":  {experiment.Query{Status: experiment.Declined}, []string{"Was declined"}, 1},
			"what is active":               {experiment.Query{Status: experiment.Active}, []string{first}, 1},
			"what is tested":               {experiment.Query{Status: experiment.Testing}, []string{}, 0},
			"in a title, in any case":      {experiment.Query{Text: "  bEING   planned "}, []string{"Is being planned"}, 1},
			"in a problem":                 {experiment.Query{Text: "what they shipped"}, []string{first}, 1},
			"in a hypothesis":              {experiment.Query{Text: "members will VOTE"}, []string{first}, 1},
			"not in what does not show":    {experiment.Query{Text: "founder"}, []string{}, 0},
			"with its status":              {experiment.Query{Text: "how they feel", Status: experiment.Completed}, []string{"Has completed"}, 1},
			"a percent sign is itself":     {experiment.Query{Text: "%"}, []string{"Has shipped 100%_so"}, 1},
			"an underscore is itself":      {experiment.Query{Text: "%_S"}, []string{"Has shipped 100%_so"}, 1},
			"a backslash is itself":        {experiment.Query{Text: `\`}, []string{}, 0},
			"a quote is itself":            {experiment.Query{Text: `' OR '1'='1`}, []string{}, 0},
			"the furthest first":           {experiment.Query{Order: experiment.Furthest}, []string{"Has shipped 100%_so", "Has completed", first, "Is being planned"}, 4},
		} {
			titles, total := titled(t, s, tt.q)
			require.Equal(t, tt.want, titles, name)
			require.Equal(t, tt.total, total, name)
		}

		progress := 10
		_, err := s.Experiments.EditExperiment(t.Context(), "001", 1, experiment.Edit{Progress: &progress}, november.AddDate(0, 0, 9))
		require.NoError(t, err)
		titles, _ := titled(t, s, experiment.Query{Order: experiment.Latest})
		require.Equal(t, first, titles[0])

		totals, err := s.Experiments.ExperimentTotals(t.Context())
		require.NoError(t, err)
		require.Equal(t, experiment.Totals{Experiments: 4, Running: 1, Completed: 2}, totals)

		shipped := lab["Has shipped 100%_so"]
		for _, key := range []string{"5", "005", "005-has-shipped-100-so", shipped.ID} {
			e, err := s.Experiments.Experiment(t.Context(), key)
			require.NoError(t, err, key)
			require.Equal(t, shipped.ID, e.ID)
		}
	})
}

func TestListsAreOrderedByVotes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		var members []string
		for _, name := range []string{"ada", "eve", "bob"} {
			members = append(members, *newMember(t, s, name))
		}
		votes := map[string][]int{"Liked by two": {1, 1, -1}, "Liked by one": {1}, "Liked by none": {-1, -1}, "Nobody voted": {}}
		for _, title := range []string{"Liked by none", "Liked by one", "Liked by two", "Nobody voted"} {
			e := submit(t, s, title, experiment.FromFounder)
			for i, value := range votes[title] {
				_, err := s.Experiments.CastVote(t.Context(), e.ID, members[i], value, november)
				require.NoError(t, err)
			}
		}
		for range 2 {
			listed, total, err := s.Experiments.Experiments(t.Context(), experiment.Query{Order: experiment.MostUp, Limit: 2})
			require.NoError(t, err)
			require.Equal(t, 5, total)
			require.Equal(t, []string{"Liked by two", "Liked by one"}, []string{listed[0].Title, listed[1].Title})
			require.Equal(t, experiment.Tally{Up: 2, Down: 1}, listed[0].Tally)
			require.Equal(t, []string{}, listed[0].TechStack)
		}
		titles, _ := titled(t, s, experiment.Query{Order: experiment.MostUp})
		require.Equal(t, []string{"Liked by two", "Liked by one", "Public experiments page", "Nobody voted", "Liked by none"}, titles)
		totals, err := s.Experiments.ExperimentTotals(t.Context())
		require.NoError(t, err)
		require.Equal(t, 6, totals.Votes)
	})
}

func TestWhoHasLeftIsNotNamed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		e, err := s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "Emoji reactions", experiment.FromMember, ada, november), *ada)
		require.NoError(t, err)
		for status, want := range map[member.Status]string{member.StatusActive: "ada", member.StatusFrozen: "ada", member.StatusRemoved: ""} {
			require.NoError(t, s.SetMemberStatus(t.Context(), *ada, status))
			found, err := s.Experiments.Experiment(t.Context(), e.ID)
			require.NoError(t, err)
			require.Equal(t, want, found.Submitter, status)
			listed, _, err := s.Experiments.Experiments(t.Context(), experiment.Query{Status: experiment.Waiting})
			require.NoError(t, err)
			require.Equal(t, want, listed[0].Submitter, status)
		}
	})
}
