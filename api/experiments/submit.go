package experiments

import (
	"context"
	"strings"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

const (
	submittedMessage = "Experiment submitted successfully! The community can now vote on it."
	waitingMessage   = "Experiment submitted successfully! A founder reviews it first; then the community can vote on it."
)

func (a *API) SubmitExperiment(ctx context.Context, req *httpapi.Body[NewExperiment]) (SubmittedExperiment, error) {
	who := httpapi.CallerOf(ctx)
	origin, memberID := originOf(who)
	e, err := experiment.New(xid.New().String(), experiment.Submission(req.Body), origin, memberID, a.Review, a.Now())
	if err != nil {
		return SubmittedExperiment{}, err
	}
	var submitted experiment.Experiment
	submit := func(ctx context.Context) (_ string, err error) {
		submitted, err = a.Experiments.SubmitExperiment(ctx, e, who.Asker(a.Marks))
		return noted(submitted, "was submitted"), err
	}
	if origin == experiment.FromFounder {
		err = httpapi.Audited(ctx, a.Audits, a.Now(), audit.SubmitExperiment, submit)
	} else {
		_, err = submit(ctx)
	}
	if err != nil {
		return SubmittedExperiment{}, err
	}
	listed, err := a.Experiments.Experiment(ctx, submitted.ID)
	shown := SubmittedExperiment{Success: true, Experiment: a.showExperiment(listed, 0), Waiting: submitted.Status == experiment.Waiting, Message: submittedMessage}
	if shown.Waiting {
		shown.Message = waitingMessage
	}
	return shown, err
}

// originOf returns the submitter's role. A member whose membership is frozen counts as a visitor.
func originOf(who httpapi.Caller) (by experiment.Origin, memberID *string) {
	if who.Role >= account.Member && who.MemberID() != "" {
		memberID = who.Login.Account.MemberID
	}
	switch who.Role {
	case account.Founder:
		return experiment.FromFounder, memberID
	case account.Member:
		return experiment.FromMember, memberID
	case account.Visitor:
	}
	return experiment.FromVisitor, nil
}

func (a *API) VoteExperiment(ctx context.Context, req *httpapi.Body[NewVote]) (VoteCounted, error) {
	if req.Body.MemberID != "" && !isOwnName(httpapi.CallerOf(ctx).Login, req.Body.MemberID) {
		return VoteCounted{}, problem.New(problem.Forbidden, "`memberId` must match the logged-in member, so no vote was cast. Omit it to vote as yourself.")
	}
	e, err := a.experimentRow(ctx, req.Body.ExperimentID)
	if err != nil {
		return VoteCounted{}, err
	}
	counts, err := a.Experiments.CastVote(ctx, e.ID, voterOf(ctx), req.Body.Vote, a.Now())
	return votesCounted(counts, req.Body.Vote), err
}

// WithdrawVote succeeds if there is no vote.
func (a *API) WithdrawVote(ctx context.Context, req *BySlug) (VoteCounted, error) {
	e, err := a.experimentRow(ctx, req.Slug)
	if err != nil {
		return VoteCounted{}, err
	}
	counts, err := a.Experiments.WithdrawVote(ctx, e.ID, voterOf(ctx), a.Now())
	return votesCounted(counts, 0), err
}

// voterOf returns the caller as a voter. The route admits active members and founders only.
func voterOf(ctx context.Context) experiment.Voter {
	who := httpapi.CallerOf(ctx)
	v := experiment.Voter{MemberID: who.MemberID(), Founder: who.Role == account.Founder}
	if who.Login != nil && who.Login.Account.XUserID != nil {
		v.XAccountID = who.Login.Account.ID
	}
	return v
}

func votesCounted(counts experiment.VoteCounts, own int) VoteCounted {
	return VoteCounted{Success: true, Upvotes: counts.Up, Downvotes: counts.Down, MyVote: own}
}

// isOwnName reports whether a name is the caller's member ID, username or X handle.
func isOwnName(login *account.Login, name string) bool {
	name = strings.TrimSpace(name)
	handle := member.Key(strings.TrimPrefix(name, "@"))
	return name == httpapi.Deref(login.Account.MemberID) || handle != "" && (handle == member.Key(login.Username) || handle == httpapi.Deref(login.Account.XHandleKey))
}
