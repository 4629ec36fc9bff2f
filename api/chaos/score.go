package chaos

import (
	"context"
	"fmt"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

const scoredFor = 30 * 24 * time.Hour

func (a *API) GetChaosScore(ctx context.Context, _ *struct{}) (ChaosScore, error) {
	since := a.Now().Add(-scoredFor)
	score, err := a.chaosScore(ctx, since)
	return ChaosScore{Since: since, Score: score.Value, Formula: chaos.Formula, Runs: score.Runs, Faults: httpapi.Map(score.Faults, showFault)}, err
}

func showFault(f chaos.FaultScore) FaultScore {
	return FaultScore{
		Type: f.Fault.Name, Title: f.Fault.Title, Weight: f.Fault.Weight, PromiseMS: int(f.Fault.Promise.Milliseconds()),
		Runs: f.Runs, Healed: f.Healed, HealedLate: f.HealedLate, Failed: f.Failed, Aborted: f.Aborted, HealedShare: f.Share,
		DetectP50MS: f.DetectP50, DetectP95MS: f.DetectP95, HealP50MS: f.HealP50, HealP95MS: f.HealP95,
	}
}

func (a *API) chaosScore(ctx context.Context, since time.Time) (chaos.Score, error) {
	runs, err := a.Chaos.EndedChaosSince(ctx, since)
	return chaos.ScoreOf(runs, a.Faults), err
}

func (a *API) GetChaosBadge(ctx context.Context, req *httpapi.BadgeRequest) (*httpapi.BadgeReply, error) {
	var shown httpapi.Badge
	var err error
	switch req.Name {
	case "score.svg":
		shown, err = a.scoreBadge(ctx)
	case "last-heal.svg":
		shown, err = a.healBadge(ctx)
	default:
		return nil, problem.New(problem.NotFound, "Unknown badge. Available: score.svg and last-heal.svg.")
	}
	if err != nil {
		return nil, err
	}
	return shown.Reply()
}

func (a *API) scoreBadge(ctx context.Context) (httpapi.Badge, error) {
	score, err := a.chaosScore(ctx, a.Now().Add(-scoredFor))
	if err != nil || score.Value == nil {
		return httpapi.Badge{Label: "resilience", Value: "no runs yet", Colour: httpapi.Grey}, err
	}
	colour := httpapi.Red
	switch {
	case *score.Value >= 95:
		colour = httpapi.Green
	case *score.Value >= 80:
		colour = httpapi.Amber
	}
	return httpapi.Badge{Label: "resilience", Value: fmt.Sprintf("%.1f %%", *score.Value), Colour: colour}, nil
}

func (a *API) healBadge(ctx context.Context) (httpapi.Badge, error) {
	run, err := a.Chaos.LastChaos(ctx)
	switch {
	case err != nil || run == nil:
		return httpapi.Badge{Label: "last heal", Value: "no runs yet", Colour: httpapi.Grey}, err
	case run.HealMS == nil:
		return httpapi.Badge{Label: "last heal", Value: "not healed", Colour: httpapi.Red}, nil
	}
	colour := httpapi.Green
	if run.Verdict != chaos.Healed {
		colour = httpapi.Amber
	}
	return httpapi.Badge{Label: "last heal", Value: Seconds(*run.HealMS) + " · " + httpapi.ShortAgo(a.Now().Sub(*run.EndedAt)), Colour: colour}, nil
}
