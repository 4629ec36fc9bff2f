package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
	"customerzero/internal/store/testdb"
	"customerzero/internal/target/faults"
	"customerzero/proof/crash/rig"
	"customerzero/proof/crash/rig/rigtest"
)

// TestCrash is the short form of make crash-chaos, without a browser: no promise is about screenshots.
// Proves: F34 in turn: sqlite postgres
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Either(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			rigtest.Short(t, CrashTest, rig.Options{Count: 5, Kills: 3, Databases: []string{kind}, Blind: true})
		})
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	o := rig.Options{Count: 60, Kills: 36, Seed: 7}
	plan := newPlan(o)
	require.Equal(t, plan, newPlan(o), "the same seed makes the same plan")
	o.Seed = 8
	require.NotEqual(t, plan, newPlan(o))

	counts := map[string]map[manner]int{}
	for _, p := range plan {
		if counts[p.fault] == nil {
			counts[p.fault] = map[manner]int{}
		}
		counts[p.fault][p.manner]++
		require.Equal(t, p.manner == calm, p.pause == 0, "no worker is killed in calm")
		require.Equal(t, p.manner == expired, p.pause > shortLease)
	}
	for _, one := range faults.Descriptions() {
		require.Equal(t, map[manner]int{calm: 4, killed: 4, expired: 2}, counts[one.Name], one.Name)
	}
	require.Len(t, counts, len(faults.Descriptions()))
	for i, p := range plan {
		require.Equal(t, i < 24, p.manner == calm, "the calm ones come first")
	}
}

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func after(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

// quiet is evidence in which every promise was kept: a run that was healed, and one that injected nothing.
func quiet() evidence {
	detect, heal := 100, 850
	injected, until, ended := after(0), after(4000), after(2000)
	var samples []target.Sample
	var observations []observation
	for i := range 12 {
		s, l := target.Sample{At: after(100 + 250*i), Process: 7}, observation{at: after(100 + 250*i)}
		if i < 3 {
			s.Failing, l.failing = target.Failed(target.CheckOGImage), []string{"/og-image.png"}
		}
		samples, observations = append(samples, s), append(observations, l)
	}
	return evidence{
		runs: []chaos.Run{
			{
				ID: "one", Fault: "delete-og-image", Stage: chaos.Ended, Verdict: chaos.Healed, Restored: true, PromiseMS: 2000, LeaseMS: 4000,
				DetectMS: &detect, HealMS: &heal, RequestedAt: after(-500), InjectedAt: &injected, LeaseUntil: &until, EndedAt: &ended,
			},
			{
				ID: "two", Fault: "crash-api", Stage: chaos.Ended, Verdict: chaos.Aborted, Reason: "It was unhealthy.", Restored: true, PromiseMS: 5000,
				LeaseMS: 4000, RequestedAt: after(5000), EndedAt: &ended,
			},
		},
		parts: map[string][]chaos.Part{"one": {{RunID: "one", Data: chaos.Encode(noon, samples)}}},
		flows: []rig.Run{{WorkflowID: "chaos:chaos-target", RunID: "r", Status: enums.WORKFLOW_EXECUTION_STATUS_COMPLETED}},
		executed: []*executed{
			{planned: planned{fault: "delete-og-image"}, id: "one", asked: after(-500), over: after(4500)},
			{planned: planned{fault: "crash-api"}, id: "two", asked: after(5000), over: after(6000)},
		},
		observations: observations,
		before:       imprint{"posts": "a"},
		after:        imprint{"posts": "a"},
	}
}

// Proves: F34
func TestInvariants(t *testing.T) {
	t.Parallel()
	seenUntil := func(ms int) func(*evidence) {
		return func(e *evidence) {
			e.executed[0].over = after(80_000)
			for at := 1000; at <= ms; at += 250 {
				e.observations = append(e.observations, observation{at: after(at), failing: []string{"/"}})
			}
		}
	}
	for name, tt := range map[string]struct {
		spoil func(*evidence)
		want  []string
	}{
		"every promise is kept":          {func(*evidence) {}, nil},
		"it stayed unhealthy":            {func(e *evidence) { e.executed[0].unhealthy = []string{"/"} }, []string{"healthy"}},
		"its database is damaged":        {func(e *evidence) { e.executed[1].damaged = "malformed" }, []string{"healthy"}},
		"a minute longer than the lease": {seenUntil(64_000), nil},
		"longer than that":               {seenUntil(64_250), []string{"lease"}},
		"a single failed observation later": {func(e *evidence) {
			e.observations = append(e.observations, observation{at: after(12_000), failing: []string{"/"}})
		}, nil},
		"a run is open":                       {func(e *evidence) { e.runs[0].Stage = chaos.Watching }, []string{"closed"}},
		"a workflow is open":                  {func(e *evidence) { e.flows[0].Status = enums.WORKFLOW_EXECUTION_STATUS_RUNNING }, []string{"closed"}},
		"an incident is open":                 {func(e *evidence) { e.incidents = 1 }, []string{"closed"}},
		"a run is missing":                    {func(e *evidence) { e.runs = e.runs[:1] }, []string{"there"}},
		"a run that was not started":          {func(e *evidence) { e.executed = e.executed[:1] }, []string{"there"}},
		"a run did not end in time":           {func(e *evidence) { e.executed[1].stuck = true }, []string{"there"}},
		"a run has no verdict":                {func(e *evidence) { e.runs[1].Verdict = "" }, []string{"there", "verdicts"}},
		"a heal time that fits no probe":      {func(e *evidence) { *e.runs[0].HealMS = 600 }, []string{"verdicts"}},
		"a detection time that fits no probe": {func(e *evidence) { *e.runs[0].DetectMS = 90 }, []string{"verdicts"}},
		"healed, although it was late":        {func(e *evidence) { e.runs[0].PromiseMS = 800 }, []string{"verdicts"}},
		"healed, although it is unhealthy":    {func(e *evidence) { e.runs[0].Restored = false }, []string{"verdicts"}},
		"aborted for an invalid reason":       {func(e *evidence) { e.runs[0].Verdict, e.runs[0].HealMS = chaos.Aborted, nil }, []string{"verdicts"}},
		"probes that cannot be read":          {func(e *evidence) { e.parts["one"][0].Data = []byte("?") }, []string{"verdicts"}},
		"missing probes":                      {func(e *evidence) { e.parts = nil }, []string{"verdicts"}},
		"a post has changed":                  {func(e *evidence) { e.after["posts"] = "b" }, []string{"tables"}},
		"a table is new":                      {func(e *evidence) { e.before = nil }, []string{"tables"}},
		"an unexpected response":              {func(e *evidence) { e.unexpected = []string{"crash-1 was answered: unclear"} }, []string{"reason"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := quiet()
			tt.spoil(&e)
			require.Equal(t, tt.want, rig.Breached(invariants, e))
		})
	}
}
