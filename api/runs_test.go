package api_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	apiruns "customerzero/api/runs"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
)

// published is the timeline of a published post.
func published() run.Timeline {
	ended := now.Add(time.Second)
	return run.Timeline{
		WorkflowID: "post:p1", RunID: "r1", Flow: "post", Subject: "p1", State: run.Done, StartedAt: now, EndedAt: &ended, Events: 13,
		Steps: []run.Step{
			{At: now, EndedAt: &ended, Title: "Armed the post and sent it to X", State: run.Done, Attempt: 1, Facts: []run.Fact{{Name: "Status", Value: "published"}}},
			{At: ended, EndedAt: &ended, Title: "The run ended", State: run.Done, Failure: "none"},
		},
		Result: []run.Fact{{Name: "Status", Value: "published"}},
	}
}

// Proves: V8.2.3
func TestARunIsShownToAnybody(t *testing.T) {
	w := newWorld(t)
	w.runs.history = published()
	rec := w.visits(t, "/api/runs/post:p1?run=r1")
	ended := now.Add(time.Second)
	require.Equal(t, apiruns.RunTimeline{
		RunBrief: apiruns.RunBrief{
			WorkflowID: "post:p1", RunID: "r1", Flow: "post", State: "done", StartedAt: now, EndedAt: &ended, Path: "/runs/post:p1?run=r1",
		},
		Title:       "Publishing a post",
		Description: "Waits for the post's time, sends it to X once, and checks the timeline before any retry.",
		SubjectURL:  "/scheduler?post=p1",
		Steps: []apiruns.RunStep{
			{At: now, EndedAt: &ended, Title: "Armed the post and sent it to X", State: "done", Attempt: 1, Facts: []apiruns.RunFact{{Name: "Status", Value: "published"}}},
			{At: ended, EndedAt: &ended, Title: "The run ended", State: "done", Facts: []apiruns.RunFact{}, Failure: "none"},
		},
		Result: []apiruns.RunFact{{Name: "Status", Value: "published"}}, Events: 13,
	}, read[apiruns.RunTimeline](t, rec, ok))
	require.Equal(t, []string{"timeline post:p1 r1"}, w.runs.commands)
	require.Equal(t, "public, max-age=60", rec.Header().Get("Cache-Control"), "it has ended")

	for b, console := range map[*browser]string{w.newMember(t, "ada"): "", w.founder(t): "http://console/namespaces/default/workflows/post:p1/r1/history"} {
		rec := b.get(t, "/api/runs/post:p1")
		require.Equal(t, console, read[apiruns.RunTimeline](t, rec, ok).ConsoleURL, "only founders see the console")
		require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	}
	require.Equal(t, "no-store", w.send(t, "GET", "/api/runs/post:p1", "").Header().Get("Cache-Control"))
	w.runs.history.EndedAt = nil
	require.Equal(t, "no-store", w.visits(t, "/api/runs/post:p1").Header().Get("Cache-Control"))
}

func TestARunLinksToItsSubject(t *testing.T) {
	w := newWorld(t)
	for flow, tt := range map[string]struct{ subject, page string }{
		"post": {"p1", "/scheduler?post=p1"}, "chaos": {"c1", "/chaos-monkey/runs/c1"}, "verification": {"v1", "/ai-verification/runs/v1"},
		"game-day": {"", ""}, // a refused one has no run
		"checkout": {"c/1", "/receipts/c%2F1"}, "self-heal": {"", "/chaos-monkey"}, "recurring-post": {"s1", "/scheduler?view=recurring"}, "email": {"", ""},
	} {
		w.runs.history = run.Timeline{WorkflowID: flow + ":1", Flow: flow, Subject: tt.subject}
		run := read[apiruns.RunTimeline](t, w.visits(t, "/api/runs/"+flow+":1"), ok)
		require.Equal(t, tt.page, run.SubjectURL, flow)
		require.NotEmpty(t, run.Title)
		require.NotEmpty(t, run.Description)
	}
}

func TestTheNewestRunsAreListed(t *testing.T) {
	w := newWorld(t)
	w.runs.newest = []run.Brief{{WorkflowID: "chaos:chaos-target", RunID: "r/2", Flow: "chaos", State: run.Running, StartedAt: now}}
	list := read[apiruns.RunList](t, w.visits(t, "/api/runs?flow=chaos&limit=3"), ok)
	require.Equal(t, []apiruns.RunBrief{
		{WorkflowID: "chaos:chaos-target", RunID: "r/2", Flow: "chaos", State: "running", StartedAt: now, Path: "/runs/chaos:chaos-target?run=r%2F2"},
	}, list.Runs)
	w.runs.newest = nil
	require.Contains(t, w.visits(t, "/api/runs").Body.String(), `{"runs":[]}`)
	require.Equal(t, []string{"newest runs chaos 3", "newest runs  20"}, w.runs.commands)
}

func TestARunThatCannotBeShown(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"post:%00%07", "post:%ff%fe", "post:1?run=%0a", "post:1%2f..%2fx"} {
		refused(t, w.visits(t, "/api/runs/"+path), problem.NotFound)
		require.Empty(t, w.runs.commands, "Temporal is not queried for invalid IDs")
	}
	w.runs.err = problem.New(problem.Unavailable, "Away.")
	refused(t, w.visits(t, "/api/runs/post:1"), problem.Unavailable)
	refused(t, w.visits(t, "/api/runs?flow=checkout"), problem.Unavailable)
}
