package experiments

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

func (a *API) WriteLabNote(ctx context.Context, req *writeLabNoteRequest) (*labNoteReply, error) {
	found, err := a.experimentNamed(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	wanted := experiment.Note{ExperimentID: found.ID, Date: req.Date, Content: req.Body.Content, Author: httpapi.CallerOf(ctx).Name()}
	var note experiment.Note
	_, err = a.changed(ctx, audit.WriteLabNote, "has the lab note of "+req.Date, func(ctx context.Context) (_ experiment.Experiment, err error) {
		note, err = a.Experiments.WriteNote(ctx, wanted, req.Body.Version, a.Now())
		return found.Experiment, err
	})
	return &labNoteReply{showLabNote(note, found.Experiment)}, err
}

func (a *API) DeleteLabNote(ctx context.Context, req *deleteLabNoteRequest) (*httpapi.DoneReply, error) {
	found, err := a.experimentNamed(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	if _, err := time.Parse(time.DateOnly, req.Date); err != nil {
		return nil, problem.New(problem.NotFound, "There is no lab note of that day.")
	}
	_, err = a.changed(ctx, audit.DeleteLabNote, "lost the lab note of "+req.Date, func(ctx context.Context) (experiment.Experiment, error) {
		return found.Experiment, a.Experiments.DeleteNote(ctx, found.ID, req.Date, req.Version, a.Now())
	})
	return &httpapi.DoneReply{Body: httpapi.Done{Success: true}}, err
}
