package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Done confirms that an operation succeeded.
type Done struct {
	Success bool   `json:"success" doc:"Always true" enum:"true"`
	Message string `json:"message,omitempty" doc:"Confirmation to show to the user"`
}

// Body is a request that is a JSON body.
type Body[T any] struct{ Body T }

// ByID is a request with an ID in its path.
type ByID struct {
	ID string `path:"id" doc:"ID of the resource" maxLength:"40"`
}

// ChangeByID is a request with an ID in its path and a JSON body.
type ChangeByID[T any] struct {
	ByID
	Body T
}

// Cookies returns the values of Set-Cookie headers.
func Cookies(all ...http.Cookie) []string {
	return Map(all, func(c http.Cookie) string { return c.String() })
}

// SessionReply opens or closes a session.
type SessionReply struct {
	SetCookie []string `header:"Set-Cookie"`
	Body      Done
}

// FileReply is a file with an ETag.
type FileReply struct {
	Status       int
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"` // empty means the policy of the route table
	ETag         string `header:"ETag"`
	Body         []byte
}

// Pagination is the position of a page in its list.
type Pagination struct {
	Total   int  `json:"total" doc:"Number of items in the whole list"`
	Limit   int  `json:"limit" doc:"Maximum number of items on this page"`
	Offset  int  `json:"offset" doc:"Number of items before this page"`
	HasMore bool `json:"hasMore" doc:"True if there are items after this page"`
}

// PageQuery are the parameters of every list.
type PageQuery struct {
	Limit  int `query:"limit" doc:"Maximum number of items to return" default:"20" minimum:"1" maximum:"100"`
	Offset int `query:"offset" doc:"Number of items to skip" default:"0" minimum:"0" maximum:"1000000"`
}

// Of returns the position of the requested page in a list of total items.
func (q PageQuery) Of(total int) Pagination {
	return Pagination{Total: total, Limit: q.Limit, Offset: q.Offset, HasMore: q.Offset+q.Limit < total}
}

// RunRef identifies the workflow run behind a result.
type RunRef struct {
	WorkflowID string `json:"workflowId" doc:"Temporal workflow ID; empty if there is no run"`
	RunID      string `json:"runId" doc:"Temporal run ID; empty until the run has started"`
	RunURL     string `json:"runUrl" doc:"Path of the run's public timeline"`
}

// RunPath returns the path of a run's page. An empty runID means the newest run of the workflow.
func RunPath(workflowID, runID string) string {
	path := "/runs/" + url.PathEscape(workflowID)
	if runID != "" {
		path += "?run=" + url.QueryEscape(runID)
	}
	return path
}

// RunOf returns a reference to a run, with a link to its page. It is empty if workflowID is.
func RunOf(workflowID, runID string) RunRef {
	if workflowID == "" {
		return RunRef{}
	}
	return RunRef{WorkflowID: workflowID, RunID: runID, RunURL: RunPath(workflowID, runID)}
}

// ShortAgo formats an age in short, like "5 min ago".
func ShortAgo(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d d ago", d/(24*time.Hour))
}

// Count formats a number with its noun in singular or plural.
func Count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

// PicturePath returns the path of the image with a sha256, or "" for none.
func PicturePath(key string) string {
	if key == "" {
		return ""
	}
	return "/api/verification/pictures/" + key + ".png"
}

// Poll reads a row every 50 ms until it is settled or patience has passed, and returns the last read.
func Poll[T any](ctx context.Context, patience time.Duration, read func() (row T, settled bool, err error)) (row T, settled bool, err error) {
	const every = 50 * time.Millisecond
	timeout, tick := time.After(patience), time.NewTicker(every)
	defer tick.Stop()
	for {
		if row, settled, err = read(); settled || err != nil {
			return row, settled, err
		}
		select {
		case <-tick.C:
		case <-timeout:
			return row, false, nil
		case <-ctx.Done():
			return row, false, ctx.Err()
		}
	}
}

// Map converts every item of a list. It never returns nil, so JSON shows an empty list instead of null.
func Map[From, To any](items []From, show func(From) To) []To {
	shown := make([]To, len(items))
	for i, item := range items {
		shown[i] = show(item)
	}
	return shown
}
