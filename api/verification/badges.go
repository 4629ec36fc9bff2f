package verification

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

func (a *API) GetVerificationBadge(ctx context.Context, req *httpapi.BadgeRequest) (*httpapi.BadgeReply, error) {
	if req.Name != "status.svg" {
		return nil, problem.New(problem.NotFound, "There is no such picture. There is status.svg.")
	}
	standing, err := a.siteStanding(ctx)
	if err != nil {
		return nil, err
	}
	shown := httpapi.Badge{Label: "verification", Value: "no runs yet", Colour: httpapi.Grey}
	if len(standing.last) > 0 {
		ago := httpapi.ShortAgo(a.Now().Sub(*standing.last[0].EndedAt))
		shown = httpapi.Badge{Label: "verification", Value: verification.FrameworkStatus(standing.verdict) + " · " + ago, Colour: verdictColour(standing.verdict)}
	}
	return shown.Reply()
}

func verdictColour(v verification.Verdict) string {
	switch v {
	case verification.Active:
		return httpapi.Green
	case verification.Warning:
		return httpapi.Amber
	case verification.Broken:
		return httpapi.Red
	case verification.Unknown:
	}
	return httpapi.Grey
}
