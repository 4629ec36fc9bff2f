package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// Departure holds the activities of members who leave. Each is safe to repeat. None of what
// they hear or say names anybody.
type Departure struct {
	Store  DepartureStore
	Posts  PostReader
	Series SeriesEnder
	Runs   DepartureRuns
	Now    func() time.Time
}

// DepartureStore keeps account deletions and what they leave behind. *store.Deletions
// implements it.
type DepartureStore interface {
	BeginDeparture(ctx context.Context, id, workflowID, runID string) (account.Deletion, error)
	Departure(ctx context.Context, id string) (account.Deletion, error)
	DepartingSeries(ctx context.Context, id string) ([]schedule.RecurringPost, error)
	GivenUpOf(ctx context.Context, seriesID string, since time.Time) ([]post.Post, error)
	DepartingPosts(ctx context.Context, id string, limit int) ([]post.Post, error)
	EraseMember(ctx context.Context, id string, force bool, at time.Time) (account.Deletion, error)
}

// SeriesEnder ends series. *store.RecurringPosts implements it.
type SeriesEnder interface {
	EndSeries(ctx context.Context, id string, now time.Time) (r schedule.RecurringPost, told []string, err error)
}

// DepartureRuns are the runs of what is left behind. *client.Client implements it.
type DepartureRuns interface {
	CancelPost(ctx context.Context, p post.Post) error
	WakePost(ctx context.Context, p post.Post) error
	KeepSeries(ctx context.Context, r schedule.RecurringPost) error
}

type DepartureRef struct{ DepartureID string }

// DepartureState is how a departure stands.
type DepartureState struct {
	Ended                bool
	Posts, Series, Votes int
}

func departureState(d account.Deletion, err error) (DepartureState, error) {
	return DepartureState{Ended: d.Ended(), Posts: d.Posts, Series: d.Series, Votes: d.Votes}, err
}

// BeginDeparture notes which run carries the departure.
func (a *Departure) BeginDeparture(ctx context.Context, in DepartureRef) (DepartureState, error) {
	carrier := activity.GetInfo(ctx).WorkflowExecution
	return departureState(a.Store.BeginDeparture(ctx, in.DepartureID, carrier.ID, carrier.RunID))
}

// EndTheirSeries ends what would write more posts. The runs of posts that a series had written
// ahead are woken, and its schedule goes: also where an earlier try got no further than the row.
func (a *Departure) EndTheirSeries(ctx context.Context, in DepartureRef) (Done, error) {
	d, err := a.Store.Departure(ctx, in.DepartureID)
	if err != nil {
		return Done{}, err
	}
	theirs, err := a.Store.DepartingSeries(ctx, d.ID)
	if err != nil {
		return Done{}, err
	}
	for _, r := range theirs {
		if err := a.endSeries(ctx, r.ID, d.RequestedAt); err != nil {
			return Done{}, err
		}
	}
	return Done{}, nil
}

func (a *Departure) endSeries(ctx context.Context, id string, since time.Time) error {
	ended, _, err := a.Series.EndSeries(ctx, id, a.Now())
	if err != nil {
		return err
	}
	given, err := a.Store.GivenUpOf(ctx, id, since)
	if err != nil {
		return err
	}
	for _, p := range given {
		if err := a.Runs.WakePost(ctx, p); err != nil {
			return err
		}
	}
	return a.Runs.KeepSeries(ctx, ended)
}

// postsAtOnce bounds what one list carries through Temporal.
const postsAtOnce = 50

// TheirPosts are some of the posts that runs carry for somebody who leaves.
type TheirPosts struct{ PostIDs []string }

// ListTheirPosts lists the next of them.
func (a *Departure) ListTheirPosts(ctx context.Context, in DepartureRef) (TheirPosts, error) {
	posts, err := a.Store.DepartingPosts(ctx, in.DepartureID, postsAtOnce)
	list := TheirPosts{PostIDs: make([]string, len(posts))}
	for i, p := range posts {
		list.PostIDs[i] = p.ID
	}
	return list, err
}

// GiveUpTheirPostResult says whether the post has ended. One that has not is being sent, or
// nobody can tell yet whether it was.
type GiveUpTheirPostResult struct{ Ended bool }

// GiveUpTheirPost cancels a post as its owner would: its run does it, for only that knows
// whether it is being sent.
func (a *Departure) GiveUpTheirPost(ctx context.Context, in PostRef) (GiveUpTheirPostResult, error) {
	p, err := a.Posts.Post(ctx, in.PostID)
	if err != nil {
		return GiveUpTheirPostResult{}, err
	}
	if !p.Status.Cancellable() {
		return GiveUpTheirPostResult{Ended: p.Status.Final()}, nil
	}
	err = a.Runs.CancelPost(ctx, p)
	if _, refused := errors.AsType[*problem.Error](err); err != nil && !refused {
		return GiveUpTheirPostResult{}, err
	}
	if err == nil {
		return GiveUpTheirPostResult{Ended: true}, nil
	}
	p, err = a.Posts.Post(ctx, in.PostID) // it is being sent, or went out, or cannot be looked for
	return GiveUpTheirPostResult{Ended: p.Status.Final()}, err
}

type EraseMemberInput struct {
	DepartureID string
	Force       bool // whatever still waits
}

// EraseMember forgets who it was. It does nothing while runs still carry posts of theirs,
// unless it is forced.
func (a *Departure) EraseMember(ctx context.Context, in EraseMemberInput) (DepartureState, error) {
	return departureState(a.Store.EraseMember(ctx, in.DepartureID, in.Force, a.Now()))
}
