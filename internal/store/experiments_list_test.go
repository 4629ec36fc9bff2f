package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/store"
)

// titled lists titles, and how many there are in all.
func titled(t *testing.T, s *store.DB, q experiment.Query) ([]string, int) {
	t.Helper()
	listed, total := must2(s.Experiments.Experiments(t.Context(), q))(t)
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
		e := must(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, one.title, experiment.FromVisitor, nil, at), ""))(t)
		lab[one.title] = moveTo(t, s, e, one.way...)
	}
	return lab
}

func TestExperimentLists(t *testing.T) {
	t.Parallel()
	each(t, "filters and search", func(t *testing.T, s *store.DB) {
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
		must(s.Experiments.EditExperiment(t.Context(), "001", 1, experiment.Edit{Progress: &progress}, november.AddDate(0, 0, 9)))(t)
		titles, _ := titled(t, s, experiment.Query{Order: experiment.Latest})
		require.Equal(t, first, titles[0])

		require.Equal(t, experiment.Totals{Experiments: 4, Running: 1, Completed: 2}, must(s.Experiments.ExperimentTotals(t.Context()))(t))

		shipped := lab["Has shipped 100%_so"]
		for _, key := range []string{"5", "005", "005-has-shipped-100-so", shipped.ID} {
			e := must(s.Experiments.Experiment(t.Context(), key))(t, key)
			require.Equal(t, shipped.ID, e.ID)
		}
	})
	each(t, "order by votes", func(t *testing.T, s *store.DB) {
		var members []string
		for _, name := range []string{"ada", "eve", "bob"} {
			members = append(members, *newMember(t, s, name))
		}
		votes := map[string][]int{"Liked by two": {1, 1, -1}, "Liked by one": {1}, "Liked by none": {-1, -1}, "Nobody voted": {}}
		for _, title := range []string{"Liked by none", "Liked by one", "Liked by two", "Nobody voted"} {
			e := submit(t, s, title, experiment.FromFounder)
			for i, value := range votes[title] {
				must(s.Experiments.CastVote(t.Context(), e.ID, members[i], value, november))(t)
			}
		}
		for range 2 {
			listed, total := must2(s.Experiments.Experiments(t.Context(), experiment.Query{Order: experiment.MostUp, Limit: 2}))(t)
			require.Equal(t, 5, total)
			require.Equal(t, []string{"Liked by two", "Liked by one"}, []string{listed[0].Title, listed[1].Title})
			require.Equal(t, experiment.VoteCounts{Up: 2, Down: 1}, listed[0].VoteCounts)
			require.Equal(t, []string{}, listed[0].TechStack)
		}
		titles, _ := titled(t, s, experiment.Query{Order: experiment.MostUp})
		require.Equal(t, []string{"Liked by two", "Liked by one", "Public experiments page", "Nobody voted", "Liked by none"}, titles)
		require.Equal(t, 6, must(s.Experiments.ExperimentTotals(t.Context()))(t).Votes)
	})
	each(t, "a removed member is not named", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		e := must(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "Emoji reactions", experiment.FromMember, ada, november), *ada))(t)
		for status, want := range map[member.Status]string{member.StatusActive: "ada", member.StatusFrozen: "ada", member.StatusRemoved: ""} {
			require.NoError(t, s.SetMemberStatus(t.Context(), *ada, status))
			require.Equal(t, want, must(s.Experiments.Experiment(t.Context(), e.ID))(t).Submitter, status)
			listed, _ := must2(s.Experiments.Experiments(t.Context(), experiment.Query{Status: experiment.Waiting}))(t)
			require.Equal(t, want, listed[0].Submitter, status)
		}
	})
}

// The window of these tests is the hour before noon.
func measured(t *testing.T, s *store.DB, m experiment.Metric) experiment.Reading {
	t.Helper()
	return must(s.Experiments.ReadMetric(t.Context(), m, november.Add(-time.Hour), november))(t)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	each(t, "without data there is no share and no median", func(t *testing.T, s *store.DB) {
		for metric, want := range map[experiment.Metric]experiment.Reading{
			experiment.PostsPublished: {Any: true}, experiment.Members: {Any: true},
			experiment.SuccessRate: {}, experiment.HealTime: {}, experiment.Conversion: {},
		} {
			require.Equal(t, want, measured(t, s, metric), metric)
		}
		require.EqualError(t, errOf(s.Experiments.ReadMetric(t.Context(), "weather", november, november)), `there is no metric "weather"`)
	})
	each(t, "posts are measured", func(t *testing.T, s *store.DB) {
		for _, minutes := range []int{-61, -60, -30, 0, 1} {
			publishAt(t, s, november.Add(time.Duration(minutes)*time.Minute))
		}
		for _, minutes := range []int{-61, -30, 1} {
			p := create(t, s, nil, november)
			require.NoError(t, s.Exec("UPDATE posts SET status = 'failed', updated_at = ? WHERE id = ?", november.Add(time.Duration(minutes)*time.Minute), p.ID))
		}
		create(t, s, nil, november) // has not ended
		require.Equal(t, experiment.Reading{Value: 3, Sample: 3, Any: true}, measured(t, s, experiment.PostsPublished))
		require.Equal(t, experiment.Reading{Value: 75, Sample: 4, Any: true}, measured(t, s, experiment.SuccessRate))
	})
	each(t, "healing is measured", func(t *testing.T, s *store.DB) {
		heal := func(verdict chaos.Verdict, ms int, at time.Time) {
			t.Helper()
			r := askChaos(t, s, chaos.Founders, "", at)
			require.NoError(t, s.Chaos.InjectedChaos(t.Context(), r.ID, at, at.Add(time.Minute)))
			o := chaos.Outcome{Verdict: verdict, Reason: "so", Restored: true, DetectMS: &ms, HealMS: &ms}
			if verdict == chaos.Failed {
				o.HealMS, o.Restored = nil, false
			}
			must(s.Chaos.EndChaos(t.Context(), r.ID, o, at))(t)
		}
		half := november.Add(-30 * time.Minute)
		heal(chaos.Healed, 100, november.Add(-2*time.Hour))
		heal(chaos.Healed, 100, november.Add(time.Hour))
		heal(chaos.Failed, 100, half)
		require.False(t, measured(t, s, experiment.HealTime).Any)
		heal(chaos.Healed, 900, half)
		require.Equal(t, experiment.Reading{Value: 0.9, Sample: 1, Any: true}, measured(t, s, experiment.HealTime))
		heal(chaos.HealedLate, 9000, half)
		require.Equal(t, experiment.Reading{Value: 4.95, Sample: 2, Any: true}, measured(t, s, experiment.HealTime))
		heal(chaos.Healed, 1500, half)
		require.Equal(t, experiment.Reading{Value: 1.5, Sample: 3, Any: true}, measured(t, s, experiment.HealTime))
	})
	each(t, "members are measured", func(t *testing.T, s *store.DB) {
		newMember(t, s, "ada") // joins at noon
		require.NoError(t, s.SetMemberStatus(t.Context(), *newMember(t, s, "eve"), member.StatusFrozen))
		late := newcomer("bob")
		late.JoinedAt = november.Add(time.Second)
		require.NoError(t, s.Members.AddMember(t.Context(), late, nil))
		require.Equal(t, experiment.Reading{Value: 1, Sample: 1, Any: true}, measured(t, s, experiment.Members))
	})
	each(t, "conversion is measured", func(t *testing.T, s *store.DB) {
		half := november.Add(-30 * time.Minute)
		sale{at: november.Add(-2 * time.Hour)}.pay(t, s)
		sale{at: november.Add(time.Hour)}.pay(t, s)
		sale{at: half, demo: true}.pay(t, s)
		beginCheckout(t, s, wish(visitor(t, s, "ada")), half) // was offered nothing yet
		require.False(t, measured(t, s, experiment.Conversion).Any)
		sale{at: half}.pay(t, s)
		for range 3 {
			sale{at: half}.open(t, s)
		}
		require.Equal(t, experiment.Reading{Value: 25, Sample: 4, Any: true}, measured(t, s, experiment.Conversion))
		refunded := sale{at: half}.pay(t, s)
		must(s.Checkouts.RefundCheckout(t.Context(), refunded.ID, refunded.PaidCents, map[string]string{}, november))(t)
		require.Equal(t, experiment.Reading{Value: 40, Sample: 5, Any: true}, measured(t, s, experiment.Conversion), "it was paid, and then given back")
		paidLate := sale{at: half}.pay(t, s)
		require.NoError(t, s.Exec("UPDATE checkouts SET paid_at = ? WHERE id = ?", november.Add(time.Second), paidLate.ID))
		require.Equal(t, 6, measured(t, s, experiment.Conversion).Sample)
		require.InDelta(t, 33.3, measured(t, s, experiment.Conversion).Value, 0.1, "not yet, at that moment")
	})
}
