package runs

import (
	"context"
	"net/url"
	"strings"
	"unicode"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
)

// closedFor is the cache policy of a run that has ended. It is short, because a release may change the texts.
const closedFor = "public, max-age=60"

// Find reads a run, within the caller's limit.
func (a *API) Find(ctx context.Context, id, runID string) (run.Timeline, error) {
	if !isPrintable(id) || !isPrintable(runID) {
		return run.Timeline{}, problem.New(problem.NotFound, "There is no such run, or its history has expired.")
	}
	if err := a.Limits.ConsumeAll(ctx, httpapi.CallerOf(ctx).Asker(a.Marks).By(account.RunsPerNetwork), a.Now()); err != nil {
		return run.Timeline{}, err
	}
	return a.Runs.Timeline(ctx, id, runID)
}

// GetRun shows one run.
func (a *API) GetRun(ctx context.Context, req *getRunRequest) (*runTimelineReply, error) {
	timeline, err := a.Find(ctx, req.ID, req.Run)
	if err != nil {
		return nil, err
	}
	who := httpapi.CallerOf(ctx)
	reply := &runTimelineReply{"no-store", showTimeline(timeline)}
	if who.Role >= account.Founder {
		reply.Body.ConsoleURL = a.Site.ConsoleURL(timeline.WorkflowID, timeline.RunID)
	}
	if timeline.EndedAt != nil && who.Login == nil && who.Browser == nil && !who.Key {
		reply.CacheControl = closedFor
	}
	return reply, nil
}

// isPrintable rejects IDs that Temporal cannot have.
func isPrintable(id string) bool {
	return !strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) })
}

func showTimeline(t run.Timeline) RunTimeline {
	flow, _ := run.FlowNamed(t.Flow)
	return RunTimeline{
		RunBrief: showBrief(run.Brief{
			WorkflowID: t.WorkflowID, RunID: t.RunID, Flow: t.Flow, State: t.State,
			StartedAt: t.StartedAt, EndedAt: t.EndedAt,
		}),
		Title: flow.Title, Description: flow.Description, SubjectURL: subjectPath(t),
		Result: showFacts(t.Result), Events: t.Events, Cut: t.Cut,
		Steps: httpapi.Map(t.Steps, func(step run.Step) RunStep {
			return RunStep{
				At: step.At, EndedAt: step.EndedAt, Stage: string(step.Stage), Title: step.Title, State: string(step.State),
				Attempt: step.Attempt, Facts: showFacts(step.Facts), Failure: step.Failure,
			}
		}),
	}
}

func showFacts(facts []run.Fact) []RunFact {
	return httpapi.Map(facts, func(fact run.Fact) RunFact { return RunFact(fact) })
}

// subjectPages are the pages of the subjects of runs. The subject's ID is appended to a page that ends with / or =.
var subjectPages = map[string]string{
	"post": "/scheduler?post=", "recurring-post": "/scheduler?view=recurring", "engagement": "/bot-posts",
	"checkout": "/receipts/", "refund": "/receipts/", "payment-reconciliation": "/treasury",
	"chaos": "/chaos-monkey/runs/", "chaos-sweep": "/chaos-monkey/runs/", "chaos-screenshots": "/chaos-monkey/runs/",
	"game-day": "/chaos-monkey/runs/", "self-heal": "/chaos-monkey",
	"verification": "/ai-verification/runs/", "verification-cleanup": "/ai-verification",
	"experiment": "/experiments/",
}

func subjectPath(t run.Timeline) string {
	page := subjectPages[t.Flow]
	switch {
	case page == "" || !strings.HasSuffix(page, "/") && !strings.HasSuffix(page, "="):
		return page
	case t.Subject == "":
		return ""
	}
	return page + url.PathEscape(t.Subject)
}
