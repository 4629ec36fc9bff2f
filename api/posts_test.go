package api_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api/httpapi"
	membersapi "customerzero/api/members"
	"customerzero/api/posts"
	scheduleapi "customerzero/api/schedule"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store/storetest"
)

func createPost(t *testing.T, w *world, body string) posts.Post {
	return read[posts.PostReply](t, w.send(t, "POST", "/api/posts", body), http.StatusCreated).Post
}

func TestMembersPostOnlyUnderTheirOwnName(t *testing.T) {
	w := newWorld(t)
	added := read[membersapi.AddedMember](t, w.send(t, "POST", "/api/members", `{"username":"@Bob","paymentAmount":9}`), 201)
	require.Equal(t, []any{"Bob", 90, 0, "granted"}, []any{added.Member.Username, added.Member.CurrentCredits, added.Member.PaymentAmount, added.Member.PaymentStatus})
	require.Equal(t, "Bob", createPost(t, w, `{"content":"hi","member":"bob"}`).Member.Username)
	list := read[membersapi.Members](t, w.send(t, "GET", "/api/members", ""), 200)
	require.Equal(t, []any{89, 1}, []any{list.Members[0].CurrentCredits, list.Members[0].SlotsHeld})
	refused(t, w.send(t, "POST", "/api/members", `{"username":"BOB","paymentAmount":9}`), problem.MemberExists)

	ada := w.newMember(t, "ada")
	calls := map[string]bad{}
	for path, body := range map[string]string{"/api/posts": `{"content":"no"`, "/api/recurring-posts": `{"texts":["no. {number}"],` + mondays, "/api/recurring-posts/preview": `{"texts":["no. {number}"],` + mondays} {
		calls[path] = bad{"POST", path, body + `,"member":"bob"}`, problem.Forbidden}
	}
	w.refusesAll(t, ada.send, calls)
	require.Equal(t, "ada", ada.write(t, `{"content":"ho","member":"Ada"}`).Member.Username)
}

func TestAPostChangesThroughItsWorkflow(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi","scheduledAt":"2026-12-01T09:00","timezone":"Europe/Berlin"}`)
	require.Equal(t, []any{post.StatusScheduled, time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)}, []any{p.Status, p.ScheduledAt})
	require.Equal(t, []any{&posts.Slot{Month: "2026-12", Number: 1}, "post:" + p.ID}, []any{p.Slot, p.WorkflowID})
	require.Equal(t, 200, w.send(t, "PATCH", "/api/posts/"+p.ID, `{"content":"ho","version":1}`).Code)
	require.Equal(t, 200, w.send(t, "PATCH", "/api/posts/"+p.ID, `{"scheduledAt":"2026-12-02T09:00:00Z"}`).Code)
	w.runs.err = problem.New(problem.PostArmed, "This post is being sent.")
	refused(t, w.send(t, "DELETE", "/api/posts/"+p.ID, ""), problem.PostArmed, "the workflow's refusal is returned")
	require.Equal(t, []string{
		"start " + p.ID, "edit " + p.ID + " ho", "reschedule " + p.ID + " 2026-12-02T09:00:00Z", "cancel " + p.ID,
	}, w.runs.commands)
	refused(t, w.send(t, "POST", "/api/posts/"+p.ID+"/retry", ""), problem.PostClosed, "only failed posts can be retried")
}

func TestDrafts(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"an idea","draft":true}`)
	require.Equal(t, post.StatusDraft, p.Status)
	require.Nil(t, p.Slot)
	require.Empty(t, w.runs.commands)

	done := read[posts.PostReply](t, w.do(t, call{
		method: "PATCH", path: "/api/posts/" + p.ID,
		body: `{"content":"a better idea","draft":false,"scheduledAt":"2026-12-01T09:00:00Z"}`,
	}), 200)
	require.Equal(t, []any{post.StatusScheduled, "a better idea"}, []any{done.Post.Status, done.Post.Content})
	require.NotNil(t, done.Post.Slot)
	require.Equal(t, []string{"start " + p.ID}, w.runs.commands)
}

func TestTweetWaitsForItsOutcome(t *testing.T) {
	w := newWorld(t)
	waiting := read[posts.TweetReply](t, w.send(t, "POST", "/tweet", `{"content":"still on its way"}`), 202)
	require.False(t, waiting.Success)
	require.NotEmpty(t, waiting.Error)
	require.NotEmpty(t, waiting.Post.RunURL)
	w.runs.publish = w.db
	out := read[posts.TweetReply](t, w.send(t, "POST", "/tweet", `{"content":"published"}`), 200)
	require.Equal(t, []any{true, "https://x.com/bot/status/" + out.Post.ID}, []any{out.Success, out.Post.TwitterURL})
	before := w.rows(t)
	again := refused(t, w.send(t, "POST", "/tweet", `{"content":"published "}`), problem.TextDuplicate)
	require.Equal(t, "This text was published on Nov 20, 2026 (UTC), and X rejects duplicates. Change the text and try again.", again.Message)
	require.Equal(t, before, w.rows(t), "no post, no email, no failure that counts")
	w.runs.refuse = true
	require.Equal(t, "X refuses this post.", refused(t, w.send(t, "POST", "/tweet", `{"content":"refused by X"}`), problem.PostFailed).Message)
}

func TestImportReportsEachLine(t *testing.T) {
	w := newWorld(t)
	file := must(os.ReadFile("../examples/posts.csv"))(t)
	ask := func(query, kind, file string) *httptest.ResponseRecorder {
		return w.do(t, call{method: "POST", path: "/api/posts/import" + query, body: file, contentType: kind})
	}
	send := func(query string, imported, refused, duplicates int) []posts.ImportLine {
		reply := read[posts.ImportReply](t, ask(query, "text/csv", string(file)), 200)
		require.Equal(t, []int{imported, refused, duplicates}, []int{reply.Imported, reply.Refused, reply.Duplicates})
		return reply.Lines
	}
	refused(t, ask("", "application/json", "text\nhi\n"), problem.UnsupportedMedia)
	require.Contains(t, refused(t, ask("", "text/csv", "text\ngood\nsay \"hi\"\n"), problem.CSVInvalid).Message, "Line 3, column 5")
	before := w.rows(t)
	send("?dryRun=true", 37, 1, 2)
	require.Equal(t, before, w.rows(t))
	lines := send("", 37, 1, 2)
	require.Len(t, lines, 40)
	for _, line := range lines {
		if line.Outcome == "refused" {
			require.Equal(t, problem.TextTooLong, line.Code)
			require.Contains(t, strings.Split(string(file), "\n")[line.Line-1], "two hundred and eighty-one", "the line number is the file's")
		}
	}
	require.Equal(t, 37, must(w.db.Posts.MonthUsage(t.Context(), "2026-11"))(t).Reserved)
	send("?dryRun=true", 0, 1, 39)
	send("", 0, 1, 39) // a second import creates no duplicates
}

func TestFiguresAreLive(t *testing.T) {
	w := newWorld(t)
	w.runs.publish = w.db
	createPost(t, w, `{"content":"one"}`)
	w.runs.publish = nil
	createPost(t, w, `{"content":"two"}`)

	stats := read[posts.Stats](t, w.send(t, "GET", "/api/stats", ""), 200)
	require.Equal(t, []any{posts.PostStats{Spent: 1, Reserved: 1, Limit: 500}, posts.ReadStats{Limit: 100}}, []any{stats.Posts, stats.Reads})
	require.InDelta(t, 100, *stats.Success.Rate, 0)

	status := read[posts.BotStatus](t, w.send(t, "GET", "/api/bot-status", ""), 200)
	require.Equal(t, []any{"active", 498}, []any{status.Status, status.RemainingPosts})

	page := read[posts.BotPosts](t, w.send(t, "GET", "/api/bot-posts?limit=1", ""), 200)
	require.Equal(t, []any{httpapi.Pagination{Total: 1, Limit: 1}, "just now"}, []any{page.Pagination, page.Posts[0].TimeAgo})
	require.Contains(t, page.Posts[0].RunURL, "/runs/post:")
	require.NotContains(t, w.send(t, "GET", "/api/bot-posts", "").Body.String(), "engagement", "X was not read yet")
	reading := post.Reading{PostID: page.Posts[0].ID, Checkpoint: post.CheckpointHour}
	require.NoError(t, w.db.Posts.SaveMetrics(t.Context(), reading, &post.Metrics{}, now))
	page = read[posts.BotPosts](t, w.send(t, "GET", "/api/bot-posts", ""), 200)
	require.Equal(t, []any{new(0), &posts.Engagement{MeasuredAt: now}}, []any{page.Posts[0].EngagementScore, page.Posts[0].Engagement}, "a measured 0 is 0")
}

// Proves: F12
func TestBotIsLimitedWhenXRefusesTheAccount(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi"}`)
	must(w.db.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, w.db), now))(t)
	must(w.db.Posts.ConcludePost(t.Context(), p.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_no_credits"}, now))(t)
	status := read[posts.BotStatus](t, w.send(t, "GET", "/api/bot-status", ""), 200)
	require.Equal(t, "limited", status.Status)
	require.Contains(t, status.Reason, "out of credits")
}

func TestCancelAPostAfterItsThirtyDays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		leave  func(t *testing.T, w *world, id string)
		code   int
		status post.Status
		held   int
	}{
		"failed: cancelled without a workflow": {func(t *testing.T, w *world, id string) {
			must(w.db.Posts.ConcludePost(t.Context(), id, post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_refused"}, now))(t)
		}, 200, post.StatusCancelled, 0},
		"unknown: it may be public, so it stays": {func(t *testing.T, w *world, id string) {
			must(w.db.Posts.DoubtPost(t.Context(), id, 1, "x_unreadable", "The outcome is unknown."))(t)
		}, 409, post.StatusUnknown, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := createPost(t, w, `{"content":"hi"}`)
			must(w.db.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, w.db), now))(t)
			tt.leave(t, w, p.ID)
			must(w.db.Posts.ClosePost(t.Context(), p.ID))(t)
			rec := w.send(t, "DELETE", "/api/posts/"+p.ID, "")
			require.Equal(t, tt.code, rec.Code, rec.Body.String())
			after := must(w.db.Posts.Post(t.Context(), p.ID))(t)
			require.Equal(t, tt.status, after.Status)
			usage := must(w.db.Posts.MonthUsage(t.Context(), "2026-11"))(t)
			require.Equal(t, tt.held, usage.Reserved)
			require.Equal(t, []string{"start " + p.ID}, w.runs.commands, "its workflow has ended")
			if tt.code == 409 {
				require.Contains(t, refused(t, rec, problem.PostClosed).Message, "it is unknown whether")
			}
		})
	}
}

func (w *world) controls(t *testing.T, body string) scheduleapi.PostingControls {
	return read[scheduleapi.PostingControls](t, w.send(t, "PUT", "/api/posting-controls", body), 200)
}

// noted returns the actions of the audit log, oldest first.
func (w *world) noted(t *testing.T) (actions []audit.Action) {
	entries, _, err := w.db.AuditLog.AuditEntries(t.Context(), 100, 0)
	require.NoError(t, err)
	for _, e := range entries {
		actions = append([]audit.Action{e.Action}, actions...)
	}
	return actions
}

func TestPauseIsShownAndResumeWakesDuePosts(t *testing.T) {
	w := newWorld(t)
	due := createPost(t, w, `{"content":"due"}`)
	createPost(t, w, `{"content":"later","scheduledAt":"2026-12-01T09:00:00Z"}`)
	for range 2 { // repeating it is harmless
		paused := w.controls(t, `{"paused":true,"reason":"a storm"}`)
		require.True(t, paused.Paused)
		require.Equal(t, []any{"the admin key", "a storm", 1}, []any{paused.PausedBy, paused.PauseReason, paused.Overdue})
		require.WithinDuration(t, now, *paused.PausedAt, 0)
	}
	status := read[posts.BotStatus](t, w.visits(t, "/api/bot-status"), 200)
	require.Equal(t, []any{true, "limited", "The bot is paused: a storm."}, []any{status.Paused, status.Status, status.Reason})

	held := must(w.db.Posts.ArmPost(t.Context(), due.ID, 1, w.runs.connection, now))(t)
	require.Equal(t, post.CodePaused, held.Code)
	w.runs.commands = nil
	for range 2 {
		require.Equal(t, scheduleapi.PostingControls{Overdue: 1}, w.controls(t, `{"paused":false}`))
	}
	require.Equal(t, []string{"wake " + due.ID}, w.runs.commands, "due posts are woken once")
	require.Equal(t, []audit.Action{audit.PauseBot, audit.ResumeBot}, w.noted(t))
}
