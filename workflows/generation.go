package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/generation"
)

var generationActivities *activities.Generation // nil: only names activities

// GenerationInput identifies a stored generation; its row holds the topic and the models.
type GenerationInput = activities.GenerationRef

// GenerationResult counts the texts by outcome.
type GenerationResult struct{ Done, Unfit, Failed int }

// GenerationID is the workflow ID of a generation.
func GenerationID(id string) string { return "generation:" + id }

const (
	// writerTimeout is longer than a model may take, so that its text is stored.
	writerTimeout = 70 * time.Second
	// writerPatience includes the wait for a worker. It ends before generation.Patience.
	writerPatience = 160 * time.Second
)

// Generation lets each selected model write a text, concurrently. A failed model does not fail the
// workflow: its row holds the outcome.
func Generation(ctx workflow.Context, in GenerationInput) (GenerationResult, error) {
	var result GenerationResult
	state, err := runLocal(ctx, generationActivities.BeginGeneration, in)
	if err != nil {
		return result, err
	}
	ending, _ := workflow.NewDisconnectedContext(ctx) // pages wait for the end in any case
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

// writeAll calls every model once: a call costs money, and whether a lost one was made is unknown.
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
