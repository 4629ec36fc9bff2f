package client_test

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/encoding/protojson"

	"customerzero/internal/domain/run"
	"customerzero/worker"
	"customerzero/workflows"
	"customerzero/workflows/client"
)

// recorded reads a recorded history.
func recorded(t *testing.T, path string) []*history.HistoryEvent {
	t.Helper()
	text := must(os.ReadFile(path))
	var timeline history.History
	require.NoError(t, protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(text, &timeline))
	require.NotEmpty(t, timeline.GetEvents())
	return timeline.GetEvents()
}

func folded(t *testing.T, name string) run.Timeline {
	t.Helper()
	timeline, unnamed := foldOf(t, recorded(t, "../testdata/histories/"+name+".json"))
	require.Empty(t, unnamed)
	return timeline
}

func foldOf(t *testing.T, events []*history.HistoryEvent) (timeline run.Timeline, unnamed []string) {
	t.Helper()
	workflow := events[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName()
	flow, known := run.FlowOf(workflow)
	require.True(t, known, workflow)
	return client.Fold(flow, events)
}

// Proves: V15.3.1
func TestTimelinesShowNothingPrivate(t *testing.T) {
	t.Parallel()
	histories := must(filepath.Glob("../testdata/histories/*.json"))
	require.Greater(t, len(histories), 40)
	for _, path := range histories {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			events := recorded(t, path)
			timeline, unnamed := foldOf(t, events)
			require.Empty(t, unnamed, "every step has a name for strangers")
			require.NotEmpty(t, timeline.Steps)
			require.Equal(t, len(events), timeline.Events)
			inOrder(t, timeline)
			shown := must(json.Marshal(timeline))
			for _, hidden := range private(t, events) {
				require.NotContains(t, string(shown), hidden)
			}
		})
	}
}

// inOrder checks that steps are in order of time, and that those of an ended run have ended.
func inOrder(t *testing.T, timeline run.Timeline) {
	t.Helper()
	var last time.Time
	for _, step := range timeline.Steps {
		require.NotEmpty(t, step.Title)
		require.False(t, step.At.Before(last.Add(-time.Second)), "%s", step.Title) // events of one task share a moment
		last = step.At
		if timeline.EndedAt != nil {
			require.NotNil(t, step.EndedAt, step.Title)
			require.NotEqual(t, run.Running, step.State, step.Title)
		}
	}
}

// private lists the values in a history that must not be public: texts, addresses, owners and vendors'
// IDs.
func private(t *testing.T, events []*history.HistoryEvent) []string {
	t.Helper()
	var found []string
	var walk func(name string, value any)
	walk = func(name string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, inner := range v {
				walk(key, inner)
			}
		case []any:
			for _, inner := range v {
				walk(name, inner)
			}
		case []byte:
			var inner any
			if json.Unmarshal(v, &inner) == nil {
				walk(name, inner)
			}
		case string:
			whose := name == "MemberID" || name == "DecisionID" || name == "CouponID" || name == "message" || name == "identity"
			if len(v) > 3 && (whose || strings.ContainsAny(v, " @") || strings.Contains(v, "://")) {
				found = append(found, v)
			}
		}
	}
	for _, event := range events {
		text := must(protojson.Marshal(event))
		var whole map[string]any
		require.NoError(t, json.Unmarshal(text, &whole))
		walk("", opened(whole))
	}
	require.NotEmpty(t, found, "every history names its workers")
	return found
}

// opened replaces payloads by their decoded values.
func opened(value any) any {
	switch v := value.(type) {
	case map[string]any:
		if data, ok := v["data"].(string); ok && v["metadata"] != nil {
			var raw struct{ Data []byte }
			if json.Unmarshal([]byte(`{"Data":"`+data+`"}`), &raw) == nil {
				return raw.Data
			}
		}
		for key, inner := range v {
			v[key] = opened(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = opened(inner)
		}
	}
	return value
}

func titles(timeline run.Timeline) []string {
	var all []string
	for _, step := range timeline.Steps {
		all = append(all, step.Title)
	}
	return all
}

func stepOf(t *testing.T, timeline run.Timeline, title string) run.Step {
	t.Helper()
	for _, step := range timeline.Steps {
		if step.Title == title {
			return step
		}
	}
	require.Fail(t, "there is no such step", "%s in %v", title, titles(timeline))
	return run.Step{}
}

func valueOf(facts []run.Fact, name string) string {
	for _, fact := range facts {
		if fact.Name == name {
			return fact.Value
		}
	}
	return ""
}

// seen is the public part of a step; zero fields are not compared.
type seen struct {
	title   string
	state   run.State
	failure string
	attempt int
	facts   map[string]string
}

func (s seen) in(t *testing.T, timeline run.Timeline) {
	t.Helper()
	step := stepOf(t, timeline, s.title)
	require.Equal(t, cmp.Or(s.state, step.State), step.State, s.title)
	require.Equal(t, cmp.Or(s.failure, step.Failure), step.Failure, s.title)
	require.Equal(t, cmp.Or(s.attempt, step.Attempt), step.Attempt, s.title)
	for name, value := range s.facts {
		require.Equal(t, value, valueOf(step.Facts, name), s.title)
	}
}

func TestTimelines(t *testing.T) {
	t.Parallel()
	const armed = "Armed the post and sent it to X"
	for name, c := range map[string]struct {
		history string
		state   run.State // any if empty
		subject string
		result  map[string]string
		steps   []seen
	}{
		"a post fails, is retried and published": {
			"post-failed-retried", run.Done, "dc2o4g9ksduafcdf7e50",
			map[string]string{"Status": "published", "Attempts": "2", "ID on X": "2125204210944311296"},
			[]seen{
				{title: armed, facts: map[string]string{"Why": "x_no_credits", "Attempt": "1", "Armed at": "2026-11-24 12:25:39 UTC"}},
				{title: "Waited for a person to retry or cancel it (up to 30 days)", state: run.Cancelled, facts: map[string]string{"For at most": "30 days"}},
			},
		},
		"an unclear answer is reconciled": {history: "post-found", steps: []seen{
			{title: armed, facts: map[string]string{"Status": "armed"}},
			{title: "Waited until no request to X could be running", state: run.Done},
			{title: "Checked the timeline for the post", facts: map[string]string{"Status": "published"}},
		}},
		"a failed run has a fixed text": {history: "post-unknown-kept", state: run.Failed, steps: []seen{
			{title: "The run failed", failure: "A required service was unavailable."},
		}},
		"a price shows its numbers, and nothing about its buyer": {history: "checkout-anew", result: map[string]string{"Ended": "paid"}, steps: []seen{
			{title: "Opened the payment page", state: run.Failed, failure: "The payment service failed."},
			{title: "Requested a discount from a model and applied the limits", facts: map[string]string{"List price": "$9.00", "Discount": "25 %"}},
			{title: "Waited for the payment", state: run.Cancelled},
		}},
		"a retried step shows its attempts, without an uncoded error": {history: "chaos-failed", steps: []seen{
			{title: "Reverted the fault", state: run.Failed, attempt: 6, failure: run.Failure},
		}},
		"a reason is mentioned but not shown": {history: "chaos-aborted", steps: []seen{
			{title: "Checked that the chaos target is healthy", facts: map[string]string{"Was unhealthy": "yes"}},
		}},
		"a child run continues after its parent": {history: "chaos-photographed", subject: "dc2o539ksduafcdf7j7g", steps: []seen{
			{title: "Started a separate run for screenshots"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeline := folded(t, c.history)
			require.NotNil(t, timeline.EndedAt)
			require.Equal(t, cmp.Or(c.state, timeline.State), timeline.State)
			require.Equal(t, cmp.Or(c.subject, timeline.Subject), timeline.Subject)
			for _, s := range c.steps {
				s.in(t, timeline)
			}
			if c.result != nil {
				require.Len(t, timeline.Result, len(c.result))
			}
			for name, value := range c.result {
				require.Equal(t, value, valueOf(timeline.Result, name))
			}
		})
	}
	require.Equal(t, []string{
		"Started the post", armed, "Waited for a person to retry or cancel it (up to 30 days)",
		"A retry was requested", "Checked the timeline, then allowed a retry", armed, "The run ended",
	}, titles(folded(t, "post-failed-retried")))
	require.Len(t, stepOf(t, folded(t, "checkout-anew"), "Requested a discount from a model and applied the limits").Facts, 2)
	require.Equal(t, "aborted", valueOf(folded(t, "chaos-aborted").Result, "Verdict"))
	album := stepOf(t, folded(t, "chaos-photographed"), "Started a separate run for screenshots")
	require.Contains(t, []run.State{run.Done, run.Continued}, album.State)
}

func TestQuietWorkflowShowsTitlesOnly(t *testing.T) {
	t.Parallel()
	quiet, _ := run.FlowOf("Post")
	quiet.Quiet = true
	loud, _ := client.Fold(quiet, recorded(t, "../testdata/histories/post-unknown-kept.json"))
	require.Equal(t, run.Failure, stepOf(t, loud, "The run failed").Failure)
	loud.Subject = "" // the subject is kept, and the workflow stays public
	for name, timeline := range map[string]run.Timeline{
		"a verbose workflow made quiet": loud, "email-sent": {}, "email-failed": {}, "x-login-founder": {}, "x-login-denied": {},
		"credentials-current": {}, "credentials-refused": {}, "provider-keys-current": {}, "provider-keys-refused": {},
	} {
		if timeline.Steps == nil {
			timeline = folded(t, name)
		}
		require.Empty(t, timeline.Result, name)
		require.Empty(t, timeline.Subject, name)
		for _, step := range timeline.Steps {
			require.Empty(t, step.Facts, "%s: %s", name, step.Title)
			require.Contains(t, []string{"", run.Failure, run.TookLong, run.Withdrawn, run.Lost}, step.Failure)
		}
	}
}

func TestTimelineOfARunningWorkflow(t *testing.T) {
	t.Parallel()
	events := recorded(t, "../testdata/histories/post-edited.json")
	fired := slices.IndexFunc(events, func(e *history.HistoryEvent) bool { return e.GetEventType() == enums.EVENT_TYPE_TIMER_FIRED })
	timeline, unnamed := foldOf(t, events[:fired]) // the post waits
	require.Empty(t, unnamed)
	require.Equal(t, run.Running, timeline.State)
	require.Nil(t, timeline.EndedAt)
	require.Empty(t, timeline.Result)
	waits := timeline.Steps[len(timeline.Steps)-1]
	require.Equal(t, "Waited for the scheduled time", waits.Title)
	require.Equal(t, run.Running, waits.State)
	require.Nil(t, waits.EndedAt)
	changed := stepOf(t, timeline, "The post was edited")
	require.Equal(t, run.Done, changed.State)
	require.Equal(t, []run.Fact{{Name: "Status", Value: "scheduled"}, {Name: "Due at", Value: "2026-11-24 13:26:56 UTC"}}, changed.Facts)
}

// register records the names of workflows.
type register struct {
	sdkworker.WorkflowRegistry
	names []string
}

func (r *register) RegisterWorkflow(flow any) {
	name := runtime.FuncForPC(reflect.ValueOf(flow).Pointer()).Name()
	r.names = append(r.names, name[strings.LastIndex(name, ".")+1:])
}

func (r *register) RegisterWorkflowWithOptions(_ any, options workflow.RegisterOptions) {
	r.names = append(r.names, options.Name)
}

// TestEveryWorkflowAndStepHasAPublicTitle requires a decision about each new workflow and step: public
// with a title, or excluded.
func TestEveryWorkflowAndStepHasAPublicTitle(t *testing.T) {
	t.Parallel()
	all := &register{}
	workflows.Register(all)
	require.Greater(t, len(all.names), 20)
	words := map[string]string{}
	signals, updates := map[string]bool{}, map[string]bool{}
	for _, name := range all.names {
		flow, known := run.FlowOf(name)
		require.True(t, known, "internal/domain/run says nothing of %s", name)
		for _, text := range []string{flow.Word, flow.Title, flow.Description} {
			require.NotEmpty(t, text, name)
		}
		require.Empty(t, words[flow.Word], "two flows have the word %s", flow.Word)
		words[flow.Word] = name
		found, _ := run.FlowNamed(flow.Word)
		require.Equal(t, flow.Title, found.Title)
		for signal := range flow.Signals {
			signals[signal] = true
		}
		for update := range flow.Updates {
			updates[update] = true
		}
	}

	steps := activityNames()
	require.Len(t, run.Activities, len(steps), "and of nothing else")
	for _, name := range steps {
		require.NotEmpty(t, run.Activities[name].Title, "internal/domain/run says nothing of %s", name)
	}

	sent := messages()
	require.Greater(t, len(sent), 12)
	for constant, name := range sent {
		known := signals
		if strings.HasPrefix(constant, "Update") {
			known = updates
		}
		require.True(t, known[name], "internal/domain/run says nothing of %s", constant)
	}
}

// activityNames lists the methods of all registered structs.
func activityNames() []string {
	var names []string
	structs := reflect.TypeFor[worker.Activities]()
	for i := range structs.NumField() {
		for method := range structs.Field(i).Type.NumMethod() {
			names = append(names, structs.Field(i).Type.Method(method).Name)
		}
	}
	return names
}

// messages reads the names of signals and updates from the source.
func messages() map[string]string {
	files := must(filepath.Glob("../*.go"))
	found := map[string]string{}
	for _, path := range files {
		parsed := must(parser.ParseFile(token.NewFileSet(), path, nil, 0))
		ast.Inspect(parsed, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			value, ok := spec.Values[0].(*ast.BasicLit)
			name := spec.Names[0].Name
			if ok && (strings.HasPrefix(name, "Signal") || strings.HasPrefix(name, "Update")) {
				found[name] = must(strconv.Unquote(value.Value))
			}
			return true
		})
	}
	return found
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
