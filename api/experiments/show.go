package experiments

import (
	"context"
	"errors"
	"strings"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
)

func (a *API) GetExperiment(ctx context.Context, req *BySlug) (ExperimentDetail, error) {
	found, err := a.experimentNamed(ctx, req.Slug)
	if err != nil {
		return ExperimentDetail{}, err
	}
	return a.showDetail(ctx, found)
}

func (a *API) showDetail(ctx context.Context, e experiment.Listed) (ExperimentDetail, error) {
	votes, badVotes := a.ownVotes(ctx)
	notes, badNotes := a.Experiments.Notes(ctx, e.ID)
	shown := ExperimentDetail{
		Experiment:  a.showExperiment(e, votes[e.ID]),
		Methodology: append([]string{}, e.Methodology...), TechStack: append([]string{}, e.TechStack...), SuccessMetrics: append([]string{}, e.SuccessMetrics...),
		LabNotes:      httpapi.Map(notes, func(n experiment.Note) LabNote { return showLabNote(n, e.Experiment) }),
		VotesClosedAt: e.VotesClosedAt, Moves: []ExperimentMove{},
	}
	if shown.CanEdit = httpapi.CallerOf(ctx).Role == account.Founder; shown.CanEdit {
		shown.Moves = httpapi.Map(e.Moves(a.Now()), func(m experiment.Move) ExperimentMove { return ExperimentMove(m) })
	}
	var err error
	shown.Measure, err = a.measure(ctx, e.Experiment)
	return shown, errors.Join(badVotes, badNotes, err)
}

func showLabNote(n experiment.Note, of experiment.Experiment) LabNote {
	return LabNote{
		Day: experiment.NoteDay(n.Date, of.StartedAt), Date: n.Date, Content: n.Content, Author: n.Author, Example: n.Example, Version: n.Version, UpdatedAt: n.UpdatedAt,
	}
}

const mostCompared = 500

func (a *API) SimilarExperiments(ctx context.Context, req *similarExperimentsRequest) (SimilarExperiments, error) {
	found, _, err := a.Experiments.Experiments(ctx, experiment.Query{Order: experiment.Newest, Limit: mostCompared})
	if err != nil {
		return SimilarExperiments{}, err
	}
	among, byID := make([]experiment.Experiment, len(found)), map[string]experiment.Listed{}
	for i, e := range found {
		among[i], byID[e.ID] = e.Experiment, e
	}
	var alike []experiment.Listed
	for _, e := range experiment.Similar(strings.TrimSpace(req.Title), among) {
		alike = append(alike, byID[e.ID])
	}
	shown, err := a.showExperiments(ctx, alike)
	return SimilarExperiments{shown}, err
}
