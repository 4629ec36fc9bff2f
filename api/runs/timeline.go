package runs

import (
	"context"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/run"
)

// closedFor is how long browsers may keep a run that has ended: it changes no more, but our words
// for it may.
const closedFor = "public, max-age=60"

// GetRun shows one run.
func (a *API) GetRun(ctx context.Context, req *getRunRequest) (*runTimelineReply, error) {
	if !readable(req.ID) || !readable(req.Run) {
		return nil, problem.New(problem.NotFound, "There is no such run, or its history is older than its retention.")
	}
	who := httpapi.CallerOf(ctx)
	if err := a.Limits.Consume(ctx, account.RunsPerVisitor, who.Visitor(a.Marks), a.Now()); err != nil {
		return nil, err
	}
	told, err := a.Runs.Timeline(ctx, req.ID, req.Run)
	if err != nil {
		return nil, err
	}
	reply := &runTimelineReply{"no-store", showTimeline(told)}
	if who.Role >= account.Founder {
		reply.Body.ConsoleURL = a.Site.ConsoleURL(told.WorkflowID, told.RunID)
	}
	if told.EndedAt != nil && who.Login == nil && who.Browser == nil && !who.Key {
		reply.CacheControl = closedFor
	}
	return reply, nil
}

// readable says whether a text could name a run at all.
func readable(id string) bool {
	return utf8.ValidString(id) && !strings.ContainsFunc(id, func(r rune) bool { return !unicode.IsPrint(r) })
}

func showTimeline(told run.Timeline) RunTimeline {
	flow, _ := run.FlowNamed(told.Flow)
	return RunTimeline{
		RunBrief: showBrief(run.Brief{
			WorkflowID: told.WorkflowID, RunID: told.RunID, Flow: told.Flow, State: told.State,
			StartedAt: told.StartedAt, EndedAt: told.EndedAt,
		}),
		Title: flow.Title, Says: flow.Says, SubjectURL: subjectPath(told),
		Result: showFacts(told.Result), Events: told.Events, Cut: told.Cut,
		Steps: httpapi.Map(told.Steps, func(step run.Step) RunStep {
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

// subjectPages are the pages of what runs are about. A name is appended to those that end so.
var subjectPages = map[string]string{
	"post": "/scheduler?post=", "recurring-post": "/scheduler?view=recurring", "engagement": "/bot-posts",
	"checkout": "/receipts/", "refund": "/receipts/", "payment-reconciliation": "/treasury",
	"chaos": "/chaos-monkey/runs/", "chaos-sweep": "/chaos-monkey/runs/", "chaos-screenshots": "/chaos-monkey/runs/",
	"game-day": "/chaos-monkey/runs/", "self-heal": "/chaos-monkey",
	"verification": "/ai-verification/runs/", "verification-cleanup": "/ai-verification",
	"experiment": "/experiments/",
}

// subjectPath is the page of what a run is about; empty: it has none.
func subjectPath(told run.Timeline) string {
	page := subjectPages[told.Flow]
	switch {
	case page == "" || !strings.HasSuffix(page, "/") && !strings.HasSuffix(page, "="):
		return page
	case told.Subject == "":
		return ""
	}
	return page + url.PathEscape(told.Subject)
}
