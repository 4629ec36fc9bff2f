package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Done says that something was done.
type Done struct {
	Success bool   `json:"success" doc:"Always true" enum:"true"`
	Message string `json:"message,omitempty" doc:"Confirmation to show to the user"`
}

// Body is a request that is a JSON body.
type Body[T any] struct{ Body T }

// ByID is a request that names a row in its path.
type ByID struct {
	ID string `path:"id" doc:"ID of the resource" maxLength:"40"`
}

// ChangeByID is a request that changes the row its path names.
type ChangeByID[T any] struct {
	ByID
	Body T
}

// SessionReply opens or closes a session.
type SessionReply struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
	Body      Done
}

// FileReply is a file that is named by its content.
type FileReply struct {
	Status       int
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"` // empty: by the table of routes
	ETag         string `header:"ETag"`
	Body         []byte
}

// Pagination says where in a list a page lies.
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

// Of is the page that this query asks for, of a list of so many.
func (q PageQuery) Of(total int) Pagination {
	return Pagination{Total: total, Limit: q.Limit, Offset: q.Offset, HasMore: q.Offset+q.Limit < total}
}

// RunRef names the workflow run that made a fact true.
type RunRef struct {
	WorkflowID string `json:"workflowId" doc:"Temporal workflow ID; empty if there is no run"`
	RunID      string `json:"runId" doc:"Temporal run ID; empty until the run has started"`
	RunURL     string `json:"runUrl" doc:"Path of the run's public timeline"`
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

// ShortAgo says how long ago something was, where there is little room.
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

// Count says how many there are of something.
func Count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

// PicturePath is where the picture of a sha256 is; empty for none.
func PicturePath(key string) string {
	if key == "" {
		return ""
	}
	return "/api/verification/pictures/" + key + ".png"
}

// Poll reads a row until it is settled, or for so long; then it gives what it read last.
func Poll[T any](ctx context.Context, patience time.Duration, read func() (row T, settled bool, err error)) (row T, settled bool, err error) {
	const every = 50 * time.Millisecond
	enough := time.After(patience)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if row, settled, err = read(); settled || err != nil {
			return row, settled, err
		}
		select {
		case <-tick.C:
		case <-enough:
			return row, false, nil
		case <-ctx.Done():
			return row, false, ctx.Err()
		}
	}
}

// Map shows every item of a list. No items are an empty list, not null.
func Map[From, To any](items []From, show func(From) To) []To {
	shown := make([]To, len(items))
	for i, item := range items {
		shown[i] = show(item)
	}
	return shown
}
