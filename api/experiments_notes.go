package api

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

func (s *Server) writeLabNote(ctx context.Context, req *writeLabNoteRequest) (*labNoteReply, error) {
	found, err := s.experimentNamed(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	wanted := experiment.Note{ExperimentID: found.ID, Date: req.Date, Content: req.Body.Content, Author: httpapi.CallerOf(ctx).Name()}
	var note experiment.Note
	_, err = s.changed(ctx, audit.WriteLabNote, "has the lab note of "+req.Date, func(ctx context.Context) (_ experiment.Experiment, err error) {
		note, err = s.Experiments.WriteNote(ctx, wanted, req.Body.Version, s.Now())
		return found.Experiment, err
	})
	return &labNoteReply{showLabNote(note, found.Experiment)}, err
}

func (s *Server) deleteLabNote(ctx context.Context, req *deleteLabNoteRequest) (*httpapi.DoneReply, error) {
	found, err := s.experimentNamed(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	if _, err := time.Parse(time.DateOnly, req.Date); err != nil {
		return nil, problem.New(problem.NotFound, "There is no lab note of that day.")
	}
	_, err = s.changed(ctx, audit.DeleteLabNote, "lost the lab note of "+req.Date, func(ctx context.Context) (experiment.Experiment, error) {
		return found.Experiment, s.Experiments.DeleteNote(ctx, found.ID, req.Date, req.Version, s.Now())
	})
	return &httpapi.DoneReply{Body: httpapi.Done{Success: true}}, err
}
