package api_test

import (
	"fmt"
	"net/http"
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

func TestCreatedPostHoldsASlotAndHasARun(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi","scheduledAt":"2026-12-01T09:00","timezone":"Europe/Berlin"}`)
	require.Equal(t, []any{post.StatusScheduled, time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)}, []any{p.Status, p.ScheduledAt})
	require.Equal(t, []any{&posts.Slot{Month: "2026-12", Number: 1}, "post:" + p.ID}, []any{p.Slot, p.WorkflowID})
	require.Equal(t, []string{"start " + p.ID}, w.runs.orders)
}

func TestMembersPostFromTheirShare(t *testing.T) {
	w := newWorld(t)
	added := read[membersapi.AddedMember](t, w.send(t, "POST", "/api/members", `{"username":"@Ada","paymentAmount":9}`), 201)
	require.Equal(t, []any{"Ada", 90, 900}, []any{added.Member.Username, added.Member.CurrentCredits, added.Member.PaymentAmount})

	p := createPost(t, w, `{"content":"hi","member":"ada"}`)
	require.Equal(t, "Ada", p.Member.Username)
	list := read[membersapi.Members](t, w.send(t, "GET", "/api/members", ""), 200)
	require.Equal(t, []any{89, 1}, []any{list.Members[0].CurrentCredits, list.Members[0].SlotsHeld})

	rec := w.send(t, "POST", "/api/members", `{"username":"ADA","paymentAmount":9}`)
	refused(t, rec, problem.MemberExists)
}

func TestMembersPostUnderTheirOwnNameOnly(t *testing.T) {
	w := newWorld(t)
	account, _ := w.join(t, "ada")
	w.join(t, "eve")
	ada := w.login(t, account, "")
	for path, body := range map[string]string{
		"/api/posts":          `{"content":"hi","member":"eve"}`,
		"/api/series":         `{"texts":["no. {number}"],"times":[{"weekday":1,"time":"09:00"}],"timezone":"UTC","member":"eve"}`,
		"/api/series/preview": `{"texts":["no. {number}"],"times":[{"weekday":1,"time":"09:00"}],"timezone":"UTC","member":"eve"}`,
	} {
		rec := w.do(t, w.as(ada, "POST", path, body))
		refused(t, rec, problem.Forbidden, path)
	}
	require.Equal(t, "ada", w.write(t, ada, `{"content":"hi","member":"Ada"}`).Member.Username)
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM posts"))
	require.Zero(t, w.count(t, "SELECT count(*) FROM recurring_posts"))
}

func TestChangesGoThroughTheRun(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi","scheduledAt":"2026-12-01T09:00:00Z"}`)
	for _, c := range []call{
		{method: "PATCH", path: "/api/posts/" + p.ID, body: `{"content":"ho","version":1}`},
		{method: "PATCH", path: "/api/posts/" + p.ID, body: `{"scheduledAt":"2026-12-02T09:00:00Z"}`},
		{method: "DELETE", path: "/api/posts/" + p.ID},
	} {
		require.Equal(t, 200, w.do(t, c).Code)
	}
	require.Equal(t, []string{
		"start " + p.ID, "edit " + p.ID + " ho", "reschedule " + p.ID + " 2026-12-02T09:00:00Z", "cancel " + p.ID,
	}, w.runs.orders)

	rec := w.send(t, "POST", "/api/posts/"+p.ID+"/retry", "")
	refused(t, rec, problem.PostClosed, "only what failed can be tried again")
}

func TestRefusalsOfTheRunReachThePerson(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"hi"}`)
	w.runs.err = problem.New(problem.PostArmed, "This post is being sent.")
	rec := w.send(t, "DELETE", "/api/posts/"+p.ID, "")
	refused(t, rec, problem.PostArmed)
}

func TestDrafts(t *testing.T) {
	w := newWorld(t)
	p := createPost(t, w, `{"content":"an idea","draft":true}`)
	require.Equal(t, post.StatusDraft, p.Status)
	require.Nil(t, p.Slot)
	require.Empty(t, w.runs.orders)

	done := read[posts.PostReply](t, w.do(t, call{
		method: "PATCH", path: "/api/posts/" + p.ID,
		body: `{"content":"a better idea","draft":false,"scheduledAt":"2026-12-01T09:00:00Z"}`,
	}), 200)
	require.Equal(t, []any{post.StatusScheduled, "a better idea"}, []any{done.Post.Status, done.Post.Content})
	require.NotNil(t, done.Post.Slot)
	require.Equal(t, []string{"start " + p.ID}, w.runs.orders)
}

func TestTweetWaitsForItsOutcome(t *testing.T) {
	t.Parallel()

	t.Run("published", func(t *testing.T) {
		w := newWorld(t)
		w.runs.publish = w.db
		reply := read[posts.TweetReply](t, w.send(t, "POST", "/tweet", `{"content":"hi"}`), 200)
		require.Equal(t, []any{true, "https://x.com/bot/status/" + reply.Post.ID}, []any{reply.Success, reply.Post.TwitterURL})
	})
	t.Run("still on its way", func(t *testing.T) {
		w := newWorld(t)
		reply := read[posts.TweetReply](t, w.send(t, "POST", "/tweet", `{"content":"hi"}`), 202)
		require.False(t, reply.Success)
		require.NotEmpty(t, reply.Error)
		require.NotEmpty(t, reply.Post.RunURL)
	})
	t.Run("refused by X", func(t *testing.T) {
		w := newWorld(t)
		w.runs.publish, w.runs.refuse = w.db, true
		rec := w.send(t, "POST", "/tweet", `{"content":"hi"}`)
		p := refused(t, rec, problem.PostFailed)
		require.Equal(t, "X refuses this post.", p.Message)
	})
}

func TestImportTakesGoodLinesAndNamesTheOthers(t *testing.T) {
	w := newWorld(t)
	file := must(os.ReadFile("../examples/posts.csv"))(t)
	send := func(query string) posts.ImportReply {
		return read[posts.ImportReply](t, w.do(t, call{method: "POST", path: "/api/posts/import" + query, body: string(file), contentType: "text/csv"}), 200)
	}

	dry := send("?dryRun=true")
	require.Equal(t, []int{37, 1, 2}, []int{dry.Imported, dry.Refused, dry.Duplicates})
	w.untouched(t)

	reply := send("")
	require.Equal(t, []int{37, 1, 2}, []int{reply.Imported, reply.Refused, reply.Duplicates})
	require.Len(t, reply.Lines, 40)
	for _, line := range reply.Lines {
		if line.Outcome == "refused" {
			require.Equal(t, problem.TextTooLong, line.Code)
			text := strings.Split(string(file), "\n")[line.Line-1]
			require.Contains(t, text, "two hundred and eighty-one", "the line is the file's")
		}
	}
	usage := must(w.db.Posts.MonthUsage(t.Context(), "2026-11"))(t)
	require.Equal(t, 37, usage.Reserved)

	again := send("")
	require.Equal(t, []int{0, 1, 39}, []int{again.Imported, again.Refused, again.Duplicates}, "importing again writes nothing twice")
}

// Proves: F28
func TestImportRefusesLinesWhenTheShareIsUsed(t *testing.T) {
	w := newWorld(t)
	for i := range 10 {
		read[membersapi.AddedMember](t, w.do(t, call{method: "POST", path: "/api/members", body: fmt.Sprintf(`{"username":"m%d","paymentAmount":9}`, i)}), 201)
	}
	var file strings.Builder
	file.WriteString("text,member\n")
	for i := range 50 {
		fmt.Fprintf(&file, "post number %d,m0\n", i)
	}
	reply := read[posts.ImportReply](t, w.do(t, call{method: "POST", path: "/api/posts/import", body: file.String(), contentType: "text/csv"}), 200)
	require.Equal(t, []any{post.Share(10), 5, problem.ShareExhausted}, []any{reply.Imported, reply.Refused, reply.Lines[49].Code})
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

func TestGivingUpAPostWhoseMonthToDecideIsOver(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		leave  func(t *testing.T, w *world, id string)
		code   int
		status post.Status
		held   int
	}{
		"failed: cancelled, without a run":       {refuse, 200, post.StatusCancelled, 0},
		"unknown: it may be public, so it stays": {doubt, 409, post.StatusUnknown, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := createPost(t, w, `{"content":"hi"}`)
			must(w.db.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, w.db), now))(t)
			tt.leave(t, w, p.ID)
			must(w.db.Posts.ClosePost(t.Context(), p.ID))(t)
			before := must(w.db.Posts.Post(t.Context(), p.ID))(t)

			rec := w.send(t, "DELETE", "/api/posts/"+p.ID, "")
			require.Equal(t, tt.code, rec.Code, rec.Body.String())
			after := must(w.db.Posts.Post(t.Context(), p.ID))(t)
			require.Equal(t, tt.status, after.Status)
			usage := must(w.db.Posts.MonthUsage(t.Context(), "2026-11"))(t)
			require.Equal(t, tt.held, usage.Reserved)
			require.Equal(t, []string{"start " + p.ID}, w.runs.orders, "its run has ended")
			if tt.code == 409 {
				require.Equal(t, before, after)
				refusal := refused(t, rec, problem.PostClosed)
				require.Contains(t, refusal.Message, "nobody knows whether")
			}
		})
	}
}

func refuse(t *testing.T, w *world, id string) {
	must(w.db.Posts.ConcludePost(t.Context(), id, post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_refused"}, now))(t)
}

func doubt(t *testing.T, w *world, id string) {
	must(w.db.Posts.DoubtPost(t.Context(), id, 1, "x_unreadable", "Nobody knows."))(t)
}

func (w *world) controls(t *testing.T, body string) scheduleapi.Brakes {
	return read[scheduleapi.Brakes](t, w.send(t, "PUT", "/api/brakes", body), 200)
}

// noted lists what the audit says was done, the oldest first.
func (w *world) noted(t *testing.T) (actions []audit.Action) {
	entries, _, err := w.db.AuditLog.AuditEntries(t.Context(), 100, 0)
	require.NoError(t, err)
	for _, e := range entries {
		actions = append([]audit.Action{e.Action}, actions...)
	}
	return actions
}

func TestPauseIsSaidEverywhereAndLetsGoOfWhatWaited(t *testing.T) {
	w := newWorld(t)
	due := createPost(t, w, `{"content":"due"}`)
	createPost(t, w, `{"content":"later","scheduledAt":"2026-12-01T09:00:00Z"}`)
	for range 2 { // the same again is harmless
		paused := w.controls(t, `{"paused":true,"reason":"a storm"}`)
		require.True(t, paused.Paused)
		require.Equal(t, []any{"the founders' key", "a storm", 1}, []any{paused.PausedBy, paused.PauseReason, paused.Overdue})
		require.WithinDuration(t, now, *paused.PausedAt, 0)
	}
	status := read[posts.BotStatus](t, w.visits(t, "/api/bot-status"), 200)
	require.Equal(t, []any{true, "limited", "The bot is paused: a storm."}, []any{status.Paused, status.Status, status.Reason})

	held := must(w.db.Posts.ArmPost(t.Context(), due.ID, 1, w.runs.connection, now))(t)
	require.Equal(t, post.CodePaused, held.Code)
	w.runs.orders = nil
	for range 2 {
		require.Equal(t, scheduleapi.Brakes{Overdue: 1}, w.controls(t, `{"paused":false}`))
	}
	require.Equal(t, []string{"wake " + due.ID}, w.runs.orders, "what is due is told, once")
	require.Equal(t, []audit.Action{audit.PauseBot, audit.ResumeBot}, w.noted(t))
}

func TestApprovalIsSwitchedOnAndOff(t *testing.T) {
	w := newWorld(t)
	require.True(t, w.controls(t, `{"approval":true}`).Approval)
	require.True(t, w.controls(t, `{}`).Approval, "what is absent stays")
	require.False(t, w.controls(t, `{"approval":false}`).Approval)
	require.Equal(t, []audit.Action{audit.RequireApproval, audit.DropApproval}, w.noted(t))
}
