package e2e

import (
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/workflows"
)

func TestDepartureEndings(t *testing.T) {
	tell(t, map[string]ending{
		"nothing waits":                           {"account-deletion-at-once", patient, leavesAtOnce},
		"posts and a series wait":                 {"account-deletion-with-posts", patient, leavesWithPosts},
		"a post is being sent":                    {"account-deletion-while-sending", brief, leavesWhileSending},
		"nobody can see what became of a post":    {"account-deletion-unknown", brief, leavesAnUnknownPost},
		"cancelled in the console it goes on":     {"account-deletion-cancelled", patient, leavesAllTheSame},
		"the worker stops in the middle of it":    {"account-deletion-worker-lost", brief, leavesWithoutAWorker},
		"the run was ended by force: another one": {"account-deletion-begun-anew", patient, leavesWithAnotherRun},
	})
}

// wantsToLeave is the newcomer who asks for it, as the API writes it down.
func (w *world) wantsToLeave(t *testing.T) account.Deletion {
	d, err := w.db.Deletions.RequestDeletion(t.Context(), w.newcomer.account.ID, xid.New().String(), time.Now())
	require.NoError(t, err)
	return d
}

func (w *world) departs(t *testing.T) account.Deletion {
	d := w.wantsToLeave(t)
	_, err := w.runs.StartAccountDeletion(t.Context(), d.ID)
	require.NoError(t, err)
	return d
}

func (w *world) departed(t *testing.T, d account.Deletion) {
	once(t, w.db.Deletions.Deletion, d.ID, func(c *assert.CollectT, d account.Deletion) { require.True(c, d.Ended()) })
}

// isGone waits until the run has ended, and sees that it tells the same as the row, and that
// the last letter is written.
func (w *world) isGone(t *testing.T, d account.Deletion) (workflowID string, result workflows.AccountDeletionResult) {
	workflowID = workflows.AccountDeletionID(d.ID)
	result = resultOf[workflows.AccountDeletionResult](t, w, workflowID)
	d = fetch(t, w.db.Deletions.Deletion, d.ID)
	require.True(t, d.Ended())
	require.Equal(t, workflowID, d.WorkflowID)
	require.Equal(t, workflows.AccountDeletionResult{Posts: d.CancelledPosts, RecurringPosts: d.EndedRecurringPosts, Votes: d.DeletedVotes}, result)
	gone := fetch(t, w.db.Accounts.AccountByEmail, w.newcomer.address)
	require.Nil(t, gone)
	_, content, err := w.db.Emails.Email(t.Context(), w.waiting(t, email.Farewell).ID)
	require.NoError(t, err)
	require.Equal(t, w.newcomer.address, content.To)
	return workflowID, result
}

// sponsors writes a post of the newcomer's for a while from now, and starts its run.
func (w *world) sponsors(t *testing.T, text string, after time.Duration) post.Post {
	p := w.write(t, post.Post{Text: text, MemberID: w.newcomer.account.MemberID, ScheduledAt: time.Now().Add(after)})
	_, err := w.runs.StartPost(t.Context(), p)
	require.NoError(t, err)
	return p
}

func leavesAtOnce(t *testing.T, w *world) string {
	workflowID, result := w.isGone(t, w.departs(t))
	require.Zero(t, result)
	return workflowID
}

func leavesWithPosts(t *testing.T, w *world) string {
	first, second := w.sponsors(t, "never to be read", time.Hour), w.sponsors(t, "nor this", 2*time.Hour)
	r, told, err := w.db.RecurringPosts.CreateRecurringPost(t.Context(), schedule.RecurringPost{
		ID: xid.New().String(), MemberID: w.newcomer.account.MemberID, Texts: []string{"every day, number {number}"},
		Weekly: everyDayAt(time.Now().Add(time.Hour)), Timezone: "UTC",
	}, time.Now())
	require.NoError(t, err)
	require.Len(t, told, 1)
	ahead := w.row(t, told[0])
	_, err = w.runs.StartPost(t.Context(), ahead)
	require.NoError(t, err)
	require.NoError(t, w.runs.ScheduleRecurringPost(t.Context(), r))
	stays := w.schedule(t, "the founders' own", time.Hour)

	workflowID, result := w.isGone(t, w.departs(t))
	require.Equal(t, workflows.AccountDeletionResult{Posts: 3, RecurringPosts: 1}, result)
	for _, p := range []post.Post{first, second, ahead} {
		w.ends(t, p.ID, post.StatusCancelled) // its own run has heard of it
	}
	_, err = w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.RecurringPostID(r.ID)).Describe(t.Context())
	require.Error(t, err, "no schedule writes more")
	require.Equal(t, post.StatusScheduled, w.row(t, stays.ID).Status)
	w.holds(t, 0, 1)
	require.Zero(t, w.sends.Load())
	return workflowID
}

// leavesWhileSending has X take a post, and say nothing of it for a while.
func leavesWhileSending(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.HangAfter, Times: 1})
	p := w.sponsors(t, "on its way", 0)
	w.becomes(t, p.ID, post.StatusArmed)
	d := w.departs(t)
	workflowID, result := w.isGone(t, d)
	require.Zero(t, result)
	out := w.ends(t, p.ID, post.StatusPublished)
	require.Equal(t, "on its way", out.Text, "it stands on X")
	w.isPublic(t, "on its way", 1)
	ended := fetch(t, w.db.Deletions.Deletion, d.ID)
	require.False(t, ended.EndedAt.Before(*out.PublishedAt), "it was waited for")
	return workflowID
}

// leavesAnUnknownPost is let go on only when the timeline can be read again.
func leavesAnUnknownPost(t *testing.T, w *world) string {
	w.blind(t, xsandbox.DropBefore)
	p := w.sponsors(t, "who knows", 0)
	w.becomes(t, p.ID, post.StatusUnknown)
	d := w.departs(t)
	eventually(t, func(c *assert.CollectT) { // it has looked, and waits
		require.Contains(c, w.history(t.Context(), t, workflows.AccountDeletionID(d.ID)).String(), "EVENT_TYPE_TIMER_STARTED")
	})
	open := fetch(t, w.db.Deletions.Deletion, d.ID)
	require.Equal(t, account.DeletionRunning, open.Stage)
	w.misbehave(t)
	workflowID, result := w.isGone(t, d)
	require.Equal(t, 1, result.Posts)
	w.ends(t, p.ID, post.StatusCancelled)
	require.Empty(t, w.x.Tweets())
	w.holds(t, 0, 0)
	return workflowID
}

func leavesAllTheSame(t *testing.T, w *world) string {
	w.sponsors(t, "never to be read", time.Hour)
	w.stopWorker()
	d := w.departs(t)
	require.NoError(t, w.temporal.CancelWorkflow(t.Context(), workflows.AccountDeletionID(d.ID), ""))
	w.startWorker(t)
	workflowID, result := w.isGone(t, d)
	require.Equal(t, 1, result.Posts)
	return workflowID
}

// leavesWithoutAWorker has it stop while the flow waits for a post that is being sent.
func leavesWithoutAWorker(t *testing.T, w *world) string {
	w.blind(t, xsandbox.DropBefore)
	lost, waits := w.sponsors(t, "who knows", 0), w.sponsors(t, "never to be read", time.Hour)
	w.becomes(t, lost.ID, post.StatusUnknown)
	d := w.departs(t)
	w.becomes(t, waits.ID, post.StatusCancelled)
	w.stopWorker()
	w.misbehave(t)
	w.startWorker(t)
	workflowID, result := w.isGone(t, d)
	require.Equal(t, 2, result.Posts, "also the one that was given up before")
	return workflowID
}

func leavesWithAnotherRun(t *testing.T, w *world) string {
	p := w.sponsors(t, "never to be read", time.Hour)
	w.stopWorker()
	d := w.departs(t)
	_, err := w.runs.StartAccountDeletion(t.Context(), d.ID)
	require.NoError(t, err)
	w.terminate(t, workflows.AccountDeletionID(d.ID))
	w.startWorker(t)
	w.startStarter(t)
	w.departed(t, d)
	w.ends(t, p.ID, post.StatusCancelled)
	result := resultOf[workflows.AccountDeletionResult](t, w, workflows.AccountDeletionID(d.ID))
	require.Equal(t, 1, result.Posts)
	return workflows.AccountDeletionID(d.ID)
}

// Whoever wrote a departure down may die before its run is started.
func TestTheStarterGivesARunToADepartureWithoutOne(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		d := w.wantsToLeave(t)
		w.startStarter(t)
		w.departed(t, d)
		eventually(t, func(c *assert.CollectT) { // the last letter has gone, and with it the address
			texts := ""
			for _, m := range w.mail.Messages() {
				if m.To[0] == w.newcomer.address {
					texts += m.Text
				}
			}
			require.Contains(c, texts, site+"/runs/account-deletion:"+d.ID)
		})
	})
}
