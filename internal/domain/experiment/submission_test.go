package experiment

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

func idea() Submission {
	return Submission{
		Title: " Emoji reactions ", Problem: "Nobody can say how they feel.",
		Hypothesis: "If we build it, then they come, because they can.", Impact: "More people say more.",
	}
}

func TestWhoseIdeasWait(t *testing.T) {
	t.Parallel()
	ada := "ada"
	for review, tt := range map[Review]map[Origin]Status{
		ReviewAll:      {FromVisitor: Waiting, FromMember: Waiting, FromFounder: Planning},
		ReviewVisitors: {FromVisitor: Waiting, FromMember: Planning, FromFounder: Planning},
		ReviewNone:     {FromVisitor: Planning, FromMember: Planning, FromFounder: Planning},
		"":             {FromVisitor: Waiting, FromMember: Waiting, FromFounder: Planning},
	} {
		for by, want := range tt {
			e, err := New("id", idea(), by, &ada, review, noon)
			require.NoError(t, err)
			require.Equal(t, want, e.Status, "%s by %s", review, by)
		}
	}
}

func TestNewRow(t *testing.T) {
	t.Parallel()
	ada := "ada"
	e, err := New("id", idea(), FromMember, &ada, ReviewAll, noon)
	require.NoError(t, err)
	require.Equal(t, Experiment{
		ID: "id", Slug: "id", Title: "Emoji reactions", Problem: idea().Problem, Hypothesis: idea().Hypothesis, Impact: idea().Impact,
		Difficulty: Medium, Status: Waiting, Origin: FromMember, MemberID: &ada, Version: 1, SubmittedAt: noon, UpdatedAt: noon,
		Methodology: []string{}, TechStack: []string{}, SuccessMetrics: []string{},
	}, e)

	hard := idea()
	hard.Difficulty = Hard
	e, err = New("id", hard, FromVisitor, nil, ReviewAll, noon)
	require.NoError(t, err)
	require.Equal(t, Hard, e.Difficulty)

	for want, spoil := range map[string]func(*Submission){
		"body.title: it is empty":                                   func(s *Submission) { s.Title = "" },
		"body.problem: it needs at least 20 characters":             func(s *Submission) { s.Problem = "short" },
		"body.hypothesis: it needs at least 20 characters":          func(s *Submission) { s.Hypothesis = "short" },
		"body.impact: it needs at least 10 characters":              func(s *Submission) { s.Impact = "short" },
		"body.difficulty: it is easy, medium or hard":               func(s *Submission) { s.Difficulty = "impossible" },
		"body.impact: it contains a character that cannot be shown": func(s *Submission) { s.Impact = "More people\x00 say more." },
	} {
		s := idea()
		spoil(&s)
		_, err := New("id", s, FromVisitor, nil, ReviewAll, noon)
		require.Equal(t, want, refusal(t, err))
	}
}

func TestEdited(t *testing.T) {
	t.Parallel()
	e, err := New("id", idea(), FromFounder, nil, ReviewAll, noon)
	require.NoError(t, err)
	title, progress, steps, none := "Reactions  with emoji ", 40, []string{" One ", "Two"}, []string{}
	easy := Easy
	later := noon.Add(time.Hour)
	edited, err := e.Edited(Edit{Title: &title, Progress: &progress, Methodology: &steps, TechStack: &none, Difficulty: &easy}, later)
	require.NoError(t, err)
	want := e
	want.Title, want.Progress, want.Methodology, want.Difficulty, want.Version, want.UpdatedAt = "Reactions  with emoji", 40, []string{"One", "Two"}, Easy, 2, later
	require.Equal(t, want, edited, "what is left out stays")

	text, list, above, below, odd := "x", []string{""}, 101, -1, Difficulty("odd")
	for want, edit := range map[string]Edit{
		"body.title: it needs at least 5 characters":       {Title: &text},
		"body.problem: it needs at least 20 characters":    {Problem: &text},
		"body.hypothesis: it needs at least 20 characters": {Hypothesis: &text},
		"body.impact: it needs at least 10 characters":     {Impact: &text},
		"body.difficulty: it is easy, medium or hard":      {Difficulty: &odd},
		"body.methodology[0]: it is empty":                 {Methodology: &list},
		"body.techStack[0]: it is empty":                   {TechStack: &list},
		"body.successMetrics[0]: it is empty":              {SuccessMetrics: &list},
	} {
		_, err := e.Edited(edit, later)
		require.Equal(t, want, refusal(t, err))
	}
	for _, progress := range []*int{&above, &below} {
		_, err := e.Edited(Edit{Progress: progress}, later)
		require.Equal(t, "body.progress: it is a percentage, 0 to 100", refusal(t, err))
	}
}

func TestCheckVersion(t *testing.T) {
	t.Parallel()
	require.NoError(t, CheckVersion(3, 3))
	for _, seen := range []int{2, 4, 0} {
		err := CheckVersion(seen, 3)
		require.Equal(t, problem.EditStale, problem.CodeOf(err))
		require.EqualError(t, err, "Somebody changed this meanwhile. Read it again, then change it.")
	}
}
