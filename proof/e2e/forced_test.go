package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/verification"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/workflows"
)

// force ends a workflow's latest run as an operator can.
var force = map[string]func(t *testing.T, w *world, workflowID string){
	"terminate": func(t *testing.T, w *world, workflowID string) { w.terminate(t, workflowID) },
	"cancel": func(t *testing.T, w *world, workflowID string) {
		require.NoError(t, w.temporal.CancelWorkflow(t.Context(), workflowID, ""))
	},
	"reset": func(t *testing.T, w *world, workflowID string) {
		var first int64
		eventually(t, func(c *assert.CollectT) {
			for _, e := range w.history(t.Context(), t, workflowID).Events {
				if first == 0 && e.EventType == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
					first = e.EventId
				}
			}
			require.NotZero(c, first)
		})
		_, err := w.temporal.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
			Namespace: w.namespace, WorkflowExecution: &common.WorkflowExecution{WorkflowId: workflowID},
			WorkflowTaskFinishEventId: first, RequestId: xid.New().String(), Reason: "by mistake",
		})
		require.NoError(t, err)
	},
	"delete": func(t *testing.T, w *world, workflowID string) {
		_, err := w.temporal.WorkflowService().DeleteWorkflowExecution(t.Context(), &workflowservice.DeleteWorkflowExecutionRequest{
			Namespace: w.namespace, WorkflowExecution: &common.WorkflowExecution{WorkflowId: workflowID},
		})
		require.NoError(t, err)
	},
}

// held is a row whose run is open. ended reports whether the row has ended.
type held struct {
	workflowID string
	ended      func() bool
	continues  bool // its run continues when it is cancelled
}

// TestRunsThatEndByForce ends one open run of each workflow that carries a row, while the dispatcher runs. Its row
// must get another run, or have ended.
func TestRunsThatEndByForce(t *testing.T) {
	t.Parallel()
	for name, hold := range map[string]func(t *testing.T, w *world) held{
		"a post that is not due":          heldPost,
		"a post that is being sent":       heldSending,
		"a post that waits for a founder": heldFailed,
		"an e-mail":                       heldEmail,
		"a payment page":                  heldCheckout,
		"an experiment":                   heldExperiment,
		"an account deletion":             heldDeletion,
		"a login with X":                  heldLogin,
		"a generation":                    heldGeneration,
		"a diagnosis":                     heldDiagnosis,
		"a test of tokens":                heldConnection,
		"a test of keys":                  heldKeys,
	} {
		for way, end := range force {
			t.Run(way+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, server, "sqlite", longSend)
				row := hold(t, w)
				w.startDispatcher(t)
				lost := w.openRun(t, row.workflowID)
				if w.flows == nil && (way == "reset" || way == "cancel") {
					w.startWorker(t) // both need a worker; by then the run may have ended by itself
				}
				end(t, w, row.workflowID)
				if w.flows == nil {
					w.startWorker(t)
				}
				await(t, func() bool {
					if row.ended() {
						return true
					}
					open, err := w.temporal.DescribeWorkflowExecution(t.Context(), row.workflowID, "")
					return err == nil && open.WorkflowExecutionInfo.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING &&
						(open.WorkflowExecutionInfo.Execution.RunId != lost || row.continues && way == "cancel")
				})
			})
		}
	}
}

func (w *world) openRun(t *testing.T, workflowID string) (runID string) {
	open, err := w.temporal.DescribeWorkflowExecution(t.Context(), workflowID, "")
	require.NoError(t, err)
	require.Equal(t, enums.WORKFLOW_EXECUTION_STATUS_RUNNING, open.WorkflowExecutionInfo.Status)
	return open.WorkflowExecutionInfo.Execution.RunId
}

func (w *world) heldPost(t *testing.T, p post.Post, status ...post.Status) held {
	return held{workflows.PostID(p.ID), func() bool { return slices.Contains(status, w.row(t, p.ID).Status) }, status == nil}
}

func heldPost(t *testing.T, w *world) held {
	return w.heldPost(t, w.schedule(t, "not yet", time.Hour), post.StatusCancelled)
}

func heldSending(t *testing.T, w *world) held {
	w.silence.Lock()
	t.Cleanup(w.silence.Unlock)
	p := w.schedule(t, "half sent", 0)
	w.becomes(t, p.ID, post.StatusArmed)
	return w.heldPost(t, p)
}

func heldFailed(t *testing.T, w *world) held {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnPost, Fault: xsandbox.Forbidden, Times: 1})
	p := w.schedule(t, "refused", 0)
	w.becomes(t, p.ID, post.StatusFailed)
	return w.heldPost(t, p, post.StatusCancelled)
}

func heldEmail(t *testing.T, w *world) held {
	w.door.shut.Store(true)
	l := w.waiting(t, email.Welcome)
	require.NoError(t, w.runs.SendEmail(t.Context(), l.ID))
	await(t, func() bool { return w.door.hungUp.Load() > 0 })
	return held{workflows.EmailID(l.ID), func() bool { return w.emailRow(t, l.ID).State != email.Pending }, false}
}

func heldCheckout(t *testing.T, w *world) held {
	r := w.want(t)
	return held{workflows.CheckoutID(r.ID), func() bool { return w.receipt(t, r.ID).State == checkout.Cancelled }, false}
}

func heldExperiment(t *testing.T, w *world) held {
	e := w.experiments(t)
	require.NoError(t, w.runs.NotifyExperiment(t.Context(), e.ID))
	w.carried(t, e, "")
	return held{workflows.ExperimentID(e.ID), func() bool { return w.experiment(t, e).Status != experiment.Active }, false}
}

// heldDeletion waits for a post that is being sent.
func heldDeletion(t *testing.T, w *world) held {
	w.silence.Lock()
	t.Cleanup(w.silence.Unlock)
	w.becomes(t, w.sponsors(t, "half sent", 0).ID, post.StatusArmed)
	d := w.startDeletion(t)
	return held{workflows.AccountDeletionID(d.ID), func() bool { return fetch(t, w.db.Deletions.Deletion, d.ID).Ended() }, true}
}

// long is long enough ago for every request to have started its run.
const long = -time.Minute

func heldLogin(t *testing.T, w *world) held {
	id, then := xid.New().String(), time.Now().Add(long)
	require.NoError(t, w.db.Accounts.BeginXLogin(t.Context(), account.XLogin{
		ID: id, BrowserHash: account.Hash(id), Next: "/", Device: "Firefox on Linux", State: account.RequestingToken,
		CreatedAt: then, ExpiresAt: then.Add(account.XLoginLife),
	}, account.Asker{}))
	require.NoError(t, w.runs.BeginXLogin(t.Context(), id))
	return held{workflows.XLoginID(id), func() bool { return w.login(t, visit{id: id}).State == account.Ended }, false}
}

// The flows below are short, so their run is started without a worker.

func (w *world) starts(t *testing.T, workflowID string, flow, in any) {
	_, err := w.temporal.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: workflowID, TaskQueue: workflows.QueueCore}, flow, in)
	require.NoError(t, err)
}

func heldGeneration(t *testing.T, w *world) held {
	w.stopWorker()
	g := generation.Generation{ID: xid.New().String(), Voice: "engineer", Topic: "our queue", Facts: []generation.Fact{}, CreatedAt: time.Now()}
	texts := generation.Blank(g.ID, []string{"builtin-1"}, strings.ToLower, func() string { return xid.New().String() })
	require.NoError(t, w.db.Generations.BeginGeneration(t.Context(), g, texts, g.ID))
	w.starts(t, workflows.GenerationID(g.ID), workflows.Generation, workflows.GenerationInput{GenerationID: g.ID})
	return held{workflows.GenerationID(g.ID), func() bool { return fetch(t, w.db.Generations.Generation, g.ID).Ended() }, false}
}

func heldDiagnosis(t *testing.T, w *world) held {
	w.stopWorker()
	d := diagnostic.Run{ID: xid.New().String(), Visitor: "somebody", CreatedAt: time.Now().Add(long)}
	require.NoError(t, w.db.Diagnoses.BeginDiagnosis(t.Context(), d, account.Asker{}))
	w.starts(t, workflows.OAuthDiagnosisID(d.ID), workflows.OAuthDiagnosis, workflows.OAuthDiagnosisInput{DiagnosisID: d.ID})
	return held{workflows.OAuthDiagnosisID(d.ID), func() bool { return fetch(t, w.db.Diagnoses.Diagnosis, d.ID).EndedAt != nil }, false}
}

func heldConnection(t *testing.T, w *world) held {
	w.stopWorker()
	c, err := w.db.Bot.ProposeConnection(t.Context(), ownTokens, &w.grace.account.ID, time.Now().Add(long))
	require.NoError(t, err)
	w.starts(t, workflows.CredentialsID(c.ID), workflows.Credentials, workflows.CredentialsInput{ConnectionID: c.ID})
	return held{workflows.CredentialsID(c.ID), func() bool { return fetch(t, w.db.Bot.ConnectionByID, c.ID).State != bot.Candidate }, false}
}

func heldKeys(t *testing.T, w *world) held {
	w.stopWorker()
	k, err := w.db.Bot.ProposeKeys(t.Context(), goodKeys, &w.grace.account.ID, time.Now().Add(long))
	require.NoError(t, err)
	w.starts(t, workflows.ProviderKeysID(k.ID), workflows.ProviderKeys, workflows.ProviderKeysInput{ProviderKeyID: k.ID})
	return held{workflows.ProviderKeysID(k.ID), func() bool { return w.keys(t, k.ID).State != bot.KeysCandidate }, false}
}

// A verification that a user requested, and whose worker is gone.
func TestVerificationThatEndsByForce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, "sqlite", longSend)
	w.stopWorker()
	id := w.requests(t, "http://127.0.0.1:1/")
	lost, err := w.runs.StartVerification(t.Context(), id)
	require.NoError(t, err)
	w.startDispatcher(t)
	for _, way := range []string{"terminate", "delete"} {
		force[way](t, w, workflows.VerificationID(id))
		await(t, func() bool {
			open, err := w.temporal.DescribeWorkflowExecution(t.Context(), workflows.VerificationID(id), "")
			return err == nil && open.WorkflowExecutionInfo.Status == enums.WORKFLOW_EXECUTION_STATUS_RUNNING && open.WorkflowExecutionInfo.Execution.RunId != lost
		})
		lost = w.openRun(t, workflows.VerificationID(id))
	}
	require.Equal(t, verification.Requested, fetch(t, w.db.Verifications.Verification, id).Stage)
}

// An operator may delete a schedule in the console.
func TestDeletedSchedulesAreCreatedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, server, "sqlite", longSend)
	w.runs.GameDay, w.runs.VerifyEvery = "0 0 1 1 *", 24*time.Hour
	r := w.recurs(t, everyDayAt(time.Now().Add(time.Hour)), "UTC", time.Now())
	w.startDispatcher(t)
	kept := []string{
		workflows.EngagementID, workflows.PaymentReconciliationID, workflows.VerificationCleanupID, workflows.GameDayID, "verification",
		workflows.RecurringPostID(r.ID),
	}
	created := map[string]time.Time{}
	for _, id := range kept {
		eventually(t, func(c *assert.CollectT) {
			s, err := w.temporal.ScheduleClient().GetHandle(t.Context(), id).Describe(t.Context())
			require.NoError(c, err)
			created[id] = s.Info.CreatedAt
		})
		require.NoError(t, w.temporal.ScheduleClient().GetHandle(t.Context(), id).Delete(t.Context()))
	}
	for _, id := range kept {
		eventually(t, func(c *assert.CollectT) {
			s, err := w.temporal.ScheduleClient().GetHandle(t.Context(), id).Describe(t.Context())
			require.NoError(c, err)
			require.True(c, s.Info.CreatedAt.After(created[id]))
		})
	}
}
