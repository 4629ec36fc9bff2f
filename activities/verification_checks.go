package activities

import (
	"slices"

	"customerzero/internal/domain/verification"
)

// checksOf judges all that was seen.
func checksOf(answers []verification.Answer, shots []verification.Shot) []verification.Check {
	checks := make([]verification.Check, 0, len(verification.Endpoints)+7*len(shots))
	for _, endpoint := range verification.Endpoints {
		checks = append(checks, endpointCheck(endpoint, answers))
	}
	for _, shot := range shots {
		checks = append(checks, verification.ShotChecks(shot)...)
	}
	return checks
}

func endpointCheck(e verification.Endpoint, answers []verification.Answer) verification.Check {
	asked := slices.IndexFunc(answers, func(a verification.Answer) bool { return a.Path == e.Path })
	if asked < 0 {
		return verification.Check{
			Kind: verification.CheckEndpoint, Subject: "GET " + e.Path, State: verification.Skip,
			Message: "It was not asked: the worker was lost.",
		}
	}
	return verification.EndpointCheck(e, answers[asked])
}

// everyView adds the views that nobody has seen, in their places: what is missing must not pass.
func everyView(runID string, shots []verification.Shot) []verification.Shot {
	views := verification.Views()
	all := make([]verification.Shot, 0, len(views))
	for _, view := range views {
		seen := slices.IndexFunc(shots, func(s verification.Shot) bool { return isView(s, view) })
		if seen >= 0 {
			all = append(all, shots[seen])
			continue
		}
		all = append(all, verification.Shot{
			RunID: runID, Theme: view.Theme, Viewport: view.Viewport.Name, Error: "Nobody looked at it: the worker was lost.",
		})
	}
	return all
}

func isView(s verification.Shot, v verification.View) bool {
	return s.Theme == v.Theme && s.Viewport == v.Viewport.Name
}
