package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/target"
)

var healActivities *activities.SelfHeal // nil: only names activities

// SelfHealState is what one run of the healer hands to the next.
type SelfHealState struct {
	Round int // of mending, in the incident that is open
}

// SelfHealID is the workflow ID of the healer.
const SelfHealID = "self-heal:chaos-target"

const (
	// watchesPerRun keeps histories short: a watch takes ten minutes when all is well.
	watchesPerRun = 6
	watchTimeout  = 15 * time.Minute
	repairTimeout = 12 * time.Second
	// repairPatience is how long a step may wait for a worker, too.
	repairPatience = 20 * time.Second
	// lookFirst is how long it is looked whether mending has helped; lookLongest is how long at
	// most when it does not.
	firstRecheck   = 2 * time.Second
	longestRecheck = 30 * time.Second
)

// SelfHeal watches the chaos target for ever and mends it when it is sick. It sees probes only: nobody
// tells it what was broken, or that anything was.
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

// watch looks until the chaos target is sick, and heals it then.
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

// resume goes on with an incident that an earlier run left open.
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

// heal mends and looks, round by round, until the chaos target is well. It never gives up: people are
// called after some rounds, and it goes on meanwhile, with longer and longer looks.
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

// repair carries steps out, in order. One that fails does not hold up the next.
func repair(ctx workflow.Context, steps []heal.Step) []heal.Repair {
	done := make([]heal.Repair, 0, len(steps))
	for _, step := range steps {
		began := workflow.Now(ctx)
		mended, err := call(once(ctx, QueueChaosTarget, repairTimeout, repairPatience), healActivities.RepairTarget, activities.RepairTargetInput{Step: step})
		if err != nil {
			took := workflow.Now(ctx).Sub(began)
			mended = heal.Repair{
				Kind: step.Kind, Files: step.Files, At: began.UTC(), MS: int(took.Milliseconds()), Error: "It was not done in time.",
			}
		}
		done = append(done, mended)
	}
	return done
}

// recheckFor is how long it is looked after a round. Until people are called it is short.
func recheckFor(round int) time.Duration {
	look := firstRecheck
	for range max(0, min(round-heal.RoundsBeforeAlarm, 10)) {
		look = min(2*look, longestRecheck)
	}
	return look
}
