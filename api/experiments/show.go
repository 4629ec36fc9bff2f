package experiments

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
)

func (a *API) GetExperiment(ctx context.Context, req *experimentRequest) (*experimentDetailReply, error) {
	found, err := a.experimentNamed(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	return a.replyExperiment(ctx, found)
}

// replyExperiment shows all that is known of an experiment, to the caller.
func (a *API) replyExperiment(ctx context.Context, e experiment.Listed) (*experimentDetailReply, error) {
	votes, err := a.ownVotes(ctx)
	if err != nil {
		return nil, err
	}
	notes, err := a.Experiments.Notes(ctx, e.ID)
	if err != nil {
		return nil, err
	}
	shown := ExperimentDetail{
		Experiment:  a.showExperiment(e, votes[e.ID]),
		Methodology: listOf(e.Methodology), TechStack: listOf(e.TechStack), SuccessMetrics: listOf(e.SuccessMetrics),
		LabNotes: make([]LabNote, len(notes)), VotesClosedAt: e.VotesClosedAt, Moves: []ExperimentMove{},
	}
	for i, note := range notes {
		shown.LabNotes[i] = showLabNote(note, e.Experiment)
	}
	if shown.CanEdit = httpapi.CallerOf(ctx).Role == account.Founder; shown.CanEdit {
		for _, m := range e.Moves(a.Now()) {
			shown.Moves = append(shown.Moves, ExperimentMove{To: string(m.To), NeedsReason: m.NeedsReason, Refused: m.Refused})
		}
	}
	shown.Measure, err = a.measure(ctx, e.Experiment)
	return &experimentDetailReply{shown}, err
}

// listOf is empty and not null without items.
func listOf(items []string) []string { return append([]string{}, items...) }

func (a *API) showExperiment(e experiment.Listed, own int) Experiment {
	return Experiment{
		RunRef: httpapi.RunOf(e.WorkflowID, e.RunID), ID: experiment.ShownID(e.Experiment), Slug: e.Slug, Title: e.Title, Status: string(e.Status),
		Problem: e.Problem, Hypothesis: e.Hypothesis, Impact: e.Impact, Difficulty: string(e.Difficulty),
		Upvotes: e.Up, Downvotes: e.Down, MyVote: own, VotesOpen: experiment.VotesOpen(e.Status),
		Progress: e.Progress, DayCount: experiment.Day(e.StartedAt, e.EndedAt, a.Now()), Metric: string(e.Metric), Verdict: string(e.Verdict),
		Reason: e.Reason, Origin: string(e.Origin), Submitter: e.Submitter, Submitted: e.SubmittedAt,
		StartedAt: e.StartedAt, EndedAt: e.EndedAt, UpdatedAt: e.UpdatedAt, Version: e.Version,
	}
}

func showLabNote(n experiment.Note, of experiment.Experiment) LabNote {
	return LabNote{
		Day: experiment.NoteDay(n.Date, of.StartedAt), Date: n.Date, Content: n.Content, Author: n.Author, Version: n.Version, UpdatedAt: n.UpdatedAt,
	}
}

// mostCompared bounds the work of finding ideas that say nearly the same.
const mostCompared = 500

func (a *API) SimilarExperiments(ctx context.Context, req *similarExperimentsRequest) (*similarExperimentsReply, error) {
	found, _, err := a.Experiments.Experiments(ctx, experiment.Query{Order: experiment.Newest, Limit: mostCompared})
	if err != nil {
		return nil, err
	}
	among, byID := make([]experiment.Experiment, len(found)), map[string]experiment.Listed{}
	for i, e := range found {
		among[i], byID[e.ID] = e.Experiment, e
	}
	var alike []experiment.Listed
	for _, e := range experiment.Similar(searched(req.Title), among) {
		alike = append(alike, byID[e.ID])
	}
	shown, err := a.showExperiments(ctx, alike)
	return &similarExperimentsReply{SimilarExperiments{shown}}, err
}
