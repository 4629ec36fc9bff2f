package workflows

import (
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

var photographer *activities.CellShots // nil: only names activities

// CellAlbumInput names a chaos run whose cell is photographed.
type CellAlbumInput struct {
	ChaosID string
	Lease   time.Duration
}

// CellAlbumID is the workflow ID of the pictures of a chaos run.
func CellAlbumID(chaosID string) string { return "cell-album:" + chaosID }

const (
	// oneBefore is how long a chaos run waits for the picture before at most, and beginBefore
	// is how long for somebody to take it.
	oneBefore   = 5 * time.Second
	beginBefore = time.Second
	// beginAlbum is how long a chaos run waits until its album is begun.
	beginAlbum = time.Second
	// albumLonger is what a run takes beside its lease: to be broken, and to end.
	albumLonger = 20 * time.Second
)

// CellAlbum photographs the cell when it is broken and when it is well again. It is a flow of
// its own, which the chaos run starts and leaves to itself: no heal waits for a picture.
func CellAlbum(ctx workflow.Context, in CellAlbumInput) error {
	_, err := call(photographing(ctx, in.Lease+albumLonger), photographer.CaptureCell, activities.ChaosRef{ChaosID: in.ChaosID})
	return err
}

// photographBefore takes the picture of the cell while it is well, and says whether there is a
// browser to take more. Without one nothing is lost but a moment.
func (r *chaosRun) photographBefore(ctx workflow.Context) (ready bool) {
	taken, err := call(briefly(ctx, oneBefore, beginBefore), photographer.CaptureBefore, r.ref)
	return err == nil && taken.Ready
}

// openAlbum starts the flow of the other pictures and waits a moment until it is begun.
func (r *chaosRun) openAlbum(ctx workflow.Context) {
	album := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(r.ending, workflow.ChildWorkflowOptions{
		WorkflowID: CellAlbumID(r.ref.ChaosID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("cell-album"),
		ParentClosePolicy: enums.PARENT_CLOSE_POLICY_ABANDON,
	}), CellAlbum, CellAlbumInput{ChaosID: r.ref.ChaosID, Lease: r.lease})
	_, _ = workflow.AwaitWithTimeout(ctx, beginAlbum, album.GetChildWorkflowExecution().IsReady)
}
