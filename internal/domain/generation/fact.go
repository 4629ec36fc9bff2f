package generation

import (
	"fmt"
	"slices"
	"strings"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Kinds of facts that can be given to models.
const (
	Quota       = "quota"
	Published   = "published"
	Treasury    = "treasury"
	Experiments = "experiments"
	LastChaos   = "last_chaos"
)

// PublishedDays is the period of the Published fact.
const PublishedDays = 30

// Source is the current state of one kind of fact: its text, or the reason why it is unavailable.
type Source struct {
	Kind        string
	Label       string // for the selection list
	Text        string // for the model
	Unavailable string // a sentence; empty if there is a text
}

// Figures is the data that facts are made of.
type Figures struct {
	Month          post.Month
	Usage          post.MonthUsage
	Published      int // posts of the last PublishedDays days
	Failed         int
	Balance        int        // US cents; costs that are not known are not included
	LastChaos      *chaos.Run // the newest run with a verdict, or nil
	ExperimentRuns experiment.Totals
	Liked          *experiment.Listed // the public experiment with the most net votes
}

// Sources returns every kind of fact.
func Sources(f Figures) []Source {
	return []Source{
		{Kind: Quota, Label: LabelOf(Quota), Text: f.quota()},
		{Kind: Published, Label: LabelOf(Published), Text: f.published()},
		{Kind: Treasury, Label: LabelOf(Treasury), Text: f.treasury()},
		f.experiments(),
		f.lastChaos(),
	}
}

var labels = map[string]string{
	Quota: "Posts this month", Published: "Recent posts", Treasury: "Money",
	Experiments: "Experiments", LastChaos: "Last chaos run",
}

// LabelOf returns the display name of a kind of fact.
func LabelOf(kind string) string { return labels[kind] }

func (f Figures) quota() string {
	u := f.Usage
	return fmt.Sprintf("Of the %d posts that members share in %s, %d are spent, %d are reserved and %d are free.",
		post.MonthlyPosts, f.Month, u.Spent, u.Reserved, u.Free())
}

func (f Figures) published() string {
	ended := f.Published + f.Failed
	if ended == 0 {
		return fmt.Sprintf("No posts were published in the last %d days, and none failed.", PublishedDays)
	}
	return fmt.Sprintf("In the last %d days, %d of %d posts were published (%d percent).",
		PublishedDays, f.Published, ended, f.Published*100/ended)
}

func (f Figures) treasury() string {
	sign, cents := "", f.Balance
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("The balance is %s$%d.%02d: membership fees minus card fees and the costs of X and models.", sign, cents/100, cents%100)
}

func (f Figures) experiments() Source {
	s := Source{Kind: Experiments, Label: LabelOf(Experiments)}
	switch f.ExperimentRuns.Experiments {
	case 0:
		s.Unavailable = "No experiments are stored yet."
		return s
	case 1:
		s.Text = "There is 1 public experiment"
	default:
		s.Text = fmt.Sprintf("There are %d public experiments", f.ExperimentRuns.Experiments)
	}
	s.Text += fmt.Sprintf(": %d running, %d completed.", f.ExperimentRuns.Running, f.ExperimentRuns.Completed)
	if f.Liked != nil && f.Liked.Up > f.Liked.Down {
		s.Text += fmt.Sprintf(" The most popular is ‘%s’, with %d votes for and %d against.", f.Liked.Title, f.Liked.Up, f.Liked.Down)
	}
	return s
}

func (f Figures) lastChaos() Source {
	s, r := Source{Kind: LastChaos, Label: LabelOf(LastChaos)}, f.LastChaos
	if r == nil || r.EndedAt == nil {
		s.Unavailable = "No chaos runs are stored yet."
		return s
	}
	how := "was not healed in time"
	if r.HealMS != nil {
		how = fmt.Sprintf("was healed in %.1f s", float64(*r.HealMS)/1000)
		if r.Verdict == chaos.HealedLate {
			how = fmt.Sprintf("was healed late, after %.1f s,", float64(*r.HealMS)/1000)
		}
	}
	s.Text = fmt.Sprintf("The last chaos run (%s) %s on %s.", r.Fault, how, r.EndedAt.UTC().Format("2 Jan 2006"))
	return s
}

// Chosen returns the facts of the given kinds. An unknown or unavailable kind is an Invalid problem that
// names the field.
func Chosen(sources []Source, kinds []string) ([]Fact, error) {
	facts := []Fact{}
	for _, kind := range kinds {
		i := slices.IndexFunc(sources, func(s Source) bool { return s.Kind == kind })
		switch {
		case i < 0:
			return nil, unknown("context", "Unknown kind of fact. Choose one returned by listModels.")
		case sources[i].Unavailable != "":
			return nil, unknown("context", sources[i].Unavailable+" Remove this fact.")
		}
		if fact := (Fact{Kind: kind, Text: sources[i].Text}); !slices.Contains(facts, fact) {
			facts = append(facts, fact)
		}
	}
	return facts, nil
}

// Topic trims a prompt and removes zero bytes; an empty prompt is an Invalid problem.
func Topic(prompt string) (string, error) {
	topic := strings.TrimSpace(Kept(prompt))
	if topic == "" {
		return "", &problem.Error{
			Code: problem.Invalid, Message: "Enter a topic for the text.",
			Details: []problem.Detail{{Field: "body.prompt", Reason: "must not be empty"}},
		}
	}
	return topic, nil
}
