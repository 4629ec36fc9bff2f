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

// Generation holds the activities of the generation flow.
type Generation struct {
	Store      GenerationStore
	ModelCalls ModelCalls
	Models     Writers
	Now        func() time.Time
}

// GenerationStore keeps what models are asked, and what they write. *store.Generations implements it.
type GenerationStore interface {
	Generation(ctx context.Context, id string) (generation.Listed, error)
	MoveGeneration(ctx context.Context, id, runID string) error
	Candidate(ctx context.Context, id string) (generation.Candidate, generation.Generation, error)
	BeginCandidate(ctx context.Context, id, prompt string) (began bool, err error)
	WriteCandidate(ctx context.Context, id, text string) error
	EndCandidate(ctx context.Context, id string, e generation.End, at time.Time) (generation.Candidate, error)
}

// Writers are the models that write texts. *llm.Models implements it: its errors are
// *model.Error, and the call is filled in any case.
type Writers interface {
	Write(ctx context.Context, q model.Prompt, name string, onText func(soFar string)) (string, model.Call, error)
}

// GenerationRef names a generation whose row is written.
type GenerationRef struct{ GenerationID string }

// CandidateRef names one text of it. Which model writes it is not said: runs may be read
// while people vote.
type CandidateRef struct{ CandidateID string }

// GenerationState is what the flow needs to know of a generation.
type GenerationState struct {
	CandidateIDs []string // those to be written yet
}

// CandidateState is what became of a text.
type CandidateState struct {
	State generation.State
	Code  string // of one that is unfit or failed
}

// BeginGeneration notes the run that carries the generation, and names what is to be written.
func (a *Generation) BeginGeneration(ctx context.Context, in GenerationRef) (GenerationState, error) {
	if err := a.Store.MoveGeneration(ctx, in.GenerationID, activity.GetInfo(ctx).WorkflowExecution.RunID); err != nil {
		return GenerationState{}, err
	}
	asked, err := a.Store.Generation(ctx, in.GenerationID)
	state := GenerationState{CandidateIDs: []string{}}
	for _, c := range asked.Candidates {
		if !c.State.Ended() {
			state.CandidateIDs = append(state.CandidateIDs, c.ID)
		}
	}
	return state, err
}

// WriteText asks the model of a candidate, once: a call costs money. Whatever comes of it is
// an end of the candidate, and no error; the call is kept, too.
func (a *Generation) WriteText(ctx context.Context, in CandidateRef) (CandidateState, error) {
	c, g, err := a.Store.Candidate(ctx, in.CandidateID)
	if err != nil {
		return CandidateState{}, err
	}
	question, err := question(g)
	if err != nil {
		return CandidateState{}, err
	}
	began, err := a.Store.BeginCandidate(ctx, c.ID, question.Version)
	if err != nil || !began {
		return candidateState(c), err
	}
	text, call, err := a.Models.Write(ctx, question, c.Model, a.noting(ctx, c.ID))
	end := endOf(text, err)
	keep := context.WithoutCancel(ctx) // the call was made, whoever waits for it
	if err := a.ModelCalls.SaveCall(keep, call); err != nil {
		return CandidateState{}, err
	}
	end.CallID = &call.ID
	c, err = a.Store.EndCandidate(keep, c.ID, end, a.Now())
	return candidateState(c), err
}

// GiveUpText ends a candidate whose worker was lost. One that has ended stays as it is.
func (a *Generation) GiveUpText(ctx context.Context, in CandidateRef) (CandidateState, error) {
	c, err := a.Store.EndCandidate(ctx, in.CandidateID, generation.Lost(), a.Now())
	return candidateState(c), err
}

func candidateState(c generation.Candidate) CandidateState {
	return CandidateState{State: c.State, Code: c.Code}
}

// question words what a model is asked: the topic is somebody's own words, and stays data.
func question(g generation.Generation) (model.Prompt, error) {
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

// tweet is the input of the prompt of that name.
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

// noteEvery is how often a text that grows is written down.
const noteEvery = 150 * time.Millisecond

// noting writes down what there is so far, for who looks on. One that is not written does no
// harm: the next one holds it.
func (a *Generation) noting(ctx context.Context, id string) func(soFar string) {
	var noted time.Time
	return func(soFar string) {
		now := a.Now()
		if now.Sub(noted) < noteEvery {
			return
		}
		noted = now
		if err := a.Store.WriteCandidate(ctx, id, soFar); err != nil {
			slog.WarnContext(ctx, "a text so far was not written down", "candidate_id", id, "error", err)
		}
	}
}
