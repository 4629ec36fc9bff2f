package api

import (
	"fmt"
	"net/url"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/workflows"
)

// runRef names the run of a post, and links to its page.
func (s *Server) runRef(p post.Post) RunRef { return s.run(workflows.PostID(p.ID), p.RunID) }

// run names a run, and links to its page. What no run carries has no link.
func (s *Server) run(workflowID, runID string) RunRef {
	if workflowID == "" {
		return RunRef{}
	}
	return RunRef{WorkflowID: workflowID, RunID: runID, RunURL: runPath(workflowID, runID)}
}

// runPath is the page of a run here, or of the newest of its workflow.
func runPath(workflowID, runID string) string {
	path := "/runs/" + url.PathEscape(workflowID)
	if runID != "" {
		path += "?run=" + url.QueryEscape(runID)
	}
	return path
}

// consoleURL is where founders see the whole history of a run.
func (s *Server) consoleURL(workflowID, runID string) string {
	return s.Site.TemporalURL + "/namespaces/" + url.PathEscape(s.Site.Namespace) + "/workflows/" +
		url.PathEscape(workflowID) + "/" + url.PathEscape(runID) + "/history"
}

// timeAgo says how long ago something was, as people say it.
func timeAgo(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / unit.size); n == 1 {
			return "1 " + unit.name + " ago"
		} else if n > 1 {
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "just now"
}

// tweetURL is where people see a post: on X, or on the sandbox's timeline.
func (s *Server) tweetURL(p post.Post) string {
	if p.TweetID == nil || !s.Site.Sandbox {
		return p.URL
	}
	return s.Site.PublicURL + sandboxPath + "/status/" + url.PathEscape(*p.TweetID)
}
