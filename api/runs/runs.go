// Package runs shows what happened in workflow runs, as strangers may see it.
package runs

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/run"
)

// API answers for the runs.
type API struct{ httpapi.Deps }

// RunBrief is a run in a list.
type RunBrief struct {
	WorkflowID string     `json:"workflowId"`
	RunID      string     `json:"runId"`
	Flow       string     `json:"flow" doc:"The product's word, like post"`
	State      string     `json:"state" enum:"running,done,failed,cancelled,terminated,timed_out,continued"`
	StartedAt  time.Time  `json:"startedAt"`
	EndedAt    *time.Time `json:"endedAt,omitempty"`
	Path       string     `json:"path" doc:"Of its page here"`
}

// RunTimeline is a run.
type RunTimeline struct {
	RunBrief
	Title      string    `json:"title" doc:"What it is about, in words"`
	Says       string    `json:"says" doc:"What runs of this flow do, in a sentence"`
	SubjectURL string    `json:"subjectUrl,omitempty" doc:"Path of the page of what it is about"`
	Steps      []RunStep `json:"steps" doc:"Oldest first"`
	Result     []RunFact `json:"result" doc:"What it came to"`
	Events     int       `json:"events" doc:"In its history, of which these are those that have a name"`
	Cut        bool      `json:"cut" doc:"It goes on: only the first are shown"`
	ConsoleURL string    `json:"consoleUrl,omitempty" doc:"The whole history in the Temporal console; for founders"`
}

// RunStep is something that happened in a run.
type RunStep struct {
	At      time.Time  `json:"at"`
	EndedAt *time.Time `json:"endedAt,omitempty" doc:"Absent: at once, or not yet"`
	Stage   string     `json:"stage" enum:"notice,plan,guard,act,check,record" doc:"The part it plays in the loop of every flow"`
	Title   string     `json:"title"`
	State   string     `json:"state" enum:"running,done,failed,cancelled,terminated,timed_out,continued"`
	Attempt int        `json:"attempt,omitempty" doc:"How often it was tried; absent: not counted"`
	Facts   []RunFact  `json:"facts"`
	Failure string     `json:"failure,omitempty"`
}

// RunFact is a value that may be shown.
type RunFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// RunList is a list of runs, newest first.
type RunList struct {
	Runs []RunBrief `json:"runs"`
}

type (
	listRunsRequest struct {
		Flow  string `query:"flow" maxLength:"40" doc:"Like post, chaos, verification, experiment. What is somebody's own, like a checkout, is not listed"`
		Limit int    `query:"limit" minimum:"1" maximum:"100" default:"20"`
	}
	getRunRequest struct {
		ID  string `path:"id" maxLength:"200"`
		Run string `query:"run" maxLength:"60" doc:"One run of it; empty: the newest"`
	}
	runTimelineReply struct {
		CacheControl string `header:"Cache-Control"`
		Body         RunTimeline
	}
)

// ListRuns lists the newest runs, of one flow or of every public one.
func (a *API) ListRuns(ctx context.Context, req *listRunsRequest) (RunList, error) {
	if err := a.Limits.Consume(ctx, account.RunsPerVisitor, httpapi.CallerOf(ctx).Visitor(a.Marks), a.Now()); err != nil {
		return RunList{}, err
	}
	newest, err := a.Runs.NewestRuns(ctx, req.Flow, req.Limit)
	return RunList{httpapi.Map(newest, showBrief)}, err
}

func showBrief(b run.Brief) RunBrief {
	return RunBrief{
		WorkflowID: b.WorkflowID, RunID: b.RunID, Flow: b.Flow, State: string(b.State),
		StartedAt: b.StartedAt, EndedAt: b.EndedAt, Path: httpapi.RunPath(b.WorkflowID, b.RunID),
	}
}
