package api

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/run"
)

func (s *Server) listRuns(ctx context.Context, req *listRunsRequest) (*runListReply, error) {
	if err := s.Limits.Consume(ctx, account.RunsPerVisitor, httpapi.CallerOf(ctx).Visitor(s.Marks), s.Now()); err != nil {
		return nil, err
	}
	newest, err := s.Runs.NewestRuns(ctx, req.Flow, req.Limit)
	if err != nil {
		return nil, err
	}
	list := RunList{Runs: make([]RunBrief, len(newest))}
	for i, run := range newest {
		list.Runs[i] = showBrief(run)
	}
	return &runListReply{"no-store", list}, nil
}

func showBrief(b run.Brief) RunBrief {
	return RunBrief{
		WorkflowID: b.WorkflowID, RunID: b.RunID, Flow: b.Flow, State: string(b.State),
		StartedAt: b.StartedAt, EndedAt: b.EndedAt, Path: httpapi.RunPath(b.WorkflowID, b.RunID),
	}
}
