package rig

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"customerzero/internal/platform/temporal/launcher"
	"customerzero/proof/cluster"
	"customerzero/workflows"
)

// startTemporal starts an embedded server for a stage without a cluster.
func (s *Stage) startTemporal(ctx context.Context) error {
	logs, err := os.Create(filepath.Join(s.Dir, "temporal.log"))
	if err != nil {
		return err
	}
	s.Later(func() { _ = logs.Close() })
	server, err := launcher.Start(ctx, launcher.Options{
		Bin: s.options.programs.Temporald, DBFile: filepath.Join(s.Dir, "temporal.db"), SearchAttributes: workflows.SearchAttributes(), Logs: logs,
		OnRestart: func(cause error) { s.Events.Note("Temporal was started again: %v", cause) },
	})
	if err != nil {
		return err
	}
	s.Temporal = server
	s.Later(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Stop(ctx)
	})
	s.temporal = server.Address()
	return s.dialTemporal(ctx)
}

func (s *Stage) dialTemporal(ctx context.Context) (err error) {
	if s.Runs, err = cluster.DialTemporal(ctx, s.temporal); err == nil {
		s.Later(s.Runs.Close)
	}
	return err
}

// Run is a workflow run as Temporal lists it.
type Run struct {
	WorkflowID, RunID string
	Status            enums.WorkflowExecutionStatus
}

// Open reports whether the run is still running.
func (r Run) Open() bool { return r.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING }

// ListRuns lists the runs that match a visibility query, newest first. Temporal's list is eventually consistent.
func (s *Stage) ListRuns(ctx context.Context, query string) ([]Run, error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{PageSize: 500, Query: query}
	var runs []Run
	for {
		page, err := s.Runs.ListWorkflow(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("list the runs: %w", err)
		}
		for _, info := range page.Executions {
			runs = append(runs, Run{info.GetExecution().GetWorkflowId(), info.GetExecution().GetRunId(), info.GetStatus()})
		}
		if len(page.NextPageToken) == 0 {
			return runs, nil
		}
		request.NextPageToken = page.NextPageToken
	}
}

// Ended is a run with its result, of a workflow whose ID is "<flow>:<ID>".
type Ended[R any] struct {
	Run
	ID     string
	Result R // of a completed run
}

// ReadRuns lists the runs of a workflow type, newest first, with the results of completed ones.
func ReadRuns[R any](ctx context.Context, s *Stage, workflowType string) (runs []Ended[R], err error) {
	listed, err := s.ListRuns(ctx, "WorkflowType = '"+workflowType+"'")
	for _, r := range listed {
		_, id, _ := strings.Cut(r.WorkflowID, ":")
		ended := Ended[R]{Run: r, ID: id}
		if r.Status == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED && err == nil {
			err = s.Runs.GetWorkflow(ctx, r.WorkflowID, r.RunID).Get(ctx, &ended.Result)
		}
		runs = append(runs, ended)
	}
	return runs, err
}
