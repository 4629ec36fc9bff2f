package client

import (
	"cmp"
	"context"
	"errors"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	sdk "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
	"customerzero/workflows"
)

// StartPost starts the workflow of a scheduled post and returns its run ID. An existing run is kept; a
// post whose run was terminated, or that was restored after its run had ended, gets a new one.
func (c *Client) StartPost(ctx context.Context, p post.Post) (runID string, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Within, startWithin))
	defer cancel()
	o := c.eagerly(workflows.PostID(p.ID))
	attributes := []temporal.SearchAttributeUpdate{workflows.Flow.ValueSet("post"), workflows.PostStatus.ValueSet(string(post.StatusScheduled))}
	if p.MemberID != nil {
		attributes = append(attributes, workflows.MemberID.ValueSet(*p.MemberID))
	}
	o.TypedSearchAttributes = temporal.NewSearchAttributes(attributes...)
	o.WorkflowIDReusePolicy, o.WorkflowIDConflictPolicy = afterItsEnd(p), enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL
	o.WorkflowExecutionErrorWhenAlreadyStarted = true
	run, err := c.Temporal.ExecuteWorkflow(ctx, o, workflows.Post, workflows.PostInput{PostID: p.ID, Timing: c.Timing})
	if started, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		return started.RunId, nil
	}
	if err != nil {
		return "", asProblem(err)
	}
	return run.GetRunID(), nil
}

// afterItsEnd returns which ended runs may be followed by another. A completed run has ended its post,
// unless the post was restored since: then it has reserved a slot again, and its row names no run. A row
// that names no run may be read while its first run ends.
func afterItsEnd(p post.Post) enums.WorkflowIdReusePolicy {
	if p.RunID == "" && p.Reservations > 1 {
		return enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	return enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
}

// EditPost changes a post's text, and its time if one is given.
func (c *Client) EditPost(ctx context.Context, p post.Post, edit workflows.EditCommand) error {
	return c.command(ctx, p, workflows.UpdateEdit, edit)
}

// ReschedulePost changes a post's time.
func (c *Client) ReschedulePost(ctx context.Context, p post.Post, reschedule workflows.RescheduleCommand) error {
	return c.command(ctx, p, workflows.UpdateReschedule, reschedule)
}

// CancelPost cancels a post.
func (c *Client) CancelPost(ctx context.Context, p post.Post) error {
	return c.command(ctx, p, workflows.UpdateCancel)
}

// RetryPost retries a failed or unknown post, after a search for it on the timeline.
func (c *Client) RetryPost(ctx context.Context, p post.Post) error {
	return c.command(ctx, p, workflows.UpdateRetry)
}

// WakePost makes a post's run read its row again. A post without a run gets one from the dispatcher.
func (c *Client) WakePost(ctx context.Context, p post.Post) error {
	err := c.Temporal.SignalWorkflow(ctx, workflows.PostID(p.ID), "", workflows.SignalWoken, nil)
	if isGone(err) {
		return nil
	}
	return err // not as a problem, which an activity would not retry
}

// command sends a command to a post's run. A post whose run was lost, or has yet to be started,
// gets one first.
func (c *Client) command(ctx context.Context, p post.Post, name string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Within, commandWithin))
	defer cancel()
	err := c.update(ctx, workflows.PostID(p.ID), name, args...)
	if !isGone(err) {
		return asProblem(err)
	}
	if _, err := c.StartPost(ctx, p); err != nil {
		return err
	}
	return asProblem(c.update(ctx, workflows.PostID(p.ID), name, args...))
}

// ScheduleRecurringPost makes the schedule of a recurring post match its row: present while the row is
// active, paused with it, deleted when it has ended. Safe to repeat.
func (c *Client) ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error {
	if r.State == schedule.Ended {
		return c.unschedule(ctx, workflows.RecurringPostID(r.ID))
	}
	return c.schedule(ctx, workflows.RecurringPostID(r.ID), sdk.ScheduleOptions{Spec: weekly(r), Paused: r.State == schedule.Paused}, true,
		workflows.RecurringPost, workflows.RecurringPostInput{RecurringPostID: r.ID})
}

// weekly returns one calendar per weekly time. Temporal skips a time that does not exist at a daylight
// saving change; the dispatcher plans it.
func weekly(r schedule.RecurringPost) sdk.ScheduleSpec {
	spec := sdk.ScheduleSpec{TimeZoneName: r.Timezone}
	for _, t := range r.Weekly {
		spec.Calendars = append(spec.Calendars, sdk.ScheduleCalendarSpec{
			Minute: []sdk.ScheduleRange{{Start: t.Minute % 60}}, Hour: []sdk.ScheduleRange{{Start: t.Minute / 60}},
			DayOfWeek: []sdk.ScheduleRange{{Start: t.Weekday % 7}}, // Sunday is 0
		})
	}
	if r.EndsAt != nil {
		spec.EndAt = *r.EndsAt
	}
	return spec
}

// PlanRecurringPost plans a recurring post now, in addition to its schedule.
func (c *Client) PlanRecurringPost(ctx context.Context, id string) error {
	_, err := c.start(ctx, options(workflows.RecurringPostID(id)), workflows.RecurringPost, workflows.RecurringPostInput{RecurringPostID: id})
	return err
}
