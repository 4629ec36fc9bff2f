package store_test

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// rowsOf counts the vote rows of an experiment.
func rowsOf(t *testing.T, s *store.DB, id string) experiment.VoteCounts {
	t.Helper()
	const query = "SELECT count(*) FROM experiment_votes WHERE experiment_id = ? AND value = ?"
	return experiment.VoteCounts{Up: s.Number(t, query, id, 1), Down: s.Number(t, query, id, -1)}
}

func shownVotes(t *testing.T, s *store.DB, id string) experiment.VoteCounts {
	t.Helper()
	return must(s.Experiments.Experiment(t.Context(), id))(t).VoteCounts
}

// Proves: F27, V2.4.1-rest
func TestVoting(t *testing.T) {
	t.Parallel()
	each(t, "a member votes, changes the vote and withdraws it", func(t *testing.T, s *store.DB) {
		ada, eve := *newMember(t, s, "ada"), *newMember(t, s, "eve")
		for _, cast := range []struct {
			who             string
			value, up, down int
		}{{ada, 1, 1, 0}, {ada, 1, 1, 0}, {ada, -1, 0, 1}, {eve, -1, 0, 2}, {ada, 1, 1, 1}} {
			told, want := must(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: cast.who}, cast.value, november))(t), experiment.VoteCounts{Up: cast.up, Down: cast.down}
			require.Equal(t, []experiment.VoteCounts{want, want, want}, []experiment.VoteCounts{told, shownVotes(t, s, "001"), rowsOf(t, s, "001")})
		}
		require.Equal(t, map[string]int{"001": 1}, must(s.Experiments.VotesOf(t.Context(), experiment.Voter{MemberID: ada}))(t))
		for range 2 {
			require.Equal(t, experiment.VoteCounts{Down: 1}, must(s.Experiments.WithdrawVote(t.Context(), "001", experiment.Voter{MemberID: ada}, november))(t))
		}
		require.Equal(t, map[string]int{}, must(s.Experiments.VotesOf(t.Context(), experiment.Voter{MemberID: ada}))(t))
		require.Equal(t, 20, atOnce(t, 20, func(i int) error { // in several tabs
			return errOf(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: ada}, 1-2*(i%2), november))
		}))
		require.Equal(t, 2, s.Count(t, "experiment_votes"))
		require.Equal(t, 1, labRow(t, s, "001").Version, "a vote is no edit")
	})
	each(t, "invalid votes", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "ada")
		require.Equal(t, problem.Invalid, codeOf(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: ada}, 2, november)))
		require.Equal(t, problem.NotFound, codeOf(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: "nobody"}, 1, november)))
		require.Zero(t, s.Count(t, "experiment_votes"))
		require.Zero(t, s.Count(t, "rate_windows"), "refusals use nothing up")
	})
	each(t, "only active members vote", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "ada")
		_, err := s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: ada}, 1, november)
		require.NoError(t, err)
		for _, status := range []member.Status{member.StatusFrozen, member.StatusRemoved} {
			require.NoError(t, s.SetMemberStatus(t.Context(), ada, status))
			require.Equal(t, problem.Forbidden, codeOf(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: ada}, -1, november)))
			require.Equal(t, problem.Forbidden, codeOf(s.Experiments.WithdrawVote(t.Context(), "001", experiment.Voter{MemberID: ada}, november)))
		}
	})
	each(t, "founders vote without a membership, and every person has one vote", func(t *testing.T, s *store.DB) {
		grace, ada := founder(t, s), *newMember(t, s, "ada")
		asFounder := experiment.Voter{XAccountID: grace.ID, Founder: true}
		for _, cast := range []struct {
			who      experiment.Voter
			value    int
			up, down int
			rows     int // of both tables
		}{
			{asFounder, 1, 1, 0, 1},
			{asFounder, -1, 0, 1, 1},
			{experiment.Voter{MemberID: ada}, 1, 1, 1, 2},
			{experiment.Voter{XAccountID: grace.ID, MemberID: ada, Founder: true}, 1, 1, 0, 1}, // Grace has bought Ada's membership
			{experiment.Voter{XAccountID: grace.ID, MemberID: ada}, -1, 0, 1, 1},               // Grace is a founder no longer
			{asFounder, 1, 1, 1, 2},
		} {
			told, want := must(s.Experiments.CastVote(t.Context(), "001", cast.who, cast.value, november))(t), experiment.VoteCounts{Up: cast.up, Down: cast.down}
			require.Equal(t, []experiment.VoteCounts{want, want}, []experiment.VoteCounts{told, shownVotes(t, s, "001")})
			require.Equal(t, cast.rows, s.Count(t, "experiment_votes")+s.Count(t, "founder_votes"))
			require.Equal(t, cast.value, must(s.Experiments.VotesOf(t.Context(), cast.who))(t)["001"])
			require.Equal(t, cast.up+cast.down, must(s.Experiments.ExperimentTotals(t.Context()))(t).Votes)
		}
		require.Equal(t, experiment.VoteCounts{Down: 1}, must(s.Experiments.WithdrawVote(t.Context(), "001", asFounder, november))(t))
		require.Error(t, errOf(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{XAccountID: "nobody", Founder: true}, 1, november)))
	})
	// From the transaction that freezes a membership, its votes do not count, and they count again when it is restored.
	each(t, "votes of frozen members", func(t *testing.T, s *store.DB) {
		open, ended := activeExperiment(t, s, "Emoji reactions"), activeExperiment(t, s, "Longer posts")
		paid := bought(t, s, "ada@example.com")
		ada := experiment.Voter{MemberID: *paid.MemberID}
		for _, e := range []experiment.Experiment{open, ended} {
			must(s.Experiments.CastVote(t.Context(), e.ID, ada, 1, november))(t)
			must(s.Experiments.CastVote(t.Context(), e.ID, experiment.Voter{MemberID: *newMember(t, s, "m"+e.ID[len(e.ID)-6:])}, -1, november))(t)
		}
		moveTo(t, s, ended, experiment.Completed)
		must(s.Experiments.CloseVotes(t.Context(), ended.ID, "experiment:"+ended.ID, "run-1", november))(t)
		for _, page := range []checkout.Session{disputed, disputeWon, refundedFully, nothingTaken} {
			stands := reconcile(t, s, paid, page).Stands()
			want := experiment.VoteCounts{Down: 1}
			if stands {
				want.Up = 1
			}
			require.Equal(t, want, shownVotes(t, s, open.ID))
			require.Equal(t, want.Up+1+2, must(s.Experiments.ExperimentTotals(t.Context()))(t).Votes)
			require.Equal(t, experiment.VoteCounts{Up: 1, Down: 1}, shownVotes(t, s, ended.ID), "a final count stays")
			require.Equal(t, 1, must(s.Experiments.VotesOf(t.Context(), ada))(t)[open.ID])
		}
		reconcile(t, s, paid, disputed)
		open = must(s.Experiments.ExperimentRow(t.Context(), open.ID))(t)
		moveTo(t, s, open, experiment.Completed)
		count := must(s.Experiments.CloseVotes(t.Context(), open.ID, "experiment:"+open.ID, "run-1", november))(t)
		require.Equal(t, experiment.VoteCounts{Down: 1}, count)
		reconcile(t, s, paid, disputeWon)
		require.Equal(t, count, shownVotes(t, s, open.ID))
	})
	each(t, "votes of an experiment that waits or has ended are closed", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "ada")
		for _, e := range []experiment.Experiment{submit(t, s, "Emoji reactions", experiment.FromVisitor), moveTo(t, s, activeExperiment(t, s, "Nobody wants it"), experiment.Declined)} {
			requireCode(t, problem.VotesClosed, errOf(s.Experiments.CastVote(t.Context(), e.ID, experiment.Voter{MemberID: ada}, 1, november)),
				errOf(s.Experiments.WithdrawVote(t.Context(), e.ID, experiment.Voter{MemberID: ada}, november)))
		}
	})
	each(t, "votes are limited", func(t *testing.T, s *store.DB) {
		ada, eve := *newMember(t, s, "ada"), *newMember(t, s, "eve")
		require.NoError(t, s.Exec("INSERT INTO rate_windows (bucket, starts_at, ends_at, used, allowed) VALUES (?, ?, ?, 599, 600)",
			"vote:"+ada, november, november.Add(time.Hour)))
		must(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: ada}, 1, november))(t)
		require.EqualError(t, errOf(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: ada}, -1, november)), "Too many votes. Try again after 13:00:00 UTC.")
		require.Equal(t, problem.TooMany, codeOf(s.Experiments.WithdrawVote(t.Context(), "001", experiment.Voter{MemberID: ada}, november)))
		must(s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: eve}, -1, november))(t)
		require.Equal(t, experiment.VoteCounts{Up: 1, Down: 1}, shownVotes(t, s, "001"))
	})
	// The final count equals the rows, although members vote while voting ends.
	each(t, "no vote comes after the count", func(t *testing.T, s *store.DB) {
		var voters []string
		for i := range 40 {
			voters = append(voters, *newMember(t, s, "m"+strconv.Itoa(i)))
		}
		e := activeExperiment(t, s, "Emoji reactions")
		closeVotes := func(at time.Time) (experiment.VoteCounts, error) {
			return s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:"+e.ID, "run-1", at)
		}
		var moved error
		atOnce(t, len(voters)+4, func(i int) error {
			switch {
			case i > len(voters):
				return errOf(closeVotes(november))
			case i == len(voters):
				moved = errOf(s.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, experiment.Completed, "", november))
				return nil
			}
			for n := range 5 {
				if err := errOf(s.Experiments.CastVote(t.Context(), e.ID, experiment.Voter{MemberID: voters[i]}, 1-2*((i+n)%2), november)); err != nil {
					return err
				}
			}
			return nil
		}, problem.VotesClosed, problem.Conflict)
		require.NoError(t, moved)
		count := must(closeVotes(november.Add(time.Hour)))(t)
		require.Equal(t, []experiment.VoteCounts{count, count}, []experiment.VoteCounts{rowsOf(t, s, e.ID), shownVotes(t, s, e.ID)})
	})
}

// The default is low, because SQLite takes one vote at a time and the race detector is slow.
var rounds = flag.Int("votes", 1, "how often each of 200 members votes on each of ten experiments")

// TestConcurrentVotes lets 200 members vote concurrently on the same ten experiments.
// Proves: F27 seeded
// Proves: V15.4.2
func TestConcurrentVotes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ids := []string{"001"}
		for i := range 9 {
			e := submit(t, s, "Idea of the day "+strconv.Itoa(i), experiment.FromFounder)
			if i%2 == 0 {
				e = moveTo(t, s, e, experiment.Active)
			}
			ids = append(ids, e.ID)
		}
		voters := make([]string, 200)
		last := make([]map[string]int, len(voters)) // each member's last vote by experiment; 0 if withdrawn
		for i := range voters {
			voters[i], last[i] = *newMember(t, s, "m"+strconv.Itoa(i)), map[string]int{}
		}
		began, seed := time.Now(), testseed.Seed(t)
		require.Equal(t, len(voters), atOnce(t, len(voters), func(i int) error {
			return voteAtRandom(t, s, voters[i], ids, last[i], testseed.Of(t, seed, i))
		}))
		t.Logf("%d votes in %s", len(voters)*len(ids)**rounds, time.Since(began).Round(time.Millisecond))

		want := map[string]map[int]int{} // by experiment and value
		for _, id := range ids {
			want[id] = map[int]int{}
		}
		for i, voter := range voters {
			votes := must(s.Experiments.VotesOf(t.Context(), experiment.Voter{MemberID: voter}))(t)
			for _, id := range ids {
				require.Equal(t, last[i][id], votes[id], "the last vote of each member counts")
				want[id][votes[id]]++
			}
		}
		for _, id := range ids {
			tally := experiment.VoteCounts{Up: want[id][1], Down: want[id][-1]}
			require.Equal(t, []experiment.VoteCounts{tally, tally}, []experiment.VoteCounts{rowsOf(t, s, id), shownVotes(t, s, id)})
		}
		require.Equal(t, s.Count(t, "experiment_votes"), s.Number(t, "SELECT count(*) FROM (SELECT DISTINCT experiment_id, member_id FROM experiment_votes) AS pairs"))
		require.Equal(t, s.Count(t, "experiment_votes"), must(s.Experiments.ExperimentTotals(t.Context()))(t).Votes)
	})
}

// voteAtRandom votes repeatedly on each experiment, in a random order with random values.
func voteAtRandom(t *testing.T, s *store.DB, voter string, ids []string, last map[string]int, draw *rand.Rand) (err error) {
	t.Helper()
	for range *rounds {
		for _, i := range draw.Perm(len(ids)) {
			id, value := ids[i], draw.IntN(3)-1
			if value == 0 {
				_, err = s.Experiments.WithdrawVote(t.Context(), id, experiment.Voter{MemberID: voter}, november)
			} else {
				_, err = s.Experiments.CastVote(t.Context(), id, experiment.Voter{MemberID: voter}, value, november)
			}
			if err != nil {
				return err
			}
			last[id] = value
		}
	}
	return nil
}

// titled returns the listed titles and the total.
func titled(t *testing.T, s *store.DB, q experiment.Query) ([]string, int) {
	t.Helper()
	listed, total := must2(s.Experiments.Experiments(t.Context(), q))(t)
	titles := []string{}
	for _, e := range listed {
		titles = append(titles, e.Title)
	}
	return titles, total
}

// seedLab creates one experiment of each kind, submitted an hour apart.
func seedLab(t *testing.T, s *store.DB) map[string]experiment.Experiment {
	t.Helper()
	lab := map[string]experiment.Experiment{}
	at := november.AddDate(0, 0, 1)
	for _, one := range []struct {
		title string
		way   []experiment.Status
	}{
		{"Waits for a founder", nil},
		{"Declined before publication", []experiment.Status{experiment.Declined}},
		{"Being planned", []experiment.Status{experiment.Planning}},
		{"Was declined", []experiment.Status{experiment.Planning, experiment.Declined}},
		{"Has completed", []experiment.Status{experiment.Planning, experiment.Active, experiment.Completed}},
		{"Has shipped 100%_so", []experiment.Status{experiment.Planning, experiment.Active, experiment.Completed, experiment.Shipped}},
	} {
		at = at.Add(time.Hour)
		e := must(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, one.title, experiment.FromVisitor, nil, at), account.Asker{Founder: true}))(t)
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
			"public, newest first":     {experiment.Query{}, []string{"Has shipped 100%_so", "Has completed", "Being planned", first}, 4},
			"a page":                   {experiment.Query{Limit: 2, Offset: 1}, []string{"Has completed", "Being planned"}, 4},
			"a page after the last":    {experiment.Query{Limit: 2, Offset: 9}, []string{}, 4},
			"waiting":                  {experiment.Query{Status: experiment.Waiting}, []string{"Waits for a founder"}, 1},
			"publicly declined":        {experiment.Query{Status: experiment.Declined}, []string{"Was declined"}, 1},
			"active":                   {experiment.Query{Status: experiment.Active}, []string{first}, 1},
			"testing":                  {experiment.Query{Status: experiment.Testing}, []string{}, 0},
			"in a title, in any case":  {experiment.Query{Text: "  bEING   planned "}, []string{"Being planned"}, 1},
			"in a problem":             {experiment.Query{Text: "what they shipped"}, []string{first}, 1},
			"in a hypothesis":          {experiment.Query{Text: "members will VOTE"}, []string{first}, 1},
			"not in hidden ones":       {experiment.Query{Text: "founder"}, []string{}, 0},
			"with its status":          {experiment.Query{Text: "how they feel", Status: experiment.Completed}, []string{"Has completed"}, 1},
			"a percent sign is itself": {experiment.Query{Text: "%"}, []string{"Has shipped 100%_so"}, 1},
			"an underscore is itself":  {experiment.Query{Text: "%_S"}, []string{"Has shipped 100%_so"}, 1},
			"a backslash is itself":    {experiment.Query{Text: `\`}, []string{}, 0},
			"a quote is itself":        {experiment.Query{Text: `' OR '1'='1`}, []string{}, 0},
			"the furthest first":       {experiment.Query{Order: experiment.Furthest}, []string{"Has shipped 100%_so", "Has completed", "Being planned", first}, 4},
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
		members := []string{*newMember(t, s, "ada"), *newMember(t, s, "eve"), *newMember(t, s, "bob")}
		votes := map[string][]int{"Liked by two": {1, 1, -1}, "Liked by one": {1}, "Liked by none": {-1, -1}, "Nobody voted": {}}
		for _, title := range []string{"Liked by none", "Liked by one", "Liked by two", "Nobody voted"} {
			e := submit(t, s, title, experiment.FromFounder)
			for i, value := range votes[title] {
				must(s.Experiments.CastVote(t.Context(), e.ID, experiment.Voter{MemberID: members[i]}, value, november))(t)
			}
		}
		want := []string{"Liked by two", "Liked by one", "Public experiments page", "Nobody voted", "Liked by none"}
		for _, limit := range []int{2, 2, 0} {
			titles, total := titled(t, s, experiment.Query{Order: experiment.MostUp, Limit: limit})
			require.Equal(t, []any{want[:len(titles)], 5}, []any{titles, total})
			require.Contains(t, []int{limit, 5}, len(titles))
		}
		listed, _ := must2(s.Experiments.Experiments(t.Context(), experiment.Query{Order: experiment.MostUp, Limit: 2}))(t)
		require.Equal(t, []any{experiment.VoteCounts{Up: 2, Down: 1}, []string{}}, []any{listed[0].VoteCounts, listed[0].TechStack})
		require.Equal(t, 6, must(s.Experiments.ExperimentTotals(t.Context()))(t).Votes)
	})
	each(t, "a removed member is not named", func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		e := must(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "Emoji reactions", experiment.FromMember, ada, november), account.Asker{Member: *ada}))(t)
		for status, want := range map[member.Status]string{member.StatusActive: "ada", member.StatusFrozen: "ada", member.StatusRemoved: ""} {
			require.NoError(t, s.SetMemberStatus(t.Context(), *ada, status))
			require.Equal(t, want, must(s.Experiments.Experiment(t.Context(), e.ID))(t).Submitter, status)
			listed, _ := must2(s.Experiments.Experiments(t.Context(), experiment.Query{Status: experiment.Waiting}))(t)
			require.Equal(t, want, listed[0].Submitter, status)
		}
	})
}

// requireMeasured checks a metric in the hour before noon.
func requireMeasured(t *testing.T, s *store.DB, m experiment.Metric, value float64, sample int, says ...any) {
	t.Helper()
	r := must(s.Experiments.ReadMetric(t.Context(), m, november.Add(-time.Hour), november))(t)
	require.InDelta(t, value, r.Value, 0.1, says...)
	require.Equal(t, []any{sample, true}, []any{r.Sample, r.Any}, says...)
}

// requireUnmeasured checks that shares and medians have no value.
func requireUnmeasured(t *testing.T, s *store.DB, metrics ...experiment.Metric) {
	t.Helper()
	for _, m := range metrics {
		require.Zero(t, must(s.Experiments.ReadMetric(t.Context(), m, november.Add(-time.Hour), november))(t), m)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	each(t, "without data there is no share and no median", func(t *testing.T, s *store.DB) {
		requireMeasured(t, s, experiment.PostsPublished, 0, 0)
		requireMeasured(t, s, experiment.Members, 0, 0)
		requireUnmeasured(t, s, experiment.SuccessRate, experiment.HealTime, experiment.Conversion)
		require.EqualError(t, errOf(s.Experiments.ReadMetric(t.Context(), "weather", november, november)), `unknown metric "weather"`)
	})
	each(t, "posts are measured", func(t *testing.T, s *store.DB) {
		for _, minutes := range []time.Duration{-61, -60, -30, 0, 1} {
			publishAt(t, s, november.Add(minutes*time.Minute))
		}
		for _, minutes := range []time.Duration{-61, -30, 1} {
			require.NoError(t, s.Exec("UPDATE posts SET status = 'failed', updated_at = ? WHERE id = ?", november.Add(minutes*time.Minute), create(t, s, nil, november).ID))
		}
		create(t, s, nil, november) // has not ended
		requireMeasured(t, s, experiment.PostsPublished, 3, 3)
		requireMeasured(t, s, experiment.SuccessRate, 75, 4)
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
		heal(chaos.Healed, 100_000, november.Add(-2*time.Hour))
		heal(chaos.Healed, 100_000, november.Add(time.Hour))
		heal(chaos.Failed, 100_000, half)
		requireUnmeasured(t, s, experiment.HealTime)
		heal(chaos.Healed, 9000, half)
		requireMeasured(t, s, experiment.HealTime, 9, 1)
		heal(chaos.HealedLate, 90_000, half)
		requireMeasured(t, s, experiment.HealTime, 49.5, 2)
		heal(chaos.Healed, 15_000, half)
		requireMeasured(t, s, experiment.HealTime, 15, 3)
	})
	each(t, "members are measured", func(t *testing.T, s *store.DB) {
		newMember(t, s, "ada") // joins at noon
		require.NoError(t, s.SetMemberStatus(t.Context(), *newMember(t, s, "eve"), member.StatusFrozen))
		late := newcomer("bob")
		late.JoinedAt = november.Add(time.Second)
		require.NoError(t, s.Members.AddMember(t.Context(), late, nil))
		requireMeasured(t, s, experiment.Members, 1, 1)
	})
	each(t, "conversion is measured", func(t *testing.T, s *store.DB) {
		half := november.Add(-30 * time.Minute)
		sale{at: november.Add(-2 * time.Hour)}.pay(t, s)
		sale{at: november.Add(time.Hour)}.pay(t, s)
		sale{at: half, demo: true}.pay(t, s)
		beginCheckout(t, s, wish(visitor(t, s, "ada")), half) // has no payment page yet
		requireUnmeasured(t, s, experiment.Conversion)
		sale{at: half}.pay(t, s)
		for range 3 {
			sale{at: half}.open(t, s)
		}
		requireMeasured(t, s, experiment.Conversion, 25, 4)
		refunded := sale{at: half}.pay(t, s)
		refundCents(t, s, refunded, refunded.PaidCents, november)
		requireMeasured(t, s, experiment.Conversion, 40, 5, "paid, then refunded")
		paidLate := sale{at: half}.pay(t, s)
		require.NoError(t, s.Exec("UPDATE checkouts SET paid_at = ? WHERE id = ?", november.Add(time.Second), paidLate.ID))
		requireMeasured(t, s, experiment.Conversion, 33.3, 6, "not yet, at that moment")
	})
}
