package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"customerzero/internal/domain/post"
	"customerzero/internal/store/testdb"
	"customerzero/workflows"
)

// found lists the runs that match a visibility query.
func (w *world) found(ctx context.Context, t require.TestingT, query string) []*workflow.WorkflowExecutionInfo {
	var runs []*workflow.WorkflowExecutionInfo
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: query}
	for {
		page, err := w.temporal.ListWorkflow(ctx, request)
		require.NoError(t, err)
		runs = append(runs, page.Executions...)
		if request.NextPageToken = page.NextPageToken; len(page.NextPageToken) == 0 {
			return runs
		}
	}
}

func (w *world) histories(ctx context.Context, t *testing.T) []*history.History {
	var all []*history.History
	for _, run := range w.found(ctx, t, "") {
		all = append(all, w.historyOf(ctx, t, run.Execution.WorkflowId, run.Execution.RunId))
	}
	return all
}

func (w *world) history(ctx context.Context, t *testing.T, workflowID string) *history.History {
	return w.historyOf(ctx, t, workflowID, "")
}

func (w *world) historyOf(ctx context.Context, t *testing.T, workflowID, runID string) *history.History {
	all := &history.History{}
	events := w.temporal.GetWorkflowHistory(ctx, workflowID, runID, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		all.Events = append(all.Events, event)
	}
	return all
}

// ending is one ending of a workflow. run returns the workflow's ID.
type ending struct {
	name string        // of its recorded history
	send time.Duration // POST_SEND_TIMEOUT
	run  func(t *testing.T, w *world) (workflowID string)
}

// runEndings runs endings in parallel, each on one of the databases, or on both with PROOF=1, and records their
// histories with -record.
func runEndings(t *testing.T, endings map[string]ending) {
	t.Parallel()
	for name, tt := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, kind := range testdb.Either(t) {
				t.Run(kind, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, server, kind, tt.send)
					workflowID := tt.run(t, w)
					if *record && i == 0 {
						w.save(t, tt.name, workflowID)
					}
				})
			}
		})
	}
}

// save records the latest run of a workflow for the replay test. It never replaces a recorded history, because
// runs with such a history may still be open.
func (w *world) save(t *testing.T, name, workflowID string) {
	dir := filepath.Join("..", "..", "workflows", "testdata", "histories")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	file, err := os.OpenFile(filepath.Join(dir, name+".json"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return
	}
	require.NoError(t, err)
	_, err = file.Write(w.portable(t, workflowID))
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// portable is a history as JSON without the host name.
func (w *world) portable(t *testing.T, workflowID string) []byte {
	wire, err := protojson.Marshal(w.history(t.Context(), t, workflowID))
	require.NoError(t, err)
	machine, err := os.Hostname() // part of the name of the worker's sticky queue
	require.NoError(t, err)
	wire = bytes.ReplaceAll(wire, []byte(`"`+machine+`:`), []byte(`"machine:`))
	var text bytes.Buffer
	require.NoError(t, json.Indent(&text, wire, "", " "))
	text.WriteByte('\n')
	return text.Bytes()
}

func (w *world) row(t *testing.T, id string) post.Post {
	return fetch(t, w.db.Posts.Post, id)
}

func (w *world) becomes(t *testing.T, id string, status post.Status) post.Post {
	return once(t, w.db.Posts.Post, id, func(c *assert.CollectT, p post.Post) { require.Equal(c, status, p.Status, p.Reason) })
}

func (w *world) waits(t *testing.T, id, code string) post.Post {
	return once(t, w.db.Posts.Post, id, func(c *assert.CollectT, p post.Post) { require.Equal(c, code, p.Code) })
}

// ends waits for the end of a post's run and compares its result with the row.
func (w *world) ends(t *testing.T, id string, status post.Status) post.Post {
	result := resultOf[workflows.PostResult](t, w, workflows.PostID(id))
	p := w.row(t, id)
	require.Equal(t, status, p.Status, p.Reason)
	require.Equal(t, status, result.Status)
	require.Equal(t, p.Attempt, result.Attempts)
	if p.TweetID != nil {
		require.Equal(t, *p.TweetID, result.TweetID)
	}
	return p
}

// isPublic verifies that only this text is on the timeline, the number of calls to X, and that one slot is spent.
func (w *world) isPublic(t *testing.T, text string, sends int) {
	require.EqualValues(t, sends, w.sends.Load(), "calls that reached X")
	tweets := w.x.Tweets()
	require.Len(t, tweets, 1)
	require.Equal(t, text, tweets[0].Text)
	w.holds(t, 1, 0)
}

// holds verifies the number of slots over adjacent months, because a month may end during the test.
func (w *world) holds(t *testing.T, spent, reserved int) {
	now := time.Now()
	months := []post.Month{post.MonthOf(now.Add(-time.Hour)), post.MonthOf(now), post.MonthOf(now.Add(2 * time.Hour))}
	var have post.MonthUsage
	for _, month := range slices.Compact(months) {
		usage := fetch(t, w.db.Posts.MonthUsage, month)
		have.Spent += usage.Spent
		have.Reserved += usage.Reserved
	}
	require.Equal(t, spent, have.Spent, "slots spent")
	require.Equal(t, reserved, have.Reserved, "slots reserved")
}
