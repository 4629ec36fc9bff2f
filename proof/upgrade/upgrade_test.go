package upgrade

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"

	chaosapi "customerzero/api/chaos"
	checkoutapi "customerzero/api/checkout"
	membersapi "customerzero/api/members"
	"customerzero/api/posts"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/platform/ports/portstest"
	"customerzero/proof/crash/rig"
	"customerzero/worker"
	"customerzero/workflows"
)

// TestOpenRunsContinueInANewBuild opens a post, a checkout and a chaos run under one build of the worker and ends
// them under another with a changed post workflow.
// Proves: F26
func TestOpenRunsContinueInANewBuild(t *testing.T) {
	first := compile(t, "")
	second := compile(t, guarded)
	s := newStage(t, first)
	s.namesAWrongNamespace(t, first)
	target := s.start(t, first, "target", "")
	one := s.start(t, first, "worker", "1")
	s.ready(t) // the first build becomes current by itself
	require.Equal(t, "1", s.current(t))

	post, paid := s.schedule(t, "Written before the upgrade."), s.openPayment(t)
	s.refusesWhatDoesNotReplay(t, post)
	s.start(t, second, "worker", "2")
	run := s.breaks(t)
	require.NoError(t, target.Signal(syscall.SIGSTOP)) // it cannot be repaired, so the run stays open
	code, output := s.command(t, second, "2", "promote")
	require.Zero(t, code, output)
	require.Equal(t, "2", s.current(t))
	require.NoError(t, target.Signal(syscall.SIGCONT))
	one.stop()

	s.publish(t, post)
	s.pay(t, paid)
	s.healed(t, run)
	for _, id := range []string{workflows.PostID(post), workflows.CheckoutID(paid.CheckoutID), workflows.ChaosRunID} {
		builds := s.buildsOf(t, id)
		require.Equal(t, "1", builds[0], id)
		require.Equal(t, "2", builds[len(builds)-1], id)
	}

	s.start(t, first, "worker", "1")
	s.keeps(t, "1", "2")
	code, output = s.command(t, first, "1", "promote")
	require.Zero(t, code, output)
	require.Equal(t, "1", s.current(t))
	s.ready(t)
}

// namesAWrongNamespace runs every command that needs Temporal.
func (s *stage) namesAWrongNamespace(t *testing.T, program string) {
	right := s.env
	defer func() { s.env = right }()
	s.env = append(slices.Clone(right), "TEMPORAL_NAMESPACE=nope", "ADDR="+portstest.Address(t))
	for _, command := range []string{"api", "worker", "doctor", "promote"} {
		code, output := s.command(t, program, "1", command)
		require.Equal(t, 1, code, output)
		require.Contains(t, output, `the namespace "nope" does not exist in Temporal at `, command)
	}
}

// refusesWhatDoesNotReplay promotes a build that would break the post's run.
func (s *stage) refusesWhatDoesNotReplay(t *testing.T, post string) {
	third := compile(t, unguarded)
	code, output := s.command(t, third, "3", "promote")
	require.Equal(t, 1, code, output)
	require.Contains(t, output, "build 3 was not made current, because 1 of the open runs do not replay with it: "+workflows.PostID(post)+";")
	require.Equal(t, "1", s.current(t))
	s.ready(t)
}

// keeps verifies that a restarted worker of an old build does not become current.
func (s *stage) keeps(t *testing.T, old, current string) {
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.NoError(c, s.runs.RunCanaryIn(t.Context(), deployment, old))
	}, patience, 100*time.Millisecond)
	again := &worker.Promotion{Deployment: worker.Deployment{Name: deployment, Build: old}, Runs: s.runs}
	again.Settle(t.Context()) // as the worker does
	require.Equal(t, current, s.current(t))
}

func (s *stage) current(t *testing.T) string {
	seen, err := s.runs.CurrentBuild(t.Context(), deployment)
	require.NoError(t, err)
	return seen.Build
}

func (s *stage) schedule(t *testing.T, text string) (id string) {
	var written posts.PostReply
	request := posts.NewPost{Content: text, ScheduledAt: time.Now().Add(time.Hour).UTC().Format(time.RFC3339)}
	a := s.founder.Call(t.Context(), http.MethodPost, "/api/posts", request, &written)
	require.Equal(t, rig.Success, a.Outcome, a)
	return written.Post.ID
}

// publish moves the post's time forward and waits until it is public once.
func (s *stage) publish(t *testing.T, id string) {
	soon := map[string]string{"scheduledAt": time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339)}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		a := s.founder.Call(t.Context(), http.MethodPatch, "/api/posts/"+id, soon, &posts.PostReply{})
		require.Equal(c, rig.Success, a.Outcome, a)
	}, patience, time.Second)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var p posts.Post
		a := s.founder.Call(t.Context(), http.MethodGet, "/api/posts/"+id, nil, &p)
		require.Equal(c, rig.Success, a.Outcome, a)
		require.EqualValues(c, "published", p.Status)
	}, patience, 200*time.Millisecond)
	var timeline struct{ Tweets []struct{ Text string } }
	body, _, err := rig.Get(t.Context(), http.DefaultClient, s.pages+"/sandbox/x/timeline.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(body, &timeline))
	require.Len(t, timeline.Tweets, 1)
}

func (s *stage) openPayment(t *testing.T) checkoutapi.PaymentStarted {
	s.visitor.Call(t.Context(), http.MethodPost, "/api/visits", checkoutapi.Visit{Page: "pricing"}, &checkoutapi.Counted{})
	var started checkoutapi.PaymentStarted
	a := s.visitor.Call(t.Context(), http.MethodPost, "/api/dynamic-payment", checkoutapi.NewPayment{Service: checkout.Service}, &started)
	require.Equal(t, rig.Success, a.Outcome, a)
	require.NotEmpty(t, started.PaymentURL)
	return started
}

func (s *stage) pay(t *testing.T, opened checkoutapi.PaymentStarted) {
	require.Equal(t, http.StatusSeeOther, rig.Pay(t.Context(), opened.PaymentURL, "ada@example.com", "4242"))
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		var found membersapi.Members
		a := s.founder.Call(t.Context(), http.MethodGet, "/api/members", nil, &found)
		require.Equal(c, rig.Success, a.Outcome, a)
		require.Len(c, found.Members, 1)
		require.Equal(c, 90, found.Members[0].CurrentCredits)
	}, patience, 200*time.Millisecond)
}

// breaks starts a chaos run and returns when its fault is injected.
func (s *stage) breaks(t *testing.T) (id string) {
	var begun chaosapi.ChaosStarted
	require.EventuallyWithT(t, func(c *assert.CollectT) { // an incident may still be open
		a := s.founder.Call(t.Context(), http.MethodPost, "/api/chaos", chaosapi.NewChaos{Type: "delete-og-image", Source: "upgrade"}, &begun)
		require.Equal(c, rig.Success, a.Outcome, a)
	}, patience, 500*time.Millisecond)
	require.Eventually(t, func() bool { return s.chaos(t, begun.ID).InjectedAt != nil }, patience, 10*time.Millisecond)
	return begun.ID
}

func (s *stage) chaos(t *testing.T, id string) chaosapi.ChaosEvent {
	var run chaosapi.ChaosRun
	s.founder.Call(t.Context(), http.MethodGet, "/api/chaos/runs/"+id, nil, &run) // callers retry without a response
	return run.Event
}

func (s *stage) healed(t *testing.T, id string) {
	require.Eventually(t, func() bool { return s.chaos(t, id).Stage == "ended" }, patience, 200*time.Millisecond)
	run := s.chaos(t, id)
	require.Contains(t, []string{"healed", "healed_late"}, run.Verdict, run.Reason)
	require.True(t, run.Restored)
}

// TestAnotherWorkerTakesOverTheWatch stops the worker that runs the healer's watch. A graceful stop hands the watch
// over; after a kill, its heartbeat has to time out.
// Proves: F26
func TestAnotherWorkerTakesOverTheWatch(t *testing.T) {
	program := compile(t, "")
	s := newStage(t, program)
	s.start(t, program, "target", "")
	s.start(t, program, "worker", "1")
	s.ready(t)

	asked := s.watch(t, 0)
	s.start(t, program, "worker", "1")
	require.NoError(t, syscall.Kill(watcher(asked), syscall.SIGTERM))
	taken := s.watch(t, watcher(asked))
	require.Nil(t, taken.GetLastFailure(), "no heartbeat timed out")
	require.NotEqual(t, asked.GetActivityId(), taken.GetActivityId(), "the workflow started a new activity")

	s.start(t, program, "worker", "1")
	require.NoError(t, syscall.Kill(watcher(taken), syscall.SIGKILL))
	missed := s.watch(t, watcher(taken))
	require.Equal(t, enums.TIMEOUT_TYPE_HEARTBEAT, missed.GetLastFailure().GetTimeoutFailureInfo().GetTimeoutType())
}

// watch returns the healer's pending watch once another process than the given one runs it.
func (s *stage) watch(t *testing.T, another int) (held *workflow.PendingActivityInfo) {
	require.Eventually(t, func() bool {
		run, err := s.temporal.DescribeWorkflowExecution(t.Context(), workflows.SelfHealID, "")
		if err != nil || len(run.PendingActivities) != 1 {
			return false
		}
		held = run.PendingActivities[0]
		calm := held.GetActivityType().GetName() == "WatchHealth" // no incident, as at the start
		return calm && held.GetState() == enums.PENDING_ACTIVITY_STATE_STARTED && watcher(held) != another
	}, patience, tick)
	return held
}

func watcher(held *workflow.PendingActivityInfo) (pid int) {
	who, _, _ := strings.Cut(held.GetLastWorkerIdentity(), "@")
	if _, err := fmt.Sscan(who, &pid); err != nil {
		return os.Getpid()
	}
	return pid
}
