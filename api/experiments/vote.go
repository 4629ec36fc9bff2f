package experiments

import (
	"context"
	"strings"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

func (a *API) VoteExperiment(ctx context.Context, req *voteExperimentRequest) (*voteCountedReply, error) {
	memberID, err := httpapi.MembershipOf(ctx)
	if err != nil {
		return nil, err
	}
	if req.Body.MemberID != "" && !isOwnName(httpapi.CallerOf(ctx).Login, req.Body.MemberID) {
		return nil, problem.New(problem.Forbidden, "A vote is cast by whoever is logged in, and by nobody for another.")
	}
	e, err := a.experimentRow(ctx, req.Body.ExperimentID)
	if err != nil {
		return nil, err
	}
	tally, err := a.Experiments.CastVote(ctx, e.ID, memberID, req.Body.Vote, a.Now())
	return votesCounted(tally, req.Body.Vote), err
}

// WithdrawVote is harmless when there is no vote.
func (a *API) WithdrawVote(ctx context.Context, req *experimentRequest) (*voteCountedReply, error) {
	memberID, err := httpapi.MembershipOf(ctx)
	if err != nil {
		return nil, err
	}
	e, err := a.experimentRow(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	tally, err := a.Experiments.WithdrawVote(ctx, e.ID, memberID, a.Now())
	return votesCounted(tally, 0), err
}

func votesCounted(tally experiment.VoteCounts, own int) *voteCountedReply {
	return &voteCountedReply{VoteCounted{Success: true, Upvotes: tally.Up, Downvotes: tally.Down, MyVote: own}}
}

// isOwnName says whether a name is the caller's: the member's ID, its name, or its handle with X.
func isOwnName(login *account.Login, name string) bool {
	name = strings.TrimSpace(name)
	handle := member.Key(strings.TrimPrefix(name, "@"))
	return name == httpapi.Deref(login.Account.MemberID) || handle != "" && (handle == member.Key(login.Username) || handle == httpapi.Deref(login.Account.XHandleKey))
}
