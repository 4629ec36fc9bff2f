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
	"customerzero/workflows"
)

func TestAccountDeletionEndings(t *testing.T) {
	runEndings(t, map[string]ending{
		"with posts and a recurring post":            {"account-deletion-with-posts", longSend, deletedWithPosts},
		"cancelled in the console: it still deletes": {"account-deletion-cancelled", longSend, deletedAfterCancellation},
	})
}

func (w *world) requestDeletion(t *testing.T) account.Deletion {
	d, err := w.db.Deletions.RequestDeletion(t.Context(), w.newcomer.account.ID, xid.New().String(), time.Now())
	require.NoError(t, err)
	return d
}

func (w *world) startDeletion(t *testing.T) account.Deletion {
	d := w.requestDeletion(t)
	_, err := w.runs.StartAccountDeletion(t.Context(), d.ID)
	require.NoError(t, err)
	return d
}

// isDeleted waits for the end of the run, compares its result with the row, and verifies that the last e-mail is
// in the outbox.
func (w *world) isDeleted(t *testing.T, d account.Deletion) (workflowID string, result workflows.AccountDeletionResult) {
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

func (w *world) sponsors(t *testing.T, text string, after time.Duration) post.Post {
	p := w.write(t, post.Post{Text: text, MemberID: w.newcomer.account.MemberID, ScheduledAt: time.Now().Add(after)})
	_, err := w.runs.StartPost(t.Context(), p)
	require.NoError(t, err)
	return p
}

func deletedWithPosts(t *testing.T, w *world) string {
	first, second := w.sponsors(t, "never to be read", time.Hour), w.sponsors(t, "nor this", 2*time.Hour)
	r, created, err := w.db.RecurringPosts.CreateRecurringPost(t.Context(), schedule.RecurringPost{
		ID: xid.New().String(), MemberID: w.newcomer.account.MemberID, Texts: []string{"every day, number {number}"},
		Weekly: everyDayAt(time.Now().Add(time.Hour)), Timezone: "UTC",
	}, time.Now())
	require.NoError(t, err)
	require.Len(t, created, 1)
	ahead := w.row(t, created[0])
	_, err = w.runs.StartPost(t.Context(), ahead)
	require.NoError(t, err)
	require.NoError(t, w.runs.ScheduleRecurringPost(t.Context(), r))
	stays := w.schedule(t, "of the founders", time.Hour)

	workflowID, result := w.isDeleted(t, w.startDeletion(t))
	require.Equal(t, workflows.AccountDeletionResult{Posts: 3, RecurringPosts: 1}, result)
	for _, p := range []post.Post{first, second, ahead} {
		w.ends(t, p.ID, post.StatusCancelled) // by its own run
	}
	_, err = w.temporal.ScheduleClient().GetHandle(t.Context(), workflows.RecurringPostID(r.ID)).Describe(t.Context())
	require.Error(t, err, "its schedule is deleted")
	require.Equal(t, post.StatusScheduled, w.row(t, stays.ID).Status)
	w.holds(t, 0, 1)
	require.Zero(t, w.sends.Load())
	return workflowID
}

func deletedAfterCancellation(t *testing.T, w *world) string {
	w.sponsors(t, "never to be read", time.Hour)
	w.stopWorker()
	d := w.startDeletion(t)
	require.NoError(t, w.temporal.CancelWorkflow(t.Context(), workflows.AccountDeletionID(d.ID), ""))
	w.startWorker(t)
	workflowID, result := w.isDeleted(t, d)
	require.Equal(t, 1, result.Posts)
	return workflowID
}

// The process that stored a deletion request may die before it starts the run.
func TestDispatcherStartsAccountDeletion(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		d := w.requestDeletion(t)
		w.startDispatcher(t)
		once(t, w.db.Deletions.Deletion, d.ID, func(c *assert.CollectT, d account.Deletion) { require.True(c, d.Ended()) })
		eventually(t, func(c *assert.CollectT) { // the last e-mail is sent
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
