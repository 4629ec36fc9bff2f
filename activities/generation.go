package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/problem"
)

// Generation holds the activities of text generation.
type Generation struct {
	Store      GenerationStore
	ModelCalls ModelCalls
	Models     Writers
	Now        func() time.Time
}

// GenerationStore stores generations and their texts. *store.Generations implements it.
type GenerationStore interface {
	Generation(ctx context.Context, id string) (generation.Listed, error)
	MoveGeneration(ctx context.Context, id, runID string) error
	Candidate(ctx context.Context, id string) (generation.Candidate, generation.Generation, error)
	BeginCandidate(ctx context.Context, id, prompt string) (began bool, err error)
	WriteCandidate(ctx context.Context, id, text string) error
	EndCandidate(ctx context.Context, id string, e generation.End, at time.Time) (generation.Candidate, error)
}

// Writers calls the models that write texts. *llm.Models implements it: its errors are *model.Error, and
// the call is always filled in.
type Writers interface {
	Write(ctx context.Context, q model.Prompt, name string, onText func(soFar string)) (string, model.Call, error)
}

// GenerationRef identifies a stored generation.
type GenerationRef struct{ GenerationID string }

// CandidateRef identifies one text. It does not name the model, because runs are readable during a blind
// vote.
type CandidateRef struct{ CandidateID string }

// GenerationState is what the workflow needs to know of a generation.
type GenerationState struct {
	CandidateIDs []string // not written yet
}

// CandidateState is the outcome of a text.
type CandidateState struct {
	State generation.State
	Code  string // if it is invalid or failed
}

// BeginGeneration stores the run of a generation, and returns the texts to write.
func (a *Generation) BeginGeneration(ctx context.Context, in GenerationRef) (GenerationState, error) {
	if err := a.Store.MoveGeneration(ctx, in.GenerationID, activity.GetInfo(ctx).WorkflowExecution.RunID); err != nil {
		return GenerationState{}, err
	}
	listed, err := a.Store.Generation(ctx, in.GenerationID)
	state := GenerationState{CandidateIDs: []string{}}
	for _, c := range listed.Candidates {
		if !c.State.Ended() {
			state.CandidateIDs = append(state.CandidateIDs, c.ID)
		}
	}
	return state, err
}

// WriteText calls a candidate's model, once, because a call costs money, or fills in its template. A failure
// ends the candidate without an error; the call is stored too.
func (a *Generation) WriteText(ctx context.Context, in CandidateRef) (CandidateState, error) {
	c, g, err := a.Store.Candidate(ctx, in.CandidateID)
	if err != nil {
		return CandidateState{}, err
	}
	if generation.IsTemplate(c.Model) {
		c, err = a.Store.EndCandidate(ctx, c.ID, generation.FillTemplate(c.Model, g.Voice, g.Topic, g.Facts), a.Now())
		return candidateState(c), err
	}
	prompt, err := newPrompt(g)
	if err != nil {
		return CandidateState{}, err
	}
	began, err := a.Store.BeginCandidate(ctx, c.ID, prompt.Version)
	if err != nil || !began {
		return candidateState(c), err
	}
	text, call, err := a.Models.Write(ctx, prompt, c.Model, a.saveProgress(ctx, c.ID))
	end := endOf(text, err)
	keep := context.WithoutCancel(ctx) // store the call even if the activity was cancelled
	if err := a.ModelCalls.SaveCall(keep, call); err != nil {
		return CandidateState{}, err
	}
	end.CallID = &call.ID
	c, err = a.Store.EndCandidate(keep, c.ID, end, a.Now())
	return candidateState(c), err
}

// GiveUpText ends a candidate whose worker was lost, unless it has ended.
func (a *Generation) GiveUpText(ctx context.Context, in CandidateRef) (CandidateState, error) {
	c, err := a.Store.EndCandidate(ctx, in.CandidateID, generation.Lost(), a.Now())
	return candidateState(c), err
}

func candidateState(c generation.Candidate) CandidateState {
	return CandidateState{State: c.State, Code: c.Code}
}

// newPrompt builds the prompt. The topic is user input and stays data.
func newPrompt(g generation.Generation) (model.Prompt, error) {
	voice, err := generation.VoiceNamed(g.Voice)
	if err != nil {
		return model.Prompt{}, err
	}
	facts := make([]string, len(g.Facts))
	for i, fact := range g.Facts {
		facts[i] = fact.Text
	}
	return model.NewPrompt("tweet", tweet{Topic: g.Topic, Voice: voice.ID, Style: voice.About, Facts: facts})
}

type tweet struct {
	Topic string   `json:"topic"`
	Voice string   `json:"voice"`
	Style string   `json:"style"`
	Facts []string `json:"facts"`
}

func endOf(text string, err error) generation.End {
	if err == nil {
		return generation.EndOf(text)
	}
	end := generation.Lost()
	if failed, ok := errors.AsType[*model.Error](err); ok {
		end.Code, end.Reason = problem.ModelTrouble, failed.Message
	}
	return end
}

// noteEvery is how often a growing text is stored.
const noteEvery = 150 * time.Millisecond

// saveProgress returns a function that stores the text so far, for readers who follow along. A failure
// is harmless, because the next call stores the whole text.
func (a *Generation) saveProgress(ctx context.Context, id string) func(soFar string) {
	var savedAt time.Time
	return func(soFar string) {
		now := a.Now()
		if now.Sub(savedAt) < noteEvery {
			return
		}
		savedAt = now
		if err := a.Store.WriteCandidate(ctx, id, soFar); err != nil {
			slog.WarnContext(ctx, "could not store a text in progress", "candidate_id", id, "error", err)
		}
	}
}
