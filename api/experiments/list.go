package experiments

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

// Store is the lab. *store.Experiments implements it. Experiments are named by their slug, by
// their number or by their ID, where key stands.
type Store interface {
	Experiments(ctx context.Context, q experiment.Query) ([]experiment.Listed, int, error)
	ExperimentTotals(ctx context.Context) (experiment.Totals, error)
	Experiment(ctx context.Context, key string) (experiment.Listed, error)
	ExperimentNamed(ctx context.Context, key string) (experiment.Experiment, error) // without what is counted
	Notes(ctx context.Context, id string) ([]experiment.Note, error)                // the newest day first
	VotesOf(ctx context.Context, memberID string) (map[string]int, error)
	// SubmitExperiment counts it for whom; a refusal uses nothing up.
	SubmitExperiment(ctx context.Context, e experiment.Experiment, whom string) (experiment.Experiment, error)
	EditExperiment(ctx context.Context, id string, version int, edit experiment.Edit, at time.Time) (experiment.Experiment, error)
	MoveExperiment(ctx context.Context, id string, version int, to experiment.Status, reason string, at time.Time) (experiment.Experiment, error)
	// RegisterMetric with nil takes the registration back.
	RegisterMetric(ctx context.Context, id string, version int, r *experiment.Registration, at time.Time) (experiment.Experiment, error)
	CastVote(ctx context.Context, id, memberID string, value int, at time.Time) (experiment.VoteCounts, error)
	WithdrawVote(ctx context.Context, id, memberID string, at time.Time) (experiment.VoteCounts, error)
	// WriteNote writes a day's note anew with version 0, or over the one of that version.
	WriteNote(ctx context.Context, n experiment.Note, version int, at time.Time) (experiment.Note, error)
	DeleteNote(ctx context.Context, id, date string, version int, at time.Time) error
	// ReadMetric reads a metric from since until then.
	ReadMetric(ctx context.Context, metric experiment.Metric, since, until time.Time) (experiment.Reading, error)
}

// ExperimentFlows carries experiments. *client.Client implements it.
type ExperimentFlows interface {
	// NotifyExperiment starts the flow of an experiment that became active, or tells the one there
	// is that its row has changed. Safe to repeat.
	NotifyExperiment(ctx context.Context, experimentID string) error
}

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

func (a *API) ListExperiments(ctx context.Context, req *listExperimentsRequest) (*experimentsReply, error) {
	founder := httpapi.CallerOf(ctx).Role == account.Founder
	if req.Status == string(experiment.Waiting) && !founder {
		return nil, problem.New(problem.Forbidden, "Only founders see what waits for them.")
	}
	found, total, err := a.Experiments.Experiments(ctx, experiment.Query{
		Text: searched(req.Q), Status: experiment.Status(req.Status), Order: experiment.Order(req.Sort), Limit: req.Limit, Offset: req.Offset,
	})
	if err != nil {
		return nil, err
	}
	page := Experiments{Pagination: req.Of(total)}
	if page.Experiments, err = a.showExperiments(ctx, found); err != nil {
		return nil, err
	}
	page.Totals, err = a.experimentTotals(ctx, founder)
	return &experimentsReply{page}, err
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
	shown := make([]Experiment, len(found))
	for i, e := range found {
		shown[i] = a.showExperiment(e, votes[e.ID])
	}
	return shown, err
}

// ownVotes are the caller's, by experiment.
func (a *API) ownVotes(ctx context.Context) (map[string]int, error) {
	memberID := httpapi.CallerOf(ctx).MemberID()
	if memberID == "" {
		return map[string]int{}, nil
	}
	return a.Experiments.VotesOf(ctx, memberID)
}
