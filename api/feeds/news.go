package feeds

import (
	"context"
	"fmt"
	"slices"
	"strings"

	chaosapi "customerzero/api/chaos"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/workflows"
)

func (a *API) postNews(ctx context.Context) ([]news, error) {
	published, _, err := a.Posts.PublishedPosts(ctx, feedMost, 0)
	if err != nil {
		return nil, err
	}
	all := make([]news, len(published))
	for i, p := range published {
		text := p.Text
		if p.Username != "" {
			text += "\n\nsponsored by @" + strings.TrimPrefix(p.Username, "@")
		}
		if p.MadeWithAI {
			text += "\n\nwritten with AI"
		}
		all[i] = news{id: "post:" + p.ID, path: httpapi.RunPath(workflows.PostID(p.ID), ""), title: p.Text, text: text, at: *p.PublishedAt}
	}
	return all, nil
}

func (a *API) chaosNews(ctx context.Context) ([]news, error) {
	runs, _, err := a.Chaos.ChaosRuns(ctx, chaos.Filter{}, feedMost+1, 0) // one of them may still run
	var all []news
	for _, r := range runs {
		if r.EndedAt == nil {
			continue
		}
		all = append(all, news{
			id: "chaos:" + r.ID, path: "/chaos-monkey/runs/" + r.ID, title: r.Fault + ": " + chaosWord(r),
			text: chaosapi.RequestOf(r) + " " + chaosapi.EndingOf(r), at: *r.EndedAt,
		})
	}
	return all, err
}

func chaosWord(r chaos.Run) string {
	switch {
	case r.Verdict == chaos.Healed && r.HealMS != nil:
		return "healed after " + chaosapi.Seconds(*r.HealMS)
	case r.Verdict == chaos.HealedLate && r.HealMS != nil:
		return "healed late, after " + chaosapi.Seconds(*r.HealMS)
	case r.Verdict == chaos.Failed:
		return "not healed"
	}
	return "aborted"
}

func (a *API) experimentNews(ctx context.Context) ([]news, error) {
	var all []news
	for _, q := range []experiment.Query{
		{Order: experiment.Newest},
		{Status: experiment.Completed, Order: experiment.Latest},
		{Status: experiment.Shipped, Order: experiment.Latest},
		{Status: experiment.Declined, Order: experiment.Latest},
	} {
		q.Limit = feedMost
		found, _, err := a.Experiments.Experiments(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if q.Status == "" {
				all = append(all, begunNews(e))
			} else if e.EndedAt != nil {
				all = append(all, endedNews(e))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b news) int { return b.at.Compare(a.at) })
	return all, nil
}

func begunNews(e experiment.Listed) news {
	return news{
		id: "experiment:" + experiment.ShownID(e.Experiment), path: "/experiments/" + e.Slug, at: e.SubmittedAt,
		title: fmt.Sprintf("Experiment #%s: %s", experiment.ShownID(e.Experiment), e.Title), text: "Problem: " + e.Problem + "\n\nHypothesis: " + e.Hypothesis,
	}
}

func endedNews(e experiment.Listed) news {
	lines := []string{"Status: " + string(e.Status) + "."}
	if verdict := map[experiment.Verdict]string{
		experiment.Met: "Its metric reached the threshold.", experiment.Missed: "Its metric missed the threshold.",
		experiment.Unmeasured: "There was nothing to measure by its date.", experiment.Abandoned: "It was abandoned before its date.",
	}[e.Verdict]; verdict != "" {
		lines = append(lines, verdict)
	}
	if e.VotesClosedAt != nil {
		lines = append(lines, fmt.Sprintf("Votes: %d up, %d down.", e.Up, e.Down))
	}
	if e.Reason != "" {
		lines = append(lines, e.Reason)
	}
	return news{
		id: "experiment:" + experiment.ShownID(e.Experiment) + ":ended", path: "/experiments/" + e.Slug, at: *e.EndedAt,
		title: fmt.Sprintf("Experiment #%s %s: %s", experiment.ShownID(e.Experiment), e.Status, e.Title), text: strings.Join(lines, "\n"),
	}
}
