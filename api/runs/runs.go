// Package runs serves public timelines of workflow runs.
package runs

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/run"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

// RunBrief is a workflow run in a list.
type RunBrief struct {
	WorkflowID string     `json:"workflowId" doc:"Temporal workflow ID"`
	RunID      string     `json:"runId" doc:"Temporal run ID"`
	Flow       string     `json:"flow" doc:"Flow of the run, for example post"`
	State      string     `json:"state" doc:"State of the run" enum:"running,done,failed,cancelled,terminated,timed_out,continued"`
	StartedAt  time.Time  `json:"startedAt" doc:"Time at which the run started"`
	EndedAt    *time.Time `json:"endedAt,omitempty" doc:"Time at which the run ended; omitted while it is running"`
	Path       string     `json:"path" doc:"Path of the run's page"`
}

// RunTimeline is a workflow run with its steps.
type RunTimeline struct {
	RunBrief
	Title       string    `json:"title" doc:"Title of the flow"`
	Description string    `json:"description" doc:"Description of the flow"`
	SubjectURL  string    `json:"subjectUrl,omitempty" doc:"Path of the page about the run's subject; omitted if there is none"`
	Steps       []RunStep `json:"steps" doc:"Steps of the run, oldest first"`
	Result      []RunFact `json:"result" doc:"Public values of the result"`
	Events      int       `json:"events" doc:"Number of events in the run's history"`
	Cut         bool      `json:"cut" doc:"True if only the first steps are listed"`
	ConsoleURL  string    `json:"consoleUrl,omitempty" doc:"URL of the whole history in the Temporal console; only for founders"`
}

// RunStep is a step of a run.
type RunStep struct {
	At      time.Time  `json:"at" doc:"Time at which the step started"`
	EndedAt *time.Time `json:"endedAt,omitempty" doc:"Time at which the step ended; omitted if it took no time or has not ended"`
	Stage   string     `json:"stage" enum:"notice,plan,guard,act,check,record" doc:"Part of the step in the flow"`
	Title   string     `json:"title" doc:"Title of the step"`
	State   string     `json:"state" doc:"State of the step" enum:"running,done,failed,cancelled,terminated,timed_out,continued"`
	Attempt int        `json:"attempt,omitempty" doc:"Number of attempts; omitted if they are not counted"`
	Facts   []RunFact  `json:"facts" doc:"Public values of the step"`
	Failure string     `json:"failure,omitempty" doc:"Why the step failed"`
}

// RunFact is a public value of a run.
type RunFact struct {
	Name  string `json:"name" doc:"Name of the value"`
	Value string `json:"value" doc:"The value"`
}

// RunList is a list of runs, newest first.
type RunList struct {
	Runs []RunBrief `json:"runs" doc:"Runs, newest first"`
}

type (
	listRunsRequest struct {
		Flow  string `query:"flow" maxLength:"40" doc:"Return only this flow, for example post, chaos or verification. Default: every public flow"`
		Limit int    `query:"limit" doc:"Maximum number of runs to return" minimum:"1" maximum:"100" default:"20"`
	}
	getRunRequest struct {
		ID  string `path:"id" doc:"Temporal workflow ID" maxLength:"200"`
		Run string `query:"run" maxLength:"60" doc:"Temporal run ID. Default: the newest run of the workflow"`
	}
	runTimelineReply struct {
		CacheControl string `header:"Cache-Control"`
		Body         RunTimeline
	}
)

// ListRuns lists the newest runs of one flow or of every public one.
func (a *API) ListRuns(ctx context.Context, req *listRunsRequest) (RunList, error) {
	if err := a.Limits.ConsumeAll(ctx, httpapi.CallerOf(ctx).Asker(a.Marks).By(account.RunsPerNetwork), a.Now()); err != nil {
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
