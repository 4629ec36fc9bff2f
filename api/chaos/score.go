package chaos

import (
	"context"
	"time"

	"customerzero/internal/domain/chaos"
)

// scoredFor is how far back runs count.
const scoredFor = 30 * 24 * time.Hour

func (a *API) GetChaosScore(ctx context.Context, _ *struct{}) (*chaosScoreReply, error) {
	since := a.Now().Add(-scoredFor)
	score, err := a.chaosScore(ctx, since)
	if err != nil {
		return nil, err
	}
	shown := ChaosScore{Since: since, Score: score.Value, Formula: chaos.Formula, Runs: score.Runs, Faults: make([]FaultScore, len(score.Faults))}
	for i, f := range score.Faults {
		shown.Faults[i] = FaultScore{
			Type: f.Fault.Name, Title: f.Fault.Title, Weight: f.Fault.Weight, PromiseMS: int(f.Fault.Promise.Milliseconds()),
			Runs: f.Runs, Healed: f.Healed, HealedLate: f.HealedLate, Failed: f.Failed, Aborted: f.Aborted, HealedShare: f.Share,
			DetectP50MS: f.DetectP50, DetectP95MS: f.DetectP95, HealP50MS: f.HealP50, HealP95MS: f.HealP95,
		}
	}
	return &chaosScoreReply{shown}, nil
}

func (a *API) chaosScore(ctx context.Context, since time.Time) (chaos.Score, error) {
	runs, err := a.Chaos.EndedChaosSince(ctx, since)
	if err != nil {
		return chaos.Score{}, err
	}
	return chaos.ScoreOf(runs, a.Faults), nil
}
