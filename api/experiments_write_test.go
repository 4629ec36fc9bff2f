package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api/experiments"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

func TestWhoseIdeasWaitForAFounder(t *testing.T) {
	t.Parallel()
	const (
		public  = "Experiment submitted successfully! The community can now vote on it."
		waiting = "Experiment submitted successfully! A founder looks at it first; then the community can vote on it."
	)
	for review, want := range map[experiment.Review]map[string]string{
		experiment.ReviewAll:      {"visitor": waiting, "frozen": waiting, "member": waiting, "founder": public, "key": public},
		experiment.ReviewVisitors: {"visitor": waiting, "frozen": waiting, "member": public, "founder": public, "key": public},
		experiment.ReviewNone:     {"visitor": public, "frozen": public, "member": public, "founder": public, "key": public},
		"":                        {"visitor": waiting, "frozen": waiting, "member": waiting, "founder": public, "key": public},
	} {
		t.Run("review "+string(review), func(t *testing.T) {
			w := newWorld(t)
			w.server.Review = review
			p, _ := w.everybody(t)
			sessions := map[string]string{"frozen": p.frozen, "member": p.member, "founder": p.founder}
			for who, message := range want {
				c := call{method: "POST", path: "/api/experiments/submit", body: titled("The idea of a " + who), key: "none", host: "localhost"}
				if who == "key" {
					c.key = ""
				}
				if session := sessions[who]; session != "" {
					c = w.as(session, c.method, c.path, c.body)
				}
				got := read[experiments.SubmittedExperiment](t, w.do(t, c), http.StatusCreated)
				require.Equal(t, message, got.Message, who)
				require.Equal(t, message == waiting, got.Waiting)
				e := got.Experiment
				require.Equal(t, []any{message == public, "medium", 0, 1}, []any{e.Status == "planning", e.Difficulty, e.Progress, e.Version}, who)
				status := w.browser().get(t, "/api/experiments/"+e.ID).Code
				require.Equal(t, message == public, status == ok, "%s: %d", who, status)
			}
		})
	}
}

func TestAnIdeaNamesItsMember(t *testing.T) {
	w := newWorld(t)
	w.server.Review = experiment.ReviewVisitors
	p, _ := w.everybody(t)
	hers := w.idea(t, w.browserWith(p.member), anIdea)
	require.Equal(t, []string{"002", "002-reply-to-every-mention", "member", "ada"}, []string{hers.ID, hers.Slug, hers.Origin, hers.Submitter})
	frozen := w.idea(t, w.browserWith(p.frozen), titled("Out in the cold"))
	require.Equal(t, []string{"visitor", ""}, []string{frozen.Origin, frozen.Submitter})
}

// What is written is kept as text, to the last sign.
// Proves: F21, V1.2.4, LLM10
func TestMarkupIsText(t *testing.T) {
	w := newWorld(t)
	const markup = `<script>alert(1)</script><img src=x onerror="alert(2)"> ]]> {{7*7}} '; DROP TABLE experiments; --`
	idea := map[string]string{"title": markup[:90], "problem": markup, "hypothesis": markup, "impact": markup, "difficulty": "hard"}
	got := read[experiments.SubmittedExperiment](t, w.do(t, call{method: "POST", path: "/api/experiments/submit", body: asJSON(t, idea)}), 201).Experiment
	for _, e := range []experiments.Experiment{got, w.shown(t, got.Slug).Experiment, w.lab(t, "?status=planning").Experiments[0]} {
		require.Equal(t, []string{strings.TrimSpace(markup[:90]), markup, markup, markup, "hard"}, []string{e.Title, e.Problem, e.Hypothesis, e.Impact, e.Difficulty})
	}
	require.Regexp(t, `^[a-z0-9-]+$`, got.Slug)
}

func TestBadIdeasAreRefusedAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	w.refusesAll(t, w.browser().send, map[string]bad{
		"a blank title":       {"POST", "/api/experiments/submit", titled("        "), problem.Invalid},
		"a title of 1 MB":     {"POST", "/api/experiments/submit", titled(strings.Repeat("x", 1<<20)), problem.TooLarge},
		"a title that exists": {"POST", "/api/experiments/submit", titled("PUBLIC  experiments page"), problem.ExperimentDupe},
		"a problem with BEL":  {"POST", "/api/experiments/submit", strings.Replace(anIdea, "hear nothing back", `hear a \u0007`, 1), problem.Invalid},
	})
}

func TestFoundersEditWhatAnExperimentSays(t *testing.T) {
	w := newWorld(t)
	grace := w.founder(t)
	rec := grace.send(t, http.MethodPatch, "/api/experiments/001", `{"version":1,"title":"The open lab","progress":75,"techStack":["Go"],"successMetrics":[]}`)
	e := read[experiments.ExperimentDetail](t, rec, ok)
	require.Equal(t, []any{"The open lab", 75, 2, "001-public-experiments-page"}, []any{e.Title, e.Progress, e.Version, e.Slug}, "its address stays")
	require.Equal(t, [][]string{{"Go"}, {}}, [][]string{e.TechStack, e.SuccessMetrics})
	require.Len(t, e.Methodology, 5, "what is left out stays")

	before := w.rows(t)
	stale := grace.send(t, http.MethodPatch, "/api/experiments/001", `{"version":1,"title":"Another title"}`)
	refused(t, stale, problem.EditStale, "nobody overwrites what they have not read")
	require.Equal(t, before, w.rows(t))
}

func TestBadEditsAreRefusedAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	w.planned(t, "Reply to every mention")
	calls := map[string]bad{}
	for name, c := range map[string]bad{
		"a later version":       {"PATCH", "001", `{"version":2,"title":"The open lab"}`, problem.EditStale},
		"a blank title":         {"PATCH", "001", `{"version":1,"title":"          "}`, problem.Invalid},
		"somebody else's title": {"PATCH", "001", `{"version":1,"title":"REPLY to every mention"}`, problem.ExperimentDupe},
		"of nobody":             {"PATCH", "nobody", `{"version":1}`, problem.NotFound},

		"back":             {"POST", "001/move", `{"version":1,"to":"planning"}`, problem.MoveRefused},
		"where it is":      {"POST", "001/move", `{"version":1,"to":"active"}`, problem.MoveRefused},
		"too far":          {"POST", "001/move", `{"version":1,"to":"shipped"}`, problem.MoveRefused},
		"without a reason": {"POST", "001/move", `{"version":1,"to":"declined","reason":"  "}`, problem.Invalid},
		"a stale move":     {"POST", "001/move", `{"version":7,"to":"testing"}`, problem.EditStale},
		"nobody's move":    {"POST", "nobody/move", `{"version":1,"to":"testing"}`, problem.NotFound},

		"a promise too late":  {"PUT", "001/metric", promise("7", "2026-12-01T00:00:00Z"), problem.MetricLocked},
		"taken back too late": {"DELETE", "001/metric?version=1", "", problem.MetricLocked},
		"no number":           {"PUT", "002/metric", promise("NaN", "2026-12-01T00:00:00Z"), problem.Invalid},
		"an infinite one":     {"PUT", "002/metric", promise("1e999", "2026-12-01T00:00:00Z"), problem.Invalid},

		"a note of no day":      {"PUT", "001/notes/yesterday", `{"version":0,"content":"hi"}`, problem.Invalid},
		"over a note unread":    {"PUT", "001/notes/2026-11-20", `{"version":0,"content":"hi"}`, problem.EditStale},
		"over one that is gone": {"PUT", "001/notes/2026-11-19", `{"version":1,"content":"hi"}`, problem.EditStale},
		"delete a stale one":    {"DELETE", "001/notes/2026-11-20?version=2", "", problem.EditStale},
		"delete no day":         {"DELETE", "001/notes/%00?version=1", "", problem.NotFound},
		"a note of nobody":      {"PUT", "nobody/notes/2026-11-19", `{"version":0,"content":"hi"}`, problem.NotFound},
		"delete of nobody":      {"DELETE", "nobody/notes/2026-11-19?version=1", "", problem.NotFound},
	} {
		calls[name] = bad{c.method, "/api/experiments/" + c.path, c.body, c.code}
	}
	w.refusesAll(t, w.send, calls)
}

func TestARunIsToldOfEveryMoveThatConcernsIt(t *testing.T) {
	w := newWorld(t)
	idea := w.idea(t, w.browser(), anIdea)
	heed := "heed experiment " + idea.ID
	key := idea.ID
	for _, tt := range []struct {
		to   string
		told []string
	}{{"planning", nil}, {"active", []string{heed}}, {"testing", []string{heed}}, {"active", []string{heed}}, {"completed", []string{heed}}, {"shipped", nil}} {
		w.runs.orders = nil
		e := w.moved(t, key, tt.to)
		require.Equal(t, tt.to, e.Status)
		require.Equal(t, tt.told, w.runs.told(), tt.to)
		key = e.Slug
	}
	e := w.detail(t, key)
	require.Equal(t, []any{"002", "002-reply-to-every-mention", 100}, []any{e.ID, e.Slug, e.Progress})
	require.NotNil(t, e.EndedAt)

	w.runs.orders = nil
	early := w.planned(t, "Never begun")
	w.moved(t, early.Slug, "declined")
	require.Empty(t, w.runs.told(), "it has no run")
	late := w.planned(t, "Given up")
	w.moved(t, late.Slug, "active")
	w.runs.orders = nil
	w.moved(t, late.Slug, "declined")
	require.Equal(t, []string{"heed experiment " + w.rowID(t, late.Slug)}, w.runs.told())
}

func TestAMetricIsPromisedBeforeItBegins(t *testing.T) {
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	require.Equal(t, []any{"members", 2}, []any{e.Metric, e.Version})
	dropped := read[experiments.ExperimentDetail](t, w.send(t, "DELETE", "/api/experiments/002/metric?version=2", ""), ok)
	require.Empty(t, dropped.Metric)
	require.Nil(t, dropped.Measure)
}

func TestLabNotesAreWrittenByDay(t *testing.T) {
	w := newWorld(t)
	grace := w.founder(t)
	w.now = now.AddDate(0, 0, 4)
	const markdown = "We *learnt* <script>alert(1)</script>\n\n- one\n\t- two"
	write := func(version int, content string) experiments.LabNote {
		rec := grace.send(t, http.MethodPut, "/api/experiments/001/notes/2026-11-24", asJSON(t, map[string]any{"version": version, "content": content}))
		return read[experiments.LabNote](t, rec, ok)
	}
	note := write(0, markdown)
	require.WithinDuration(t, w.now, note.UpdatedAt, time.Second)
	note.UpdatedAt = time.Time{}
	require.Equal(t, experiments.LabNote{Day: 5, Date: "2026-11-24", Content: markdown, Author: "Grace", Version: 1}, note)
	require.Equal(t, 2, write(1, "Other words").Version)
	require.Equal(t, "Other words", w.shown(t, "001").LabNotes[0].Content)
	require.Equal(t, 409, grace.send(t, http.MethodPut, "/api/experiments/001/notes/2026-11-24", `{"version":1,"content":"Mine"}`).Code)

	require.Equal(t, ok, grace.send(t, http.MethodDelete, "/api/experiments/001/notes/2026-11-24?version=2", "").Code)
	require.Len(t, w.shown(t, "001").LabNotes, 3)
	require.Equal(t, []audit.Action{audit.WriteLabNote, audit.WriteLabNote, audit.DeleteLabNote}, w.noted(t))
}

// vote casts one, and reads how the votes stand.
func (b *browser) vote(t *testing.T, body string) experiments.VoteCounted {
	return read[experiments.VoteCounted](t, b.post(t, "/api/experiments/vote", body), ok)
}

func (b *browser) withdraw(t *testing.T, key string) experiments.VoteCounted {
	return read[experiments.VoteCounted](t, b.send(t, http.MethodDelete, "/api/experiments/"+key+"/vote", ""), ok)
}

// Proves: F27
func TestVotesAreCastChangedAndTakenBack(t *testing.T) {
	w := newWorld(t)
	p, _ := w.everybody(t)
	ada, eve := w.browserWith(p.member), w.browserWith(p.other)
	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 1, MyVote: 1}, ada.vote(t, `{"experimentId":"001-public-experiments-page","vote":1}`))
	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 1, MyVote: 1}, ada.vote(t, `{"experimentId":"001","vote":1}`), "twice is once")
	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 2, MyVote: 1}, eve.vote(t, `{"experimentId":"1","vote":1}`))
	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 1, Downvotes: 1, MyVote: -1}, ada.vote(t, `{"experimentId":"001","vote":-1}`))
	require.Equal(t, -1, read[experiments.ExperimentDetail](t, ada.get(t, "/api/experiments/001"), ok).MyVote)
	listed := ada.get(t, "/api/experiments")
	require.Equal(t, "no-store", listed.Header().Get("Cache-Control"), "not for the next person at this machine")
	for own, e := range map[int]experiments.Experiment{-1: read[experiments.Experiments](t, listed, ok).Experiments[0], 0: w.lab(t, "").Experiments[0]} {
		require.Equal(t, []int{1, 1, own}, []int{e.Upvotes, e.Downvotes, e.MyVote})
	}
	require.Equal(t, 2, w.count(t, "SELECT count(*) FROM experiment_votes"))

	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 1}, ada.withdraw(t, "001"))
	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 1}, ada.withdraw(t, "1"), "there is none any more, and that is harmless")
	e := w.shown(t, "001")
	require.Equal(t, []int{1, 0, 0}, []int{e.Upvotes, e.Downvotes, e.MyVote})
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM experiment_votes"))
}

// Proves: F27, S-voter
func TestAVoteIsTheSessionsAndNobodyElses(t *testing.T) {
	w := newWorld(t)
	adaAccount, adaID := w.join(t, "Ada_L")
	_, eveID := w.join(t, "eve")
	ada := w.browserWith(w.login(t, adaAccount, ""))
	before := w.rows(t)
	for _, name := range []string{"eve", "@eve", eveID, "@", "nobody", "Ada", "@@Ada_L", adaID[:19], "\x01", " "} {
		rec := ada.post(t, "/api/experiments/vote", asJSON(t, map[string]any{"experimentId": "001", "vote": 1, "memberId": name}))
		refused(t, rec, problem.Forbidden, "%q: %s", name, rec.Body)
	}
	require.Equal(t, before, w.rows(t))
	for _, name := range []string{"", "Ada_L", "ada_l", "@ADA_L", " @ada_l ", adaID} {
		ada.vote(t, asJSON(t, map[string]any{"experimentId": "001", "vote": 1, "memberId": name}))
	}
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM experiment_votes WHERE member_id = '"+adaID+"'"))
}

// A founder who is a member is called by the handle with X.
func TestAMemberIsKnownByTheirHandleToo(t *testing.T) {
	w := newWorld(t)
	accountID, _ := w.join(t, "ada")
	w.exec(t, "UPDATE accounts SET x_user_id = '9', x_handle = 'Ada_on_X', x_handle_key = 'ada_on_x' WHERE id = ?", accountID)
	ada := w.browserWith(w.login(t, accountID, ""))
	require.Equal(t, 1, ada.vote(t, `{"experimentId":"001","vote":1,"memberId":"@ada_ON_x"}`).Upvotes)
	require.Equal(t, 1, ada.vote(t, `{"experimentId":"001","vote":1,"memberId":"ada"}`).Upvotes)
}

// Proves: F29, V15.3.3
func TestBadVotesAreRefusedAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "zoe")
	waiting := w.idea(t, w.browser(), anIdea)
	hers := w.idea(t, ada, titled("Her own idea"))
	ended, shipped := w.planned(t, "It has ended"), w.planned(t, "It has shipped")
	w.moved(t, ended.Slug, "active", "completed")
	w.moved(t, shipped.Slug, "active", "completed", "shipped")
	calls := map[string]bad{"very many": {"POST", "/api/experiments/vote", `{"experimentId":"001","vote":98765432109876543210}`, problem.Invalid}}
	for id, code := range map[string]problem.Code{
		"nobody": problem.NotFound, waiting.ID: problem.NotFound, ended.Slug: problem.VotesClosed, "": problem.Invalid,
		hers.ID: problem.VotesClosed, shipped.Slug: problem.VotesClosed, `a\u0000b`: problem.Invalid, "null": problem.NotFound,
	} {
		calls["for "+id] = bad{"POST", "/api/experiments/vote", `{"experimentId":"` + id + `","vote":1}`, code}
	}
	for key, code := range map[string]problem.Code{"nobody": problem.NotFound, waiting.ID: problem.NotFound, ended.Slug: problem.VotesClosed, "%00": problem.NotFound} {
		calls["no longer for "+key] = bad{"DELETE", "/api/experiments/" + key + "/vote", "", code}
	}
	w.refusesAll(t, ada.send, calls)
}

func promise(threshold, due string) string {
	return `{"version":1,"metric":"members","threshold":` + threshold + `,"due_at":"` + due + `"}`
}
