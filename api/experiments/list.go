package experiments

import (
	"context"
	"strings"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

// experimentNamed returns an experiment that the caller may see. One without a number waits for approval or was
// declined, and is visible to its submitter and to founders only.
func (a *API) experimentNamed(ctx context.Context, key string) (experiment.Listed, error) {
	found, err := a.Experiments.Experiment(ctx, key)
	return found, unlessHidden(ctx, found.Experiment, err)
}

// experimentRow is experimentNamed without the vote counts.
func (a *API) experimentRow(ctx context.Context, key string) (experiment.Experiment, error) {
	found, err := a.Experiments.ExperimentNamed(ctx, key)
	return found, unlessHidden(ctx, found, err)
}

// unlessHidden reports an experiment that the caller may not see as not found.
func unlessHidden(ctx context.Context, found experiment.Experiment, err error) error {
	if problem.CodeOf(err) == problem.NotFound || err == nil && found.Number == nil && !mayReview(httpapi.CallerOf(ctx), found) {
		return problem.New(problem.NotFound, "There is no such experiment.")
	}
	return err
}

func mayReview(who httpapi.Caller, e experiment.Experiment) bool {
	own := e.MemberID != nil && who.MemberID() != "" && *e.MemberID == who.MemberID()
	return who.Role == account.Founder || own
}

func (a *API) ListExperiments(ctx context.Context, req *listExperimentsRequest) (Experiments, error) {
	founder := httpapi.CallerOf(ctx).Role == account.Founder
	if req.Status == string(experiment.Waiting) && !founder {
		return Experiments{}, problem.New(problem.Forbidden, "Only founders can list experiments that wait for approval.")
	}
	found, total, err := a.Experiments.Experiments(ctx, experiment.Query{
		Text: strings.TrimSpace(req.Q), Status: experiment.Status(req.Status), Order: experiment.Order(req.Sort), Limit: req.Limit, Offset: req.Offset,
	})
	if err != nil {
		return Experiments{}, err
	}
	page := Experiments{Pagination: req.Of(total)}
	if page.Experiments, err = a.showExperiments(ctx, found); err != nil {
		return page, err
	}
	page.Totals, err = a.experimentTotals(ctx, founder)
	return page, err
}

// ListOwnExperiments lists the ideas of the caller's membership, also those that wait for approval or were declined.
func (a *API) ListOwnExperiments(ctx context.Context, _ *struct{}) (OwnExperiments, error) {
	memberID := httpapi.CallerOf(ctx).MemberID()
	if memberID == "" {
		return OwnExperiments{Experiments: []Experiment{}}, nil
	}
	found, _, err := a.Experiments.Experiments(ctx, experiment.Query{MemberID: memberID})
	if err != nil {
		return OwnExperiments{}, err
	}
	shown, err := a.showExperiments(ctx, found)
	return OwnExperiments{shown}, err
}

func (a *API) experimentTotals(ctx context.Context, founder bool) (ExperimentTotals, error) {
	totals, err := a.Experiments.ExperimentTotals(ctx)
	if err != nil {
		return ExperimentTotals{}, err
	}
	shown := ExperimentTotals{Experiments: totals.Experiments, Running: totals.Running, Completed: totals.Completed, Votes: totals.Votes}
	if founder {
		_, shown.Waiting, err = a.Experiments.Experiments(ctx, experiment.Query{Status: experiment.Waiting, Limit: 1})
	}
	return shown, err
}

func (a *API) showExperiments(ctx context.Context, found []experiment.Listed) ([]Experiment, error) {
	votes, err := a.ownVotes(ctx)
	return httpapi.Map(found, func(e experiment.Listed) Experiment { return a.showExperiment(e, votes[e.ID]) }), err
}

func (a *API) ownVotes(ctx context.Context) (map[string]int, error) {
	who := voterOf(ctx)
	if who.Key() == "" {
		return map[string]int{}, nil
	}
	return a.Experiments.VotesOf(ctx, who)
}
