package experiments

import (
	"context"
	"strings"
	"unicode/utf8"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

// experimentNamed finds an experiment that the caller may see. What waits, and what was declined
// before it had a number, is nobody's business but its submitter's and the founders'.
func (a *API) experimentNamed(ctx context.Context, key string) (experiment.Listed, error) {
	if !isKeepable(key) {
		return experiment.Listed{}, unknownExperiment()
	}
	found, err := a.Experiments.Experiment(ctx, key)
	return found, unlessHidden(ctx, found.Experiment, err)
}

// experimentRow finds one in the same way, without what is counted.
func (a *API) experimentRow(ctx context.Context, key string) (experiment.Experiment, error) {
	if !isKeepable(key) {
		return experiment.Experiment{}, unknownExperiment()
	}
	found, err := a.Experiments.ExperimentNamed(ctx, key)
	return found, unlessHidden(ctx, found, err)
}

// isKeepable says whether a database can have such a text.
func isKeepable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

func unknownExperiment() error { return problem.New(problem.NotFound, "There is no such experiment.") }

// unlessHidden refuses what was found and is not for the caller.
func unlessHidden(ctx context.Context, found experiment.Experiment, err error) error {
	switch {
	case problem.CodeOf(err) == problem.NotFound:
		return unknownExperiment()
	case err != nil:
		return err
	case found.Number == nil && !mayReview(httpapi.CallerOf(ctx), found):
		return unknownExperiment()
	}
	return nil
}

// mayReview says who sees an experiment that is not public.
func mayReview(who httpapi.Caller, e experiment.Experiment) bool {
	own := e.MemberID != nil && who.MemberID() != "" && *e.MemberID == who.MemberID()
	return who.Role == account.Founder || own
}

func (a *API) ListExperiments(ctx context.Context, req *listExperimentsRequest) (Experiments, error) {
	founder := httpapi.CallerOf(ctx).Role == account.Founder
	if req.Status == string(experiment.Waiting) && !founder {
		return Experiments{}, problem.New(problem.Forbidden, "Only founders see what waits for them.")
	}
	found, total, err := a.Experiments.Experiments(ctx, experiment.Query{
		Text: searched(req.Q), Status: experiment.Status(req.Status), Order: experiment.Order(req.Sort), Limit: req.Limit, Offset: req.Offset,
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

// searched is what a database can look for.
func searched(text string) string { return strings.ToValidUTF8(strings.TrimSpace(text), "") }

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

// showExperiments shows a list, with the caller's own votes.
func (a *API) showExperiments(ctx context.Context, found []experiment.Listed) ([]Experiment, error) {
	votes, err := a.ownVotes(ctx)
	return httpapi.Map(found, func(e experiment.Listed) Experiment { return a.showExperiment(e, votes[e.ID]) }), err
}

// ownVotes are the caller's, by experiment.
func (a *API) ownVotes(ctx context.Context) (map[string]int, error) {
	memberID := httpapi.CallerOf(ctx).MemberID()
	if memberID == "" {
		return map[string]int{}, nil
	}
	return a.Experiments.VotesOf(ctx, memberID)
}
