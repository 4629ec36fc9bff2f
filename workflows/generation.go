package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/generation"
)

var generationActivities *activities.Generation // nil: only names activities

// GenerationInput names a generation whose row is written. What is asked, and of which
// models, stays there.
type GenerationInput = activities.GenerationRef

// GenerationResult counts what became of the texts.
type GenerationResult struct{ Done, Unfit, Failed int }

// GenerationID is the workflow ID of a generation.
func GenerationID(id string) string { return "generation:" + id }

const (
	// askWriter is longer than a model may take, so that what it wrote is kept.
	writerTimeout = 70 * time.Second
	// writeWithin is how long a text may wait for its turn, too. It is over before
	// generation.Patience is.
	writerPatience = 160 * time.Second
)

// Generation lets each of the models that were chosen write a text, all at the same time. It
// fails for no model's sake: what came of each stands in its row.
func Generation(ctx workflow.Context, in GenerationInput) (GenerationResult, error) {
	var result GenerationResult
	state, err := runLocal(ctx, generationActivities.BeginGeneration, in)
	if err != nil {
		return result, err
	}
	ending, _ := workflow.NewDisconnectedContext(ctx) // whatever came of it: pages wait for the end
	texts := writeAll(ctx, state.CandidateIDs)
	for i, id := range state.CandidateIDs {
		var text activities.CandidateState
		if texts[i].Get(ctx, &text) != nil || !text.State.Ended() {
			text, err = runLocal(ending, generationActivities.GiveUpText, activities.CandidateRef{CandidateID: id})
			if err != nil {
				return result, err
			}
		}
		result.count(text.State)
	}
	return result, nil
}

// writeAll asks every model once: a call costs money, and whether a lost one was made nobody
// can see.
func writeAll(ctx workflow.Context, candidateIDs []string) []workflow.Future {
	texts := make([]workflow.Future, len(candidateIDs))
	for i, id := range candidateIDs {
		texts[i] = workflow.ExecuteActivity(once(ctx, QueueModels, writerTimeout, writerPatience), generationActivities.WriteText, activities.CandidateRef{CandidateID: id})
	}
	return texts
}

func (r *GenerationResult) count(s generation.State) {
	switch s {
	case generation.Done:
		r.Done++
	case generation.Invalid:
		r.Unfit++
	default:
		r.Failed++
	}
}
