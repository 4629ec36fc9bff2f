package posts

import (
	"context"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"

	"customerzero/internal/domain/post"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
	"customerzero/workflows"
)

// flow is a workflow run of a post.
type flow struct {
	rig.Run
	postID string
	result post.Status // of a completed run
}

// readRuns lists every run of every post. Temporal's list lags a little behind, and so do
// runs behind their rows: the wanted number of open ones may have to be waited for.
func (w *world) readRuns(ctx context.Context, wantOpen int) ([]flow, error) {
	var runs []flow
	var err error
	cluster.Until(ctx, 20*time.Second, func() bool {
		runs, err = w.listRuns(ctx)
		open := 0
		for _, run := range runs {
			if run.Open() {
				open++
			}
		}
		return err == nil && open == wantOpen
	})
	for i, run := range runs {
		if run.Status != enums.WORKFLOW_EXECUTION_STATUS_COMPLETED || err != nil {
			continue
		}
		var result workflows.PostResult
		err = w.Runs.GetWorkflow(ctx, run.WorkflowID, run.RunID).Get(ctx, &result)
		runs[i].result = result.Status
	}
	return runs, err
}

func (w *world) listRuns(ctx context.Context) ([]flow, error) {
	listed, err := w.ListRuns(ctx, "WorkflowType = 'Post'")
	var runs []flow
	for _, r := range listed {
		runs = append(runs, flow{Run: r, postID: strings.TrimPrefix(r.WorkflowID, workflows.PostID(""))})
	}
	return runs, err
}
