package main

import (
	"context"
	"fmt"
	"net/http"
)

// A vote of ours asks who votes, whether they may, how often they did, and whether the votes are
// open; the baseline believes everybody.
const (
	voteTarget = 0.6
	hotTarget  = 1.0
)

// votes measures members who vote: on twenty experiments, and all on one.
func (b *bench) votes(ctx context.Context) ([]figure, error) {
	return b.inWorlds(ctx, func(ctx context.Context, w *world) ([]figure, error) {
		if err := populate(ctx, w.database); err != nil {
			return nil, err
		}
		beside := "Gin and SQL: the vote and the count, in one transaction"
		spread := w.contest(b, "Votes", "votes on 20 experiments", beside, baselineVote(seededExperiments), ourVote(seededExperiments))
		crowded := spread
		hot := w.contest(b, "Votes", "votes on one experiment", beside, baselineVote(1), ourVote(1))
		spread.atOnce, crowded.atOnce, hot.atOnce = 1, 16, 16
		spread.rate, crowded.rate, hot.rate = atLeast(voteTarget), atLeast(voteTarget), atLeast(hotTarget)
		return holdAll(ctx, spread, crowded, hot)
	})
}

// ballotOf is who votes on what, and how: everybody changes their mind all the time.
func ballotOf(n int64, experiments int) (voter int, subject string, value int) {
	voter = int(n % seededMembers)
	turn := int(n / seededMembers)
	return voter, subjectOfVotes((turn + voter) % experiments), 1 - 2*((turn/experiments+voter)%2)
}

func baselineVote(experiments int) load {
	return load{want: http.StatusOK, ask: func(n int64) []byte {
		who, subject, value := ballotOf(n, experiments)
		return wire(http.MethodPost, "/votes", fmt.Sprintf(`{"experimentId":%q,"memberId":%q,"vote":%d}`, subject, voter(who), value))
	}}
}

func ourVote(experiments int) load {
	return load{want: http.StatusOK, ask: func(n int64) []byte {
		who, subject, value := ballotOf(n, experiments)
		return wire(http.MethodPost, "/api/experiments/vote", fmt.Sprintf(`{"experimentId":%q,"vote":%d}`, subject, value),
			"Cookie: session="+sessionToken(who))
	}}
}
