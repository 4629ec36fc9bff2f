package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/target"
)

var healActivities *activities.SelfHeal // nil: only names activities

// SelfHealState is what one run of the healer passes to the next.
type SelfHealState struct {
	Round int // repair rounds in the open incident
}

// SelfHealID is the workflow ID of the healer.
const SelfHealID = "self-heal:chaos-target"

const (
	// watchesPerRun keeps histories short: a watch takes 10 minutes while the target is healthy.
	watchesPerRun = 6
	watchTimeout  = 15 * time.Minute
	repairTimeout = 12 * time.Second
	// repairPatience includes the wait for a worker.
	repairPatience = 20 * time.Second
	// firstRecheck is how long the target is probed after the first rounds of repairs, and longestRecheck how
	// long at most after later ones.
	firstRecheck   = 2 * time.Second
	longestRecheck = 30 * time.Second
)

// SelfHeal watches the chaos target permanently and repairs it when it is unhealthy. It sees probes
// only, not whether a fault was injected.
func SelfHeal(ctx workflow.Context, s SelfHealState) error {
	open, err := runLocal(ctx, healActivities.FindOpenIncident, activities.NoInput{})
	if err != nil {
		return err
	}
	if open.IncidentID != "" {
		if err := s.resume(ctx, open); err != nil {
			return err
		}
	}
	for range watchesPerRun {
		if err := s.watch(ctx); err != nil {
			return err
		}
		if s.Round > 0 { // an incident outlasts the run
			break
		}
	}
	return workflow.NewContinueAsNewError(workflow.WithWorkflowTaskTimeout(ctx, TargetTaskTimeout), SelfHeal, s)
}

// watch probes until the chaos target is unhealthy, and heals it then.
func (s *SelfHealState) watch(ctx workflow.Context) error {
	found, err := call(probing(ctx, watchTimeout), healActivities.WatchHealth, activities.NoInput{})
	if err != nil || !found.Unhealthy {
		return err
	}
	incident, err := runLocal(ctx, healActivities.BeginIncident, activities.BeginIncidentInput{
		Failing: found.Failing, Since: found.Since, UnhealthyAt: found.UnhealthyAt,
	})
	if err != nil {
		return err
	}
	return s.heal(ctx, incident, found.Failing)
}

// resume continues an incident that an earlier run left open.
func (s *SelfHealState) resume(ctx workflow.Context, open activities.IncidentRef) error {
	seen, err := call(probing(ctx, time.Minute), healActivities.RecheckTarget, activities.RecheckTargetInput{})
	if err != nil {
		return err
	}
	if !seen.HealthyAt.IsZero() {
		return s.close(ctx, open, seen)
	}
	return s.heal(ctx, open, seen.Last)
}

// heal repairs and probes in rounds until the chaos target is healthy. It never gives up: after some
// rounds it raises an alarm and continues with longer intervals.
func (s *SelfHealState) heal(ctx workflow.Context, incident activities.IncidentRef, failing target.Failing) error {
	for !workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
		s.Round++
		note := activities.UpdateIncidentInput{IncidentID: incident.IncidentID, Steps: repair(ctx, heal.Plan(failing, s.Round))}
		seen, err := call(probing(ctx, time.Minute), healActivities.RecheckTarget, activities.RecheckTargetInput{For: recheckFor(s.Round)})
		if err != nil {
			return err
		}
		note.Failing = failing | seen.Failing
		if _, err := runLocal(ctx, healActivities.UpdateIncident, note); err != nil {
			return err
		}
		if !seen.HealthyAt.IsZero() {
			return s.close(ctx, incident, seen)
		}
		if failing = seen.Last; s.Round >= heal.RoundsBeforeAlarm {
			alarm := activities.RaiseAlarmInput{IncidentID: incident.IncidentID, Failing: failing}
			if _, err := runLocal(ctx, healActivities.RaiseAlarm, alarm); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *SelfHealState) close(ctx workflow.Context, incident activities.IncidentRef, seen activities.RecheckTargetResult) error {
	s.Round = 0
	_, err := runLocal(ctx, healActivities.EndIncident, activities.EndIncidentInput{IncidentID: incident.IncidentID, At: seen.HealthyAt})
	return err
}

// repair carries out steps in order. A failed one does not stop the next.
func repair(ctx workflow.Context, steps []heal.Step) []heal.Repair {
	done := make([]heal.Repair, 0, len(steps))
	for _, step := range steps {
		began := workflow.Now(ctx)
		outcome, err := call(once(ctx, QueueChaosTarget, repairTimeout, repairPatience), healActivities.RepairTarget, activities.RepairTargetInput{Step: step})
		if err != nil {
			took := workflow.Now(ctx).Sub(began)
			outcome = heal.Repair{
				Kind: step.Kind, Files: step.Files, At: began.UTC(), MS: int(took.Milliseconds()), Error: "The repair was not completed in time.",
			}
		}
		done = append(done, outcome)
	}
	return done
}

// recheckFor is how long the target is probed after a round: short until the alarm is raised.
func recheckFor(round int) time.Duration {
	duration := firstRecheck
	for range max(0, min(round-heal.RoundsBeforeAlarm, 10)) {
		duration = min(2*duration, longestRecheck)
	}
	return duration
}
