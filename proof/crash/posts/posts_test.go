package posts

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/internal/store/testdb"
	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
	"customerzero/workflows"
)

// TestCrash is the short form of make crash-posts.
// Proves: F1, F9, F13 in turn: sqlite postgres
// Proves: F3, F4 in turn: postgres
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Either(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			rigtest.Short(t, CrashTest, rig.Options{Count: 30, Kills: 3, Databases: []string{kind}})
		})
	}
}

// TestCrashWithPostgresKilled runs on a Postgres whose main process is killed.
// Proves: F1, F3, F9, F13 in turn
func TestCrashWithPostgresKilled(t *testing.T) {
	t.Parallel()
	rigtest.Short(t, CrashTest, rig.Options{Count: 15, Kills: 2, Databases: []string{rig.Mortal}})
}

func TestPlan(t *testing.T) {
	t.Parallel()
	o := rig.Options{Count: 200, Kills: 10, Seed: 7}
	plan := newPlan(o)
	require.Equal(t, plan, newPlan(o), "the same seed makes the same plan")
	o.Seed = 8
	require.NotEqual(t, plan, newPlan(o))

	keys := map[string]bool{}
	for _, p := range plan.posts {
		require.NoError(t, post.CheckText(p.text))
		require.False(t, keys[post.TextKey(p.text)], "%q comes twice", p.text)
		keys[post.TextKey(p.text)] = true
		for _, o := range p.commands {
			if o.kind == edit {
				require.NoError(t, post.CheckText(o.text))
			}
		}
	}
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// quiet is evidence in which every promise was kept but "settled": it has one unknown post.
func quiet() evidence {
	return evidence{
		facts: facts{
			posts: []row{
				{id: "out", text: "one", status: "published", memberID: "m", tweetID: "11", runID: "r1", scheduledAt: noon},
				{id: "not", text: "two", status: "failed", memberID: "m", runID: "r2", scheduledAt: noon},
				{id: "who", text: "three", status: "unknown", runID: "r3", scheduledAt: noon},
				{id: "off", text: "four", status: "cancelled", runID: "r4", scheduledAt: noon},
			},
			slots: []slot{
				{month: "2026-11", number: 1, state: "spent", postID: "out", memberID: "m"},
				{month: "2026-11", number: 2, state: "free"},
				{month: "2026-11", number: 3, state: "reserved", postID: "who"},
			},
			shares:  []share{{"2026-11", "m", 1}, {"2026-11", "", 1}},
			entries: credits("m", 90, -1, -1, 1),
			members: map[string]string{"m": "ada"},
		},
		tweets: []xsandbox.Tweet{{ID: "11", Text: "one", CreatedAt: noon}},
		runs: []flow{
			{Run: rig.Run{WorkflowID: "post:out", RunID: "r1", Status: enums.WORKFLOW_EXECUTION_STATUS_COMPLETED}, ID: "out", Result: workflows.PostResult{Status: "published"}},
			{Run: rig.Run{WorkflowID: "post:not", RunID: "r2", Status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING}, ID: "not", Result: workflows.PostResult{Status: ""}},
			{Run: rig.Run{WorkflowID: "post:who", RunID: "r3", Status: enums.WORKFLOW_EXECUTION_STATUS_RUNNING}, ID: "who", Result: workflows.PostResult{Status: ""}},
			{Run: rig.Run{WorkflowID: "post:off", RunID: "r4", Status: enums.WORKFLOW_EXECUTION_STATUS_COMPLETED}, ID: "off", Result: workflows.PostResult{Status: "cancelled"}},
		},
		written: []*written{
			{id: "out", text: "one", commands: []sentCommand{{plannedCommand{kind: reschedule}, answer{Answer: rig.Answer{Outcome: rig.Success}}, noon, noon}}},
			{id: "off", text: "five", commands: []sentCommand{
				{plannedCommand{kind: edit, text: "four"}, answer{Answer: rig.Answer{Outcome: rig.Success}}, noon, noon},
				{plannedCommand{kind: cancelling}, answer{Answer: rig.Answer{Outcome: rig.Unclear}}, noon, noon},
			}},
		},
		planned: []string{"one", "five"},
	}
}

func credits(member string, deltas ...int) (entries []rig.CreditEntry) {
	balance := 0
	for i, delta := range deltas {
		balance += delta
		entries = append(entries, rig.CreditEntry{MemberID: member, Seq: i + 1, Delta: delta, Balance: balance})
	}
	return entries
}

// Proves: F1
func TestInvariants(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil    func(*evidence)
		breaches []string
	}{
		"a post that is still being sent has not ended":    {func(e *evidence) { e.posts[3].status = "armed" }, []string{"final", "runs"}},
		"a post that never settled is stuck":               {func(e *evidence) { e.stuck = []string{"out is armed"} }, []string{"final"}},
		"a tweet of another id is not the post's":          {func(e *evidence) { e.posts[0].tweetID = "12" }, []string{"printed", "claimed"}},
		"a duplicate tweet is noticed":                     {func(e *evidence) { e.tweets = append(e.tweets, xsandbox.Tweet{ID: "12", Text: "one", CreatedAt: noon}) }, []string{"printed", "claimed"}},
		"a tweet of a failed post is noticed":              {func(e *evidence) { e.tweets = append(e.tweets, xsandbox.Tweet{ID: "12", Text: "two", CreatedAt: noon}) }, []string{"claimed"}},
		"a published post without a tweet is noticed":      {func(e *evidence) { e.tweets = nil }, []string{"printed"}},
		"a tweet before its time is noticed":               {func(e *evidence) { e.tweets[0].CreatedAt = noon.Add(-time.Second) }, []string{"punctual"}},
		"a slot that a failed post kept is noticed":        {func(e *evidence) { e.slots[1] = slot{"2026-11", 2, "reserved", "not", "m"} }, []string{"slots", "shares"}},
		"a slot that is free and taken is noticed":         {func(e *evidence) { e.slots[1].state = "spent" }, []string{"slots"}},
		"a slot of a published post that is only reserved": {func(e *evidence) { e.slots[0].state = "reserved" }, []string{"slots"}},
		"a wrong share is noticed":                         {func(e *evidence) { e.shares[0].held = 2 }, []string{"shares"}},
		"a missing credit is noticed":                      {func(e *evidence) { e.entries = e.entries[:3] }, []string{"credits"}},
		"a balance that is not the sum is noticed":         {func(e *evidence) { e.entries[1].Balance = 90 }, []string{"credits"}},
		"an acknowledged post that is missing":             {func(e *evidence) { e.written = append(e.written, &written{id: "gone", text: "gone"}) }, []string{"there"}},
		"a post that was never acknowledged":               {func(e *evidence) { e.planned = append(e.planned, "six") }, []string{"there"}},
		"an edit that was lost is noticed":                 {func(e *evidence) { e.posts[3].text = "five" }, []string{"commands"}},
		"an edit of unclear outcome may have been made": {func(e *evidence) {
			e.posts[3].text = "six"
			unclear := sentCommand{plannedCommand{kind: edit, text: "six"}, answer{Answer: rig.Answer{Outcome: rig.Unclear}}, noon, noon}
			e.written[1].commands = append(e.written[1].commands, unclear)
		}, nil},
		"a new time that was lost is noticed": {func(e *evidence) { e.written[0].commands[0].at = noon.Add(time.Hour) }, []string{"commands"}},
		"a cancellation without a command":    {func(e *evidence) { e.written[1].commands = e.written[1].commands[:1] }, []string{"commands"}},
		"an unexpected response is noticed":   {func(e *evidence) { e.unexpected = []string{"refused as a duplicate of nothing"} }, []string{"reason"}},
		"a command refused as too late while the post was waiting": {
			func(e *evidence) {
				e.posts[0].publishedAt = sql.NullTime{Time: noon.Add(time.Minute), Valid: true}
				e.written[0].commands = []sentCommand{{plannedCommand{kind: edit}, answer{Answer: rig.Answer{Outcome: rig.Refused, Code: problem.PostClosed}}, noon, noon}}
			}, []string{"reason"},
		},
		"a run with another status than its row": {func(e *evidence) { e.runs[0].Result.Status = "cancelled" }, []string{"runs"}},
		"an open run of a published post": {
			func(e *evidence) {
				e.runs[0].Status, e.runs[0].Result.Status = enums.WORKFLOW_EXECUTION_STATUS_RUNNING, ""
			}, []string{"runs"},
		},
		"a run that ended while its post can be retried": {func(e *evidence) { e.runs[1].Status = enums.WORKFLOW_EXECUTION_STATUS_FAILED }, []string{"runs"}},
		"a second run of a post is noticed":              {func(e *evidence) { e.runs = append(e.runs, e.runs[0]) }, []string{"runs"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := quiet()
			require.Equal(t, []string{"settled"}, rig.Breached(invariants, e), "quiet evidence holds one unknown post, and nothing else is wrong")
			tt.spoil(&e)
			require.ElementsMatch(t, append(tt.breaches, "settled"), rig.Breached(invariants, e))
		})
	}
}
