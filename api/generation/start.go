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

// generationWait is shorter than the deadline of the request.
const generationWait = 55 * time.Second

func (a *API) Generate(ctx context.Context, req *httpapi.Body[GenerateRequest]) (GenerateReply, error) {
	request := NewGeneration{Prompt: req.Body.Prompt, Voice: req.Body.Voice, Context: req.Body.Context}
	if len(a.Writers) > 0 {
		request.Models = []string{cmp.Or(req.Body.Model, a.Writers[0])}
	}
	g, err := a.beginGeneration(ctx, request)
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
		return GenerateReply{Success: true, Content: c.Text, CandidateID: c.ID, Model: c.Model, Template: generation.IsTemplate(c.Model), Prompt: c.Prompt}, nil
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
	stored, err := a.Generations.Generation(ctx, g.ID)
	stored.RunID = g.RunID // the workflow may not have stored its run ID yet
	return showGeneration(stored), err
}

// beginGeneration stores a request with the current facts, and starts its workflow. If the start fails, the request
// ends at once.
func (a *API) beginGeneration(ctx context.Context, n NewGeneration) (generation.Generation, error) {
	g, err := a.newGeneration(ctx, n)
	if err != nil {
		return g, err
	}
	purpose := "generation " + g.ID // makes the order of the labels unpredictable
	candidates := generation.Blank(g.ID, n.Models, func(model string) string { return a.Marks.Mark(model, purpose) },
		func() string { return xid.New().String() })
	if err := a.Generations.BeginGeneration(ctx, g, candidates, countedFor(httpapi.CallerOf(ctx))); err != nil {
		return g, err
	}
	g.RunID, err = a.Runs.StartGeneration(ctx, g.ID)
	if err != nil {
		if endErr := a.Generations.EndGeneration(context.WithoutCancel(ctx), g.ID, a.Now()); endErr != nil {
			return g, endErr
		}
	}
	return g, err
}

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
		return problem.New(problem.Unavailable, "No model is available, so nothing was generated. A founder must correct LLM_MODELS; run `customerzero doctor` for details.")
	}
	for _, name := range models {
		if !slices.Contains(a.Writers, name) {
			return &problem.Error{
				Code: problem.ModelUnknown, Message: "Unknown model, so nothing was generated. See `details`.",
				Details: []problem.Detail{{Field: "body.models", Reason: httpapi.OneOf(name, a.Writers)}},
			}
		}
	}
	return nil
}

// countedFor returns the key of the rate limit: the account, or "key" for the admin key.
func countedFor(who httpapi.Caller) string { return cmp.Or(httpapi.Deref(who.AccountID()), "key") }

// ownGeneration returns a generation that the caller may see; to others it is not found. It first ends one whose
// workflow was lost.
func (a *API) ownGeneration(ctx context.Context, id string) (generation.Listed, error) {
	g, err := a.Generations.Generation(ctx, id)
	if err != nil {
		return g, err
	}
	if !mayRead(httpapi.CallerOf(ctx), g.AccountID) {
		return generation.Listed{}, problem.New(problem.NotFound, "There is no such generation.")
	}
	if !g.Lost(a.Now()) {
		return g, nil
	}
	if err := a.Generations.EndGeneration(ctx, id, a.Now()); err != nil {
		return g, err
	}
	return a.Generations.Generation(ctx, id)
}

func showGeneration(g generation.Listed) Generation {
	return Generation{
		ID: g.ID, Prompt: g.Topic, Voice: g.Voice, Done: g.Ended(),
		Blind: g.Contested(), Voted: g.Voted, CreatedAt: g.CreatedAt,
		RunRef: httpapi.RunOf(workflows.GenerationID(g.ID), g.RunID),
		Facts: httpapi.Map(g.Facts, func(f generation.Fact) ModelFact {
			return ModelFact{Kind: f.Kind, Label: generation.LabelOf(f.Kind), Text: f.Text}
		}),
		Candidates: httpapi.Map(g.Candidates, func(c generation.Candidate) Candidate { return showCandidate(c, g.Hidden()) }),
	}
}
