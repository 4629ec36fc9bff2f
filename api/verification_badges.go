package api

import (
	"context"

	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/verification"
)

func (s *Server) getVerificationBadge(ctx context.Context, req *badgeRequest) (*badgeReply, error) {
	if req.Name != "status.svg" {
		return nil, problem.New(problem.NotFound, "There is no such picture. There is status.svg.")
	}
	standing, err := s.siteStanding(ctx)
	if err != nil {
		return nil, err
	}
	shown := badge{"verification", "no runs yet", grey}
	if len(standing.last) > 0 {
		ago := shortAgo(s.Now().Sub(*standing.last[0].EndedAt))
		shown = badge{"verification", verification.FrameworkStatus(standing.verdict) + " · " + ago, verdictColour(standing.verdict)}
	}
	return shown.reply()
}

func verdictColour(v verification.Verdict) string {
	switch v {
	case verification.Active:
		return green
	case verification.Warning:
		return amber
	case verification.Broken:
		return red
	case verification.Unknown:
	}
	return grey
}
