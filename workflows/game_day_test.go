package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"customerzero/activities"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// calendar is where a game day asks for its run.
type calendar struct {
	*pit
	refuses error
	loses   int // answers
	asked   []chaos.Run
}

func (c *calendar) RequestChaos(_ context.Context, r chaos.Run, visitor string) error {
	if c.refuses != nil {
		return c.refuses
	}
	if visitor != "" {
		return errors.New("a game day counts for nobody")
	}
	c.asked = append(c.asked, r)
	if len(c.asked) > 1 {
		return problem.New(problem.ChaosRunning, "A chaos run is under way.")
	}
	c.run.ID, c.run.Fault, c.run.RequestedBy, c.run.PromiseMS = r.ID, r.Fault, r.RequestedBy, r.PromiseMS
	if c.loses > 0 {
		c.loses--
		return errors.New("the answer is lost")
	}
	return nil
}

func (c *calendar) ChaosRun(ctx context.Context, id string) (chaos.Run, error) {
	if id != c.run.ID {
		return chaos.Run{}, problem.New(problem.NotFound, "There is no such chaos run.")
	}
	return c.pit.ChaosRun(ctx, id)
}

func TestGameDay(t *testing.T) {
	t.Parallel()
	faults := []chaos.Fault{{Name: "a", Promise: 2 * time.Second}, {Name: "b", Promise: 2 * time.Second}}
	for name, tt := range map[string]struct {
		refuses error
		loses   int
		verdict chaos.Verdict
		refused string
	}{
		"a fault is chosen, broken and healed":           {verdict: chaos.Healed},
		"an answer that was lost asks for no second one": {loses: 1, verdict: chaos.Healed},
		"a refusal is its result": {
			refuses: problem.New(problem.ChaosOff, "The founders have switched chaos off."), refused: "The founders have switched chaos off.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inPit(t, func(t *testing.T, p *pit, env *testsuite.TestWorkflowEnvironment) {
				c := &calendar{pit: p, refuses: tt.refuses, loses: tt.loses}
				p.heals = 600 * time.Millisecond
				env.RegisterActivity(&activities.GameDay{Store: c, Faults: faults, Now: time.Now})
				env.RegisterWorkflow(workflows.ChaosRun)
				env.ExecuteWorkflow(workflows.GameDay)
				require.NoError(t, env.GetWorkflowError())
				var result workflows.GameDayResult
				require.NoError(t, env.GetWorkflowResult(&result))
				require.Equal(t, tt.refused, result.Refused)
				require.Equal(t, tt.verdict, result.Run.Verdict)
				if tt.verdict != "" {
					require.Equal(t, p.run.ID, result.ChaosID)
					require.Equal(t, chaos.Schedule, p.run.RequestedBy)
					require.Equal(t, workflows.ChaosID, p.run.WorkflowID, "there is one run at a time, whoever asks")
					require.Equal(t, 2000, p.run.PromiseMS)
					require.Contains(t, []string{"a", "b"}, p.run.Fault)
				}
			})
		})
	}
}
