package rolling

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	chaosapi "customerzero/api/chaos"
	checkoutapi "customerzero/api/checkout"
	membersapi "customerzero/api/members"
	"customerzero/api/posts"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/platform/testwait"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/watch"
)

// TestRollingRestartIsInvisible restarts every process of a cluster once while posts are sent, a membership is
// bought, the chaos target is broken and healed, and clients follow it. The full form is make cluster-test.
// Proves: F3, F26
func TestRollingRestartIsInvisible(t *testing.T) {
	t.Parallel()
	w := startCluster(t)
	watcher, watching := watch.New(w.URL), sync.WaitGroup{}
	watched, stop := context.WithCancel(t.Context())
	defer stop()
	watching.Go(func() { watcher.Run(watched) })

	texts := w.schedule(t)
	purchase := w.begin(t)
	followers := w.breakTarget(t)
	took, err := w.Roll(t.Context())
	require.NoError(t, err)
	require.Equal(t, http.StatusSeeOther, rig.Pay(t.Context(), purchase.PaymentURL, "buyer@example.com", "4242"))

	w.awaitPublished(t, texts)
	w.awaitPaid(t, purchase.CheckoutID)
	w.requireHealed(t, followers)
	stop()
	watching.Wait()
	failures := slices.DeleteFunc(watcher.Failures, func(f watch.Failure) bool {
		return took["postgres"] > databasePatience && f.Until.Sub(f.From) >= databasePatience
	})
	require.Empty(t, failures, "%d requests through the proxy, the longest took %s", watcher.Asked, watcher.Longest)
	for _, p := range w.Processes() {
		_, falls := p.Deaths()
		require.Zero(t, falls, "%s ended by itself", p.Program().Name)
	}
}

// schedule writes posts that are due one after the other throughout the restarts.
func (w world) schedule(t *testing.T) (texts []string) {
	sponsors := []string{"ada", "grace"}
	for _, name := range sponsors {
		w.post(t, "/api/members", membersapi.NewMember{Username: name, PaymentAmount: 9}, &membersapi.AddedMember{})
	}
	for n := range 12 {
		text := fmt.Sprintf("Sent while everything was restarted, number %d.", n)
		w.write(t, sponsors[n%2], text, time.Duration(n)*4*time.Second)
		texts = append(texts, text)
	}
	return texts
}

func (w world) begin(t *testing.T) (started checkoutapi.PaymentStarted) {
	w.post(t, "/api/dynamic-payment", checkoutapi.NewPayment{Service: checkout.Service}, &started)
	require.NotEmpty(t, started.PaymentURL)
	return started
}

// audience is several followers of a run, which the proxy distributes over the APIs.
type audience struct {
	followers [4]follower
	following sync.WaitGroup
}

// breakTarget starts a chaos run, which takes some seconds, and returns when all followers are connected.
func (w world) breakTarget(t *testing.T) *audience {
	w.awaitTarget(t)
	var started chaosapi.ChaosStarted
	w.post(t, "/api/chaos", chaosapi.NewChaos{Type: "break-database", Source: "rolling"}, &started)
	a, here := &audience{}, sync.WaitGroup{}
	for i := range a.followers {
		f := &a.followers[i]
		f.url = w.URL + "/api/chaos/runs/" + started.ID + "/events"
		here.Add(1)
		arrived := sync.OnceFunc(here.Done)
		a.following.Go(func() { f.follow(t.Context(), "end", func(event) { arrived() }) })
	}
	here.Wait()
	return a
}

// awaitTarget returns when the chaos target is healthy. Workers that are ready before it see it unhealthy, and no
// chaos run starts while they repair it.
func (w world) awaitTarget(t *testing.T) {
	require.Eventually(t, func() bool {
		var seen chaosapi.TargetReport
		a := w.founder.Call(t.Context(), http.MethodGet, "/api/chaos/target", nil, &seen)
		return a.Outcome == rig.Success && seen.Status == "healthy" && seen.Incident == nil
	}, patience, 250*time.Millisecond)
}

func (w world) awaitPublished(t *testing.T, texts []string) {
	require.Eventually(t, func() bool {
		var page posts.Posts
		a := w.founder.Call(t.Context(), http.MethodGet, "/api/posts?limit=100&status=published", nil, &page)
		return a.Outcome == rig.Success && len(page.Posts) == len(texts)
	}, patience, 250*time.Millisecond)
	require.ElementsMatch(t, texts, w.timeline(t), "each once")
}

func (w world) awaitPaid(t *testing.T, id string) {
	require.Eventually(t, func() bool {
		var r checkoutapi.Receipt
		a := w.founder.Call(t.Context(), http.MethodGet, "/api/receipts/"+id, nil, &r)
		return a.Outcome == rig.Success && r.State == string(checkout.Paid)
	}, patience, 250*time.Millisecond)
}

// requireHealed verifies that every follower received every event of the run once.
func (w world) requireHealed(t *testing.T, a *audience) {
	a.following.Wait()
	streams := 0
	for i := range a.followers {
		f := &a.followers[i]
		require.Empty(t, f.wrong(), "follower %d", i)
		require.Empty(t, f.refused, "follower %d", i)
		last := f.events[len(f.events)-1]
		require.Equal(t, "end", last.name)
		var run chaosapi.ChaosRun
		require.NoError(t, json.Unmarshal([]byte(last.data), &run))
		require.Contains(t, []string{"healed", "healed_late"}, run.Event.Verdict, run.Event.Reason)
		require.Len(t, f.probes(), len(run.Probes.Samples), "and all of it")
		streams += f.streams
	}
	require.Greater(t, streams, len(a.followers), "no follower had to reconnect: the run was over before the restart")
}

const patience = testwait.Limit

// databasePatience is how long requests wait for a database (docs/operations.md). On a busy machine a restart of
// Postgres takes longer, and requests that waited that long may fail.
const databasePatience = 8 * time.Second

type world struct {
	*cluster.Cluster
	founder *rig.Caller
}

func startCluster(t *testing.T) world {
	dir, err := os.MkdirTemp("", "customerzero-rolling.") // Postgres, another user, must be able to reach it
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = os.RemoveAll(dir), os.RemoveAll(dir+".postgres") })
	o, err := cluster.Programs(t.Context(), t.TempDir())
	require.NoError(t, err)
	o.Dir, o.Out, o.Settings = dir, t.Output(), []string{"GAME_DAY=off", "VERIFY_EVERY=off", "POST_SEND_TIMEOUT=10s"}
	c, err := cluster.Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	founder := rig.NewCaller(c.URL, http.Header{"X-Admin-Key": {c.AdminKey}})
	founder.HTTP.Timeout = patience
	return world{c, founder}
}

func (w world) post(t *testing.T, path string, body, reply any) {
	answer := w.founder.Call(t.Context(), http.MethodPost, path, body, reply)
	require.Equal(t, rig.Success, answer.Outcome, "%s: %+v", path, answer)
}

func (w world) write(t *testing.T, member, text string, ahead time.Duration) {
	post := posts.NewPost{Content: text, Member: member, ScheduledAt: time.Now().Add(ahead).Format(time.RFC3339Nano)}
	w.post(t, "/api/posts", post, &posts.PostReply{})
}

func (w world) timeline(t *testing.T) (texts []string) {
	body, _, err := rig.Get(t.Context(), http.DefaultClient, w.SandboxURL+"/sandbox/x/timeline.json")
	require.NoError(t, err)
	var x struct{ Tweets []struct{ Text string } }
	require.NoError(t, json.Unmarshal(body, &x))
	for _, tweet := range x.Tweets {
		texts = append(texts, tweet.Text)
	}
	return texts
}
