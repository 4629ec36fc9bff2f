package api

import (
	"context"
	"time"

	"customerzero/internal/audit"
	"customerzero/internal/experiment"
	"customerzero/internal/problem"
)

func (s *Server) writeLabNote(ctx context.Context, req *writeLabNoteRequest) (*labNoteReply, error) {
	found, err := s.experimentNamed(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	note, err := s.Experiments.WriteNote(ctx, experiment.Note{
		ExperimentID: found.ID, Date: req.Date, Content: req.Body.Content, Author: callerOf(ctx).name(),
	}, req.Body.Version, s.Now())
	if err != nil {
		return nil, err
	}
	reply := &labNoteReply{showLabNote(note, found.Experiment)}
	return reply, s.auditExperiment(ctx, audit.WriteLabNote, found.Experiment, "has the lab note of "+note.Date)
}

func (s *Server) deleteLabNote(ctx context.Context, req *deleteLabNoteRequest) (*doneReply, error) {
	found, err := s.experimentNamed(ctx, req.Slug)
	if err != nil {
		return nil, err
	}
	if _, err := time.Parse(time.DateOnly, req.Date); err != nil {
		return nil, problem.New(problem.NotFound, "There is no lab note of that day.")
	}
	if err := s.Experiments.DeleteNote(ctx, found.ID, req.Date, req.Version, s.Now()); err != nil {
		return nil, err
	}
	return &doneReply{Done{Success: true}}, s.auditExperiment(ctx, audit.DeleteLabNote, found.Experiment, "lost the lab note of "+req.Date)
}
