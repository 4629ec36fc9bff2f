package main

import (
	"context"
	"fmt"
	"net/http"

	"customerzero/internal/domain/problem"
	"customerzero/proof/crash/rig"
)

// brokenBy is a fault with its chaos runs.
type brokenBy struct {
	Type      string `json:"type"`
	PromiseMS int    `json:"promiseMs"`
	runs      []broken
}

type broken struct {
	Stage  string `json:"stage"`
	HealMS *int   `json:"healMs"`
}

// healRounds is how often each of the six faults is injected. The limit is 30 runs an hour.
const healRounds = 3

type heals []brokenBy

// healing starts chaos runs on a fresh product one after the other, each from another network because of the
// limits.
func (b *bench) healing(ctx context.Context) ([]figure, error) {
	var h heals
	err := b.onFresh(ctx, func(up *upProduct) (err error) {
		h, err = b.heal(ctx, up)
		return err
	})
	if err != nil {
		return nil, err
	}
	return h.figures(), nil
}

func (b *bench) heal(ctx context.Context, up *upProduct) (h heals, err error) {
	if h, err = awaitTarget(ctx, up.site); err != nil {
		return nil, err
	}
	for round := range healRounds {
		for i := range h {
			run, err := breakOnce(ctx, from(up.site, fmt.Sprintf("10.7.%d.%d", round, i)), h[i].Type)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", h[i].Type, err)
			}
			h[i].runs = append(h[i].runs, run)
		}
	}
	return h, nil
}

// awaitTarget waits until the chaos target is healthy and returns its faults.
func awaitTarget(ctx context.Context, site string) (heals, error) {
	var seen struct {
		Status string     `json:"status"`
		Faults []brokenBy `json:"faults"`
	}
	err := repeat(ctx, func() (bool, error) {
		err := ask(ctx, callerOf(site, http.Header{}), http.MethodGet, "/api/chaos/target", nil, &seen)
		return seen.Status == "healthy", err
	})
	return seen.Faults, err
}

// breakOnce retries until a run starts and waits until it has ended.
func breakOnce(ctx context.Context, visitor *rig.Caller, fault string) (run broken, err error) {
	var begun struct{ ID string }
	err = repeat(ctx, func() (bool, error) {
		body := map[string]string{"type": fault, "source": "bench"}
		a := visitor.Call(ctx, http.MethodPost, "/api/chaos", body, &begun)
		switch {
		case a.Outcome == rig.Success:
			return true, nil
		case a.Code == problem.ChaosRunning, a.Code == problem.IncidentOpen: // the previous one is ending
			return false, nil
		}
		return false, fmt.Errorf("the response is %s", a)
	})
	if err != nil {
		return run, err
	}
	var seen struct{ Event broken }
	err = repeat(ctx, func() (bool, error) {
		err := ask(ctx, visitor, http.MethodGet, "/api/chaos/runs/"+begun.ID, nil, &seen)
		return seen.Event.Stage == "ended", err
	})
	return seen.Event, err
}

// figures are the times to heal by fault. A run that was not healed has no time.
func (h heals) figures() (figures []figure) {
	runs, healed := 0, 0
	for _, fault := range h {
		times := fault.times()
		runs, healed = runs+len(fault.runs), healed+len(times)
		figures = append(figures, figure{
			Subject: "Time to heal", What: fault.Type + ", p95", Unit: "ms", Ours: float64(at(times, 0.95)), Target: atMost(float64(fault.PromiseMS)),
		})
	}
	share := 0.0
	if runs > 0 {
		share = 100 * float64(healed) / float64(runs)
	}
	return append(figures, figure{Subject: "Time to heal", What: fmt.Sprintf("healed, of %d", runs), Unit: "%", Ours: share, Target: atLeast(100)})
}

func (f brokenBy) times() (ms []int) {
	for _, run := range f.runs {
		if run.HealMS != nil {
			ms = append(ms, *run.HealMS)
		}
	}
	return ms
}
