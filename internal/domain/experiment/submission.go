package experiment

import (
	"time"

	"customerzero/internal/domain/problem"
)

// Submission is an idea as somebody wrote it down.
type Submission struct {
	Title, Problem, Hypothesis, Impact string
	Difficulty                         Difficulty // empty: medium
}

// Lets says whether somebody's ideas appear at once, without a founder's approval.
func (r Review) Lets(by Origin) bool {
	switch by {
	case FromFounder, FromSeed:
		return true
	case FromMember:
		return r == ReviewVisitors || r == ReviewNone
	case FromVisitor:
		return r == ReviewNone
	}
	return false
}

// New makes a row of an idea. memberID is whose it is, nil for a visitor's. The store gives what
// need not wait its number.
func New(id string, s Submission, by Origin, memberID *string, review Review, now time.Time) (Experiment, error) {
	e := Experiment{
		ID: id, Slug: id, Status: Waiting, Difficulty: Medium, Origin: by, MemberID: memberID,
		Methodology: []string{}, TechStack: []string{}, SuccessMetrics: []string{},
		SubmittedAt: now, UpdatedAt: now, Version: 1,
	}
	if review.Lets(by) {
		e.Status = Planning
	}
	edit := Edit{Title: &s.Title, Problem: &s.Problem, Hypothesis: &s.Hypothesis, Impact: &s.Impact}
	if s.Difficulty != "" {
		edit.Difficulty = &s.Difficulty
	}
	return e, edit.put(&e)
}

// Edited gives the experiment with an edit in it, cleaned.
func (e Experiment) Edited(edit Edit, now time.Time) (Experiment, error) {
	if err := edit.put(&e); err != nil {
		return e, err
	}
	return e.changed(now), nil
}

// changed counts an edit.
func (e Experiment) changed(now time.Time) Experiment {
	e.Version++
	e.UpdatedAt = now
	return e
}

func (edit Edit) put(e *Experiment) error {
	for _, text := range []struct {
		bounds
		from, to *string
	}{
		{titles, edit.Title, &e.Title},
		{problems, edit.Problem, &e.Problem},
		{hypotheses, edit.Hypothesis, &e.Hypothesis},
		{impacts, edit.Impact, &e.Impact},
	} {
		if text.from == nil {
			continue
		}
		cleaned, err := text.clean(*text.from)
		if err != nil {
			return err
		}
		*text.to = cleaned
	}
	for _, list := range []struct {
		field    string
		from, to *[]string
	}{
		{"methodology", edit.Methodology, &e.Methodology},
		{"techStack", edit.TechStack, &e.TechStack},
		{"successMetrics", edit.SuccessMetrics, &e.SuccessMetrics},
	} {
		if list.from == nil {
			continue
		}
		cleaned, err := cleanList(list.field, *list.from)
		if err != nil {
			return err
		}
		*list.to = cleaned
	}
	return edit.putChoices(e)
}

func (edit Edit) putChoices(e *Experiment) error {
	if edit.Difficulty != nil {
		switch *edit.Difficulty {
		case Easy, Medium, Hard:
			e.Difficulty = *edit.Difficulty
		default:
			return bounds{field: "difficulty"}.refuse("it is easy, medium or hard")
		}
	}
	if edit.Progress != nil {
		if *edit.Progress < 0 || *edit.Progress > 100 {
			return bounds{field: "progress"}.refuse("it is a percentage, 0 to 100")
		}
		e.Progress = *edit.Progress
	}
	return nil
}

// CheckVersion refuses a change that was made from something older than what there is.
func CheckVersion(seen, is int) error {
	if seen != is {
		return problem.New(problem.EditStale, "Somebody changed this meanwhile. Read it again, then change it.")
	}
	return nil
}
