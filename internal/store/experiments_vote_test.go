package store_test

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// rowsOf counts the votes that stand in the table.
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
		cast := func(who string, value int, want experiment.VoteCounts) {
			t.Helper()
			require.Equal(t, want, must(s.Experiments.CastVote(t.Context(), "001", who, value, november))(t))
			require.Equal(t, want, shownVotes(t, s, "001"))
			require.Equal(t, want, rowsOf(t, s, "001"))
		}
		cast(ada, 1, experiment.VoteCounts{Up: 1})
		cast(ada, 1, experiment.VoteCounts{Up: 1})
		cast(ada, -1, experiment.VoteCounts{Down: 1})
		cast(eve, -1, experiment.VoteCounts{Down: 2})
		cast(ada, 1, experiment.VoteCounts{Up: 1, Down: 1})
		votes := must(s.Experiments.VotesOf(t.Context(), ada))(t)
		require.Equal(t, map[string]int{"001": 1}, votes)
		for range 2 {
			require.Equal(t, experiment.VoteCounts{Down: 1}, must(s.Experiments.WithdrawVote(t.Context(), "001", ada, november))(t))
		}
		votes = must(s.Experiments.VotesOf(t.Context(), ada))(t)
		require.Empty(t, votes)
		require.NotNil(t, votes)
		require.Equal(t, 1, labRow(t, s, "001").Version, "a vote is no edit")
	})
	each(t, "invalid votes", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "ada")
		for _, value := range []int{0, 2, -2, 1000} {
			require.Equal(t, problem.Invalid, codeOf(s.Experiments.CastVote(t.Context(), "001", ada, value, november)))
		}
		require.Equal(t, problem.NotFound, codeOf(s.Experiments.CastVote(t.Context(), "001", "nobody", 1, november)))
		require.Zero(t, s.Count(t, "experiment_votes"))
		require.Zero(t, s.Count(t, "rate_windows"), "refusals use nothing up")
	})
	each(t, "only active members vote", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "ada")
		_, err := s.Experiments.CastVote(t.Context(), "001", ada, 1, november)
		require.NoError(t, err)
		for _, status := range []member.Status{member.StatusFrozen, member.StatusRemoved} {
			require.NoError(t, s.SetMemberStatus(t.Context(), ada, status))
			require.Equal(t, problem.Forbidden, codeOf(s.Experiments.CastVote(t.Context(), "001", ada, -1, november)))
			require.Equal(t, problem.Forbidden, codeOf(s.Experiments.WithdrawVote(t.Context(), "001", ada, november)))
		}
		require.Equal(t, experiment.VoteCounts{Up: 1}, shownVotes(t, s, "001"), "what somebody who has left voted is counted as a row")
	})
	each(t, "votes are open only in some statuses", func(t *testing.T, s *store.DB) {
		ada := *newMember(t, s, "ada")
		vote := func(e experiment.Experiment) (errs []error) {
			_, cast := s.Experiments.CastVote(t.Context(), e.ID, ada, 1, november)
			_, withdrawn := s.Experiments.WithdrawVote(t.Context(), e.ID, ada, november)
			return []error{cast, withdrawn}
		}
		e := submit(t, s, "Emoji reactions", experiment.FromVisitor)
		for _, step := range []struct {
			to   experiment.Status
			open bool
		}{
			{experiment.Waiting, false},
			{experiment.Planning, true},
			{experiment.Active, true},
			{experiment.Testing, true},
			{experiment.Completed, false},
			{experiment.Shipped, false},
		} {
			if step.to != experiment.Waiting {
				e = moveTo(t, s, e, step.to)
			}
			for _, err := range vote(e) {
				if step.open {
					require.NoError(t, err, step.to)
					continue
				}
				require.Equal(t, problem.VotesClosed, problem.CodeOf(err), step.to)
			}
		}
		for _, err := range vote(moveTo(t, s, begun(t, s, "Nobody wants it"), experiment.Declined)) {
			require.Equal(t, problem.VotesClosed, problem.CodeOf(err))
		}
	})
	each(t, "votes are limited", func(t *testing.T, s *store.DB) {
		ada, eve := *newMember(t, s, "ada"), *newMember(t, s, "eve")
		require.NoError(t, s.Exec("INSERT INTO rate_windows (bucket, starts_at, ends_at, used, allowed) VALUES (?, ?, ?, 599, 600)",
			"vote:"+ada, november, november.Add(time.Hour)))
		must(s.Experiments.CastVote(t.Context(), "001", ada, 1, november))(t)
		require.EqualError(t, errOf(s.Experiments.CastVote(t.Context(), "001", ada, -1, november)), "Too many votes. Try again after 13:00:00 UTC.")
		require.Equal(t, problem.TooMany, codeOf(s.Experiments.WithdrawVote(t.Context(), "001", ada, november)))
		must(s.Experiments.CastVote(t.Context(), "001", eve, -1, november))(t)
		require.Equal(t, experiment.VoteCounts{Up: 1, Down: 1}, shownVotes(t, s, "001"))
	})
	// The end comes while many vote: what the run counts is what stays in the table.
	each(t, "no vote comes after the count", func(t *testing.T, s *store.DB) {
		var voters []string
		for i := range 40 {
			voters = append(voters, *newMember(t, s, "m"+strconv.Itoa(i)))
		}
		e := begun(t, s, "Emoji reactions")
		var all sync.WaitGroup
		for i, voter := range voters {
			all.Go(func() {
				for n := range 5 {
					_, err := s.Experiments.CastVote(t.Context(), e.ID, voter, 1-2*((i+n)%2), november)
					if err != nil && problem.CodeOf(err) != problem.VotesClosed {
						t.Error(err)
					}
				}
			})
		}
		all.Go(func() {
			_, err := s.Experiments.MoveExperiment(t.Context(), e.ID, e.Version, experiment.Completed, "", november)
			if err != nil {
				t.Error(err)
			}
		})
		for range 3 {
			all.Go(func() {
				_, err := s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:"+e.ID, "run-1", november)
				if err != nil && problem.CodeOf(err) != problem.Conflict {
					t.Error(err)
				}
			})
		}
		all.Wait()
		count := must(s.Experiments.CloseVotes(t.Context(), e.ID, "experiment:"+e.ID, "run-1", november.Add(time.Hour)))(t)
		require.Equal(t, rowsOf(t, s, e.ID), count)
		require.Equal(t, count, shownVotes(t, s, e.ID))
	})
}

// SQLite takes one vote at a time, and under the race detector not many a second.
var rounds = flag.Int("votes", 1, "how often each of 200 members votes on each of ten experiments")

// 200 members vote on the same ten experiments, many times each, at once.
// Proves: F27 seeded
// Proves: V15.4.2
func TestVotesOfManyMembersAtOnceAreTheirRows(t *testing.T) {
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
		last := make([]map[string]int, len(voters)) // what each did last, by experiment; 0: withdrawn
		for i := range voters {
			voters[i], last[i] = *newMember(t, s, "m"+strconv.Itoa(i)), map[string]int{}
		}
		began, seed := time.Now(), testseed.Seed(t)
		var all sync.WaitGroup
		for i, voter := range voters {
			all.Go(func() { voteAtRandom(t, s, voter, ids, last[i], testseed.Of(t, seed, i)) })
		}
		all.Wait()
		t.Logf("%d votes in %s", len(voters)*len(ids)**rounds, time.Since(began).Round(time.Millisecond))

		want := map[string]experiment.VoteCounts{}
		for i, voter := range voters {
			votes := must(s.Experiments.VotesOf(t.Context(), voter))(t)
			for _, id := range ids {
				require.Equal(t, last[i][id], votes[id], "the last vote of each stands")
				count := want[id]
				switch last[i][id] {
				case 1:
					count.Up++
				case -1:
					count.Down++
				}
				want[id] = count
			}
		}
		for _, id := range ids {
			require.Equal(t, want[id], rowsOf(t, s, id))
			require.Equal(t, want[id], shownVotes(t, s, id))
		}
		require.Equal(t, s.Count(t, "experiment_votes"), s.Number(t, "SELECT count(*) FROM (SELECT DISTINCT experiment_id, member_id FROM experiment_votes) AS pairs"))
		require.Equal(t, s.Count(t, "experiment_votes"), must(s.Experiments.ExperimentTotals(t.Context()))(t).Votes)
	})
}

// voteAtRandom votes on each experiment again and again, in an order and with values of its own.
func voteAtRandom(t *testing.T, s *store.DB, voter string, ids []string, last map[string]int, draw *rand.Rand) {
	t.Helper()
	for range *rounds {
		for _, i := range draw.Perm(len(ids)) {
			id, value := ids[i], draw.IntN(3)-1
			var err error
			if value == 0 {
				_, err = s.Experiments.WithdrawVote(t.Context(), id, voter, november)
			} else {
				_, err = s.Experiments.CastVote(t.Context(), id, voter, value, november)
			}
			if err != nil {
				t.Error(err)
				return
			}
			last[id] = value
		}
	}
}
