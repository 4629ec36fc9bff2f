package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

var deletionActivities *activities.Departure // nil: only names activities

// DepartureInput names a departure whose row is written. Whose it is stands there.
type DepartureInput struct{ DepartureID string }

// DepartureResult says what was taken back.
type DepartureResult struct {
	Posts  int // that waited and were given up
	Series int // that were ended
	Votes  int // in experiments that were open
}

// DepartureID is the workflow ID of a departure.
func DepartureID(id string) string { return "departure:" + id }

const (
	// mostDepartureLooks bounds how often posts are looked at that cannot be given up: with
	// the waits between them, four hours. Nothing that is being sent takes as long.
	mostDepartureLooks = 60
	// longestDepartureWait is the longest of these waits.
	longestDepartureWait = 5 * time.Minute
	oneGiveUp            = time.Minute
	oneErasure           = 2 * time.Minute // it goes through every table
)

// Departure takes back what somebody who leaves has left waiting, and then forgets who it was.
// What is being sent is waited for. Cancelled in the console it goes on: it was promised.
func Departure(ctx workflow.Context, in DepartureInput) (DepartureResult, error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	ref := activities.DepartureRef(in)
	state, err := runLocal(ctx, deletionActivities.BeginDeparture, ref)
	if err == nil && !state.Ended {
		_, err = call(remote(ctx, oneGiveUp, 0), deletionActivities.EndTheirSeries, ref)
	}
	for look := 1; err == nil && !state.Ended; look++ {
		state, err = depart(ctx, ref, look)
	}
	return DepartureResult{Posts: state.Posts, Series: state.Series, Votes: state.Votes}, err
}

// depart gives up what waits, and erases when nothing does any more. With the last look it
// erases in any case.
func depart(ctx workflow.Context, ref activities.DepartureRef, look int) (activities.DepartureState, error) {
	list, err := runLocal(ctx, deletionActivities.ListTheirPosts, ref)
	if err != nil {
		return activities.DepartureState{}, err
	}
	waiting := 0
	for _, id := range list.PostIDs {
		given, err := call(remote(ctx, oneGiveUp, 0), deletionActivities.GiveUpTheirPost, activities.PostRef{PostID: id})
		if err != nil {
			return activities.DepartureState{}, err
		}
		if !given.Ended {
			waiting++
		}
	}
	state, err := call(remote(ctx, oneErasure, 0), deletionActivities.EraseMember, activities.EraseMemberInput{
		DepartureID: ref.DepartureID, Force: look >= mostDepartureLooks,
	})
	if err != nil || state.Ended || (waiting == 0 && len(list.PostIDs) > 0) { // there may be more
		return state, err
	}
	return state, workflow.Sleep(ctx, min(time.Second<<min(look, 20), longestDepartureWait))
}
