package generation

import (
	"context"
	"errors"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/treasury"
)

func (a *API) GetGeneration(ctx context.Context, req *httpapi.ByID) (Generation, error) {
	g, err := a.ownGeneration(ctx, req.ID)
	return showGeneration(g), err
}

func (a *API) VoteGeneration(ctx context.Context, req *voteRequest) (Generation, error) {
	g, err := a.ownGeneration(ctx, req.ID)
	if err != nil {
		return Generation{}, err
	}
	vote := generation.Vote{
		GenerationID: g.ID, CandidateID: req.Body.CandidateID, AccountID: httpapi.CallerOf(ctx).AccountID(), CreatedAt: a.Now(),
	}
	if err := a.Generations.Vote(ctx, vote); err != nil {
		return Generation{}, err
	}
	return a.GetGeneration(ctx, &req.ByID)
}

// mayRead reports whether a caller may see a generation of an account, or of the admin key if accountID is nil.
func mayRead(who httpapi.Caller, accountID *string) bool {
	if who.Key {
		return accountID == nil
	}
	own := who.AccountID()
	return who.Role == account.Founder || own != nil && accountID != nil && *own == *accountID
}

// showCandidate hides the model's name during a blind vote, and the reason of a failure, which contains it.
func showCandidate(c generation.Candidate, hidden bool) Candidate {
	shown := Candidate{
		ID: c.ID, Label: c.Label, Model: c.Model, Template: generation.IsTemplate(c.Model), State: string(c.State), Content: c.Text, Weight: post.Weight(c.Text),
		Code: c.Code, Reason: c.Reason, Chosen: c.Chosen,
	}
	if hidden {
		shown.Model, shown.Template = "", false
		if c.State == generation.Failed {
			shown.Reason = "This model returned no text. The reason is shown after the vote."
		}
	}
	return shown
}

func (a *API) ListModels(ctx context.Context, _ *struct{}) (Choices, error) {
	sources, err := a.facts(ctx)
	choices := Choices{
		Voices: httpapi.Map(generation.Voices(), func(v generation.Voice) Choice { return Choice(v) }), Models: []string{}, Templates: []string{},
		Facts: httpapi.Map(sources, func(f generation.Source) ModelFact { return ModelFact(f) }),
	}
	for _, name := range a.Writers {
		if generation.IsTemplate(name) {
			choices.Templates = append(choices.Templates, name)
		} else {
			choices.Models = append(choices.Models, name)
		}
	}
	return choices, err
}

func (a *API) facts(ctx context.Context) ([]generation.Source, error) {
	now := a.Now()
	f := generation.Figures{Month: post.MonthOf(now)}
	var errs [5]error
	f.Usage, errs[0] = a.Posts.MonthUsage(ctx, f.Month)
	f.Published, f.Failed, errs[1] = a.Posts.SuccessSince(ctx, now.Add(-generation.PublishedDays*24*time.Hour))
	f.LastChaos, errs[2] = a.Chaos.LastChaos(ctx)
	f.ExperimentRuns, f.Liked, errs[3] = a.experimentFacts(ctx)
	var ledger treasury.Ledger
	ledger, errs[4] = a.Treasury.Treasury(ctx, now)
	f.Balance = int(treasury.Sum(ledger, now).Total.LeftMicroUSD() / treasury.MicroUSDPerCent)
	return generation.Sources(f), errors.Join(errs[:]...)
}

// experimentFacts returns the totals and the experiment with the most upvotes, or nil.
func (a *API) experimentFacts(ctx context.Context) (experiment.Totals, *experiment.Listed, error) {
	totals, err := a.Experiments.ExperimentTotals(ctx)
	if err != nil {
		return totals, nil, err
	}
	liked, _, err := a.Experiments.Experiments(ctx, experiment.Query{Order: experiment.MostUp, Limit: 1})
	if err != nil || len(liked) == 0 {
		return totals, nil, err
	}
	return totals, &liked[0], nil
}

func (a *API) GetLeaderboard(ctx context.Context, _ *struct{}) (Leaderboard, error) {
	standings, votes, err := a.Generations.Leaderboard(ctx)
	return Leaderboard{httpapi.Map(standings, func(row generation.Standing) LeaderboardRow {
		return LeaderboardRow{row.Model, row.Wins, row.Votes, row.Percent()}
	}), votes}, err
}
