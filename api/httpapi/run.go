package httpapi

import "net/url"

// RunRef names the workflow run that made a fact true.
type RunRef struct {
	WorkflowID string `json:"workflowId"`
	RunID      string `json:"runId" doc:"Empty until the run has begun"`
	RunURL     string `json:"runUrl" doc:"Path of its public timeline"`
}

// RunPath is the page of a run here, or of the newest of its workflow.
func RunPath(workflowID, runID string) string {
	path := "/runs/" + url.PathEscape(workflowID)
	if runID != "" {
		path += "?run=" + url.QueryEscape(runID)
	}
	return path
}

// RunOf names a run, and links to its page. What no run carries has no link.
func RunOf(workflowID, runID string) RunRef {
	if workflowID == "" {
		return RunRef{}
	}
	return RunRef{WorkflowID: workflowID, RunID: runID, RunURL: RunPath(workflowID, runID)}
}
