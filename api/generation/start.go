package generation

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// generationWait is how long generate waits: shorter than the server lets an answer take.
const generationWait = 55 * time.Second

func (a *API) Generate(ctx context.Context, req *httpapi.Body[GenerateRequest]) (GenerateReply, error) {
	asked := NewGeneration{Prompt: req.Body.Prompt, Voice: req.Body.Voice, Context: req.Body.Context}
	if len(a.Writers) > 0 {
		asked.Models = []string{cmp.Or(req.Body.Model, a.Writers[0])}
	}
	g, err := a.beginGeneration(ctx, asked)
	if err != nil {
		return GenerateReply{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, generationWait)
	defer cancel()
	if err := a.Runs.AwaitGeneration(waiting, g.ID, g.RunID); err != nil {
		return GenerateReply{}, err
	}
	ended, err := a.Generations.Generation(ctx, g.ID)
	if err != nil {
		return GenerateReply{}, err
	}
	c := ended.Candidates[0]
	switch c.State {
	case generation.Done:
		return GenerateReply{Success: true, Content: c.Text, CandidateID: c.ID, Model: c.Model, Prompt: c.Prompt}, nil
	case generation.Invalid:
		return GenerateReply{}, problem.New(problem.AnswerUnfit, "%s", c.Reason)
	default:
		return GenerateReply{}, problem.New(problem.ModelTrouble, "%s", c.Reason)
	}
}

func (a *API) StartGeneration(ctx context.Context, req *httpapi.Body[NewGeneration]) (Generation, error) {
	g, err := a.beginGeneration(ctx, req.Body)
	if err != nil {
		return Generation{}, err
	}
	asked, err := a.Generations.Generation(ctx, g.ID)
	asked.RunID = g.RunID // the run may not have written itself into the row yet
	return showGeneration(asked), err
}

// beginGeneration writes down what is asked, with the facts as they are now, and starts its
// run. Without a run nobody writes: then the texts are given up at once.
func (a *API) beginGeneration(ctx context.Context, n NewGeneration) (generation.Generation, error) {
	g, err := a.newGeneration(ctx, n)
	if err != nil {
		return g, err
	}
	place := "generation " + g.ID // the order of the labels is nobody's to work out
	candidates := generation.Blank(g.ID, n.Models, func(model string) string { return a.Marks.Mark(model, place) },
		func() string { return xid.New().String() })
	if err := a.Generations.BeginGeneration(ctx, g, candidates, countedFor(httpapi.CallerOf(ctx))); err != nil {
		return g, err
	}
	g.RunID, err = a.Runs.StartGeneration(ctx, g.ID)
	if err != nil {
		if lost := a.Generations.EndGeneration(context.WithoutCancel(ctx), g.ID, a.Now()); lost != nil {
			return g, lost
		}
	}
	return g, err
}

// newGeneration checks what is asked.
func (a *API) newGeneration(ctx context.Context, n NewGeneration) (generation.Generation, error) {
	voice, err := generation.VoiceNamed(n.Voice)
	if err != nil {
		return generation.Generation{}, err
	}
	if err := a.checkWriters(n.Models); err != nil {
		return generation.Generation{}, err
	}
	topic, err := generation.Topic(n.Prompt)
	if err != nil {
		return generation.Generation{}, err
	}
	sources, err := a.facts(ctx)
	if err != nil {
		return generation.Generation{}, err
	}
	facts, err := generation.Chosen(sources, n.Context)
	return generation.Generation{
		ID: xid.New().String(), AccountID: httpapi.CallerOf(ctx).AccountID(), Voice: voice.ID, Topic: topic, Facts: facts,
		Blind: len(n.Models) > 1, CreatedAt: a.Now(),
	}, err
}

func (a *API) checkWriters(models []string) error {
	if len(a.Writers) == 0 {
		return problem.New(problem.Unavailable, "No model can be asked: a founder has to correct LLM_MODELS. customerzero doctor says what is wrong.")
	}
	for _, name := range models {
		if !slices.Contains(a.Writers, name) {
			return &problem.Error{
				Code: problem.ModelUnknown, Message: "There is no such model here. Choose among those that listModels names.",
				Details: []problem.Detail{{Field: "body.models", Reason: "it is none of the list"}},
			}
		}
	}
	return nil
}

// countedFor names whose texts are counted together: an account's, or those of all programs
// that have the founders' key.
func countedFor(who httpapi.Caller) string {
	if id := who.AccountID(); id != nil {
		return *id
	}
	return "key"
}

// ownGeneration reads a generation that the caller may see; to others it does not exist. One
// whose run was lost is ended first.
func (a *API) ownGeneration(ctx context.Context, id string) (generation.Listed, error) {
	asked, err := a.Generations.Generation(ctx, id)
	if err != nil {
		return asked, err
	}
	if !mayRead(httpapi.CallerOf(ctx), asked.AccountID) {
		return generation.Listed{}, problem.New(problem.NotFound, "There is no such generation.")
	}
	if !asked.Lost(a.Now()) {
		return asked, nil
	}
	if err := a.Generations.EndGeneration(ctx, id, a.Now()); err != nil {
		return asked, err
	}
	return a.Generations.Generation(ctx, id)
}

func showGeneration(asked generation.Listed) Generation {
	return Generation{
		ID: asked.ID, Prompt: asked.Topic, Voice: asked.Voice, Done: asked.Ended(),
		Blind: asked.Contested(), Voted: asked.Voted, CreatedAt: asked.CreatedAt,
		RunRef: httpapi.RunOf(workflows.GenerationID(asked.ID), asked.RunID),
		Facts: httpapi.Map(asked.Facts, func(f generation.Fact) ModelFact {
			return ModelFact{Kind: f.Kind, Label: generation.LabelOf(f.Kind), Text: f.Text}
		}),
		Candidates: httpapi.Map(asked.Candidates, func(c generation.Candidate) Candidate { return showCandidate(c, asked.Hidden()) }),
	}
}
