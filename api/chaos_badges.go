package api

import (
	"bytes"
	"context"
	"fmt"
	"text/template"
	"time"
	"unicode/utf8"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

// badge is a word and what is true of it now.
type badge struct{ Label, Value, Colour string }

const (
	green = "#2b8a3e"
	amber = "#a66300"
	red   = "#c92a2a"
	grey  = "#5c636a"
)

// badgePicture says its words in a title too, for those who do not see it.
var badgePicture = template.Must(template.New("badge").Parse(
	`<svg xmlns="http://www.w3.org/2000/svg" width="{{.Whole}}" height="20" role="img" aria-labelledby="title">` +
		`<title id="title">{{.Label}}: {{.Value}}</title>` +
		`<rect width="{{.Whole}}" height="20" rx="3" fill="#343a40"/>` +
		`<path d="M{{.Left}} 0h{{.Edge}}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-{{.Edge}}z" fill="{{.Colour}}"/>` +
		`<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">` +
		`<text x="6" y="14" textLength="{{.LabelLength}}">{{.Label}}</text>` +
		`<text x="{{.ValueAt}}" y="14" textLength="{{.ValueLength}}">{{.Value}}</text></g></svg>` + "\n"))

type badgeRequest struct {
	Name string `path:"name"`
}

type badgeReply struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"` // by the table of routes
	Body         []byte
}

func (s *Server) getChaosBadge(ctx context.Context, req *badgeRequest) (*badgeReply, error) {
	var shown badge
	var err error
	switch req.Name {
	case "score.svg":
		shown, err = s.scoreBadge(ctx)
	case "last-heal.svg":
		shown, err = s.healBadge(ctx)
	default:
		return nil, problem.New(problem.NotFound, "There is no such picture. There are score.svg and last-heal.svg.")
	}
	if err != nil {
		return nil, err
	}
	return shown.reply()
}

func (b badge) reply() (*badgeReply, error) {
	picture, err := b.draw()
	return &badgeReply{ContentType: "image/svg+xml", Body: picture}, err
}

func (s *Server) scoreBadge(ctx context.Context) (badge, error) {
	score, err := s.chaosScore(ctx, s.Now().Add(-scoredFor))
	if err != nil || score.Value == nil {
		return badge{"resilience", "no runs yet", grey}, err
	}
	colour := red
	switch {
	case *score.Value >= 95:
		colour = green
	case *score.Value >= 80:
		colour = amber
	}
	return badge{"resilience", fmt.Sprintf("%.1f %%", *score.Value), colour}, nil
}

func (s *Server) healBadge(ctx context.Context) (badge, error) {
	run, err := s.Chaos.LastChaos(ctx)
	switch {
	case err != nil || run == nil:
		return badge{"last heal", "no runs yet", grey}, err
	case run.HealMS == nil:
		return badge{"last heal", "not healed", red}, nil
	}
	value := seconds(*run.HealMS) + " · " + shortAgo(s.Now().Sub(*run.EndedAt))
	if run.Verdict != chaos.Healed {
		return badge{"last heal", value, amber}, nil
	}
	return badge{"last heal", value, green}, nil
}

// shortAgo is timeAgo for where there is little room.
func shortAgo(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d d ago", d/(24*time.Hour))
}

// draw lays the words out side by side. Their width is set, so that no font breaks the edges.
func (b badge) draw() ([]byte, error) {
	const letter, margin, round = 7, 6, 3
	label, value := letter*utf8.RuneCountInString(b.Label), letter*utf8.RuneCountInString(b.Value)
	left := label + 2*margin
	whole := left + value + 2*margin
	var picture bytes.Buffer
	err := badgePicture.Execute(&picture, map[string]any{
		"Label": b.Label, "Value": b.Value, "Colour": b.Colour, "Whole": whole, "Left": left, "Edge": whole - left - round,
		"LabelLength": label, "ValueAt": left + margin, "ValueLength": value,
	})
	return picture.Bytes(), err
}
