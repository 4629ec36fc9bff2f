package api_test

import (
	"context"
	"strconv"

	"customerzero/internal/domain/run"
)

func (r *runs) NotifyExperiment(_ context.Context, id string) error {
	return r.note("heed experiment " + id)
}

func (r *runs) Depart(_ context.Context, id string) (string, error) {
	return "run-" + id, r.note("depart " + id)
}

func (r *runs) Timeline(_ context.Context, workflowID, runID string) (run.Timeline, error) {
	return r.history, r.note("timeline " + workflowID + " " + runID)
}

func (r *runs) NewestRuns(_ context.Context, flow string, limit int) ([]run.Brief, error) {
	return r.newest, r.note("newest runs " + flow + " " + strconv.Itoa(limit))
}
