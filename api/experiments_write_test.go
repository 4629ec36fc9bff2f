package api_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api/experiments"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
)

func TestWhichSubmissionsWaitForAFounder(t *testing.T) {
	t.Parallel()
	const (
		public = "Experiment submitted successfully! The community can now vote on it."
		review = "Experiment submitted successfully! A founder reviews it first; then the community can vote on it."
	)
	for setting, waits := range map[experiment.Review]map[string]bool{
		experiment.ReviewAll:      {"visitor": true, "frozen": true, "member": true, "founder": false, "key": false},
		experiment.ReviewVisitors: {"visitor": true, "frozen": true, "member": false, "founder": false, "key": false},
	} {
		t.Run("review "+string(setting), func(t *testing.T) {
			w := newWorld(t)
			w.server.Review = setting
			p, _ := w.loginAll(t)
			senders := map[string]sending{
				"visitor": w.browser().send, "frozen": w.browserWith(p.frozen).send, "member": w.browserWith(p.member).send,
				"founder": w.browserWith(p.founder).send, "key": w.send,
			}
			for who, waiting := range waits {
				got := read[experiments.SubmittedExperiment](t, senders[who](t, "POST", "/api/experiments/submit", titled("The idea of a "+who)), http.StatusCreated)
				require.Equal(t, map[bool]string{true: review, false: public}[waiting], got.Message, who)
				e := got.Experiment
				require.Equal(t, []any{waiting, !waiting, "medium", 0, 1}, []any{got.Waiting, e.Status == "planning", e.Difficulty, e.Progress, e.Version}, who)
				origin, submitter := map[string]string{"frozen": "visitor", "key": "founder"}[who], map[string]string{"member": "ada"}[who]
				require.Equal(t, []string{cmp.Or(origin, who), submitter}, []string{e.Origin, e.Submitter})
				require.Equal(t, !waiting, w.browser().get(t, "/api/experiments/"+e.ID).Code == ok, who)
			}
		})
	}
}

// Markup is stored as text.
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

func TestInvalidEditsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.planned(t, "Reply to every mention")
	calls := map[string]bad{
		"a title that exists":   {"POST", "submit", titled("PUBLIC  experiments page"), problem.ExperimentDupe},
		"a title of 1 MB":       {"POST", "submit", titled(strings.Repeat("x", 1<<20)), problem.TooLarge},
		"a later version":       {"PATCH", "001", `{"version":2,"title":"The open lab"}`, problem.EditStale},
		"a blank title":         {"PATCH", "001", `{"version":1,"title":"          "}`, problem.Invalid},
		"back":                  {"POST", "001/move", `{"version":1,"to":"planning"}`, problem.MoveRefused},
		"a stale move":          {"POST", "001/move", `{"version":7,"to":"testing"}`, problem.EditStale},
		"a promise too late":    {"PUT", "001/metric", promise("7", "2026-12-01T00:00:00Z"), problem.MetricLocked},
		"an infinite promise":   {"PUT", "002/metric", promise("1e999", "2026-12-01T00:00:00Z"), problem.Invalid},
		"of another version":    {"DELETE", "002/metric?version=2", "", problem.EditStale},
		"a note of no day":      {"PUT", "001/notes/yesterday", `{"version":0,"content":"hi"}`, problem.Invalid},
		"over a note unread":    {"PUT", "001/notes/2026-11-20", `{"version":0,"content":"hi"}`, problem.EditStale},
		"delete a stale one":    {"DELETE", "001/notes/2026-11-20?version=2", "", problem.EditStale},
		"delete no day":         {"DELETE", "001/notes/%00?version=1", "", problem.NotFound},
		"an unknown experiment": {"PUT", "nobody/notes/2026-11-19", `{"version":0,"content":"hi"}`, problem.NotFound},
	}
	for name, c := range calls {
		c.path = "/api/experiments/" + c.path
		calls[name] = c
	}
	w.refusesAll(t, w.send, calls)
	grace := w.founder(t)
	edit := `{"version":1,"title":"The open lab","progress":75,"techStack":["Go"],"successMetrics":[]}`
	e := read[experiments.ExperimentDetail](t, grace.send(t, http.MethodPatch, "/api/experiments/001", edit), ok)
	require.Equal(t, []any{"The open lab", 75, 2, "001-public-experiments-page"}, []any{e.Title, e.Progress, e.Version, e.Slug}, "the slug stays")
	require.Equal(t, []any{[]string{"Go"}, []string{}, 5}, []any{e.TechStack, e.SuccessMetrics, len(e.Methodology)}, "absent fields stay")
	refused(t, grace.send(t, http.MethodPatch, "/api/experiments/001", edit), problem.EditStale, "the version is stale")
}

func TestMovesNotifyTheWorkflow(t *testing.T) {
	w := newWorld(t)
	idea := w.idea(t, w.browser(), anIdea)
	notified := func(key, to string, commands ...string) experiments.ExperimentDetail {
		w.runs.commands = nil
		e := w.moved(t, key, to)
		require.Equal(t, []any{to, commands}, []any{e.Status, w.runs.sent()})
		return e
	}
	handle := "handle experiment " + idea.ID
	key := notified(idea.ID, "planning").Slug
	notified(key, "active", handle)
	notified(key, "completed", handle)
	e := notified(key, "shipped")
	require.Equal(t, []any{"002", "002-reply-to-every-mention", 100}, []any{e.ID, e.Slug, e.Progress})
	require.NotNil(t, e.EndedAt)
	notified(w.planned(t, "Never begun").Slug, "declined")
	late := w.planned(t, "Given up").Slug
	notified(late, "active", "handle experiment "+w.rowID(t, late))
	notified(late, "declined", "handle experiment "+w.rowID(t, late))
}

func TestLabNotesAreStoredByDay(t *testing.T) {
	w := newWorld(t)
	w.now = now.AddDate(0, 0, 4)
	const markdown, path = "We *learnt* <script>alert(1)</script>\n\n- one\n\t- two", "/api/experiments/001/notes/2026-11-24"
	body := asJSON(t, map[string]any{"version": 0, "content": markdown})
	note := read[experiments.LabNote](t, w.founder(t).send(t, http.MethodPut, path, body), ok)
	require.Equal(t, experiments.LabNote{Day: 5, Date: "2026-11-24", Content: markdown, Author: "Grace", Version: 1, UpdatedAt: w.now}, note)
	require.Equal(t, note, w.shown(t, "001").LabNotes[0])
	require.Equal(t, ok, w.send(t, http.MethodDelete, path+"?version=1", "").Code)
	require.Len(t, w.shown(t, "001").LabNotes, 1, "the example")
}

// vote casts a vote and returns the counts.
func (b *browser) vote(t *testing.T, body string) experiments.VoteCounted {
	return read[experiments.VoteCounted](t, b.post(t, "/api/experiments/vote", body), ok)
}

// Proves: F27
func TestVotesAreCastChangedAndTakenBack(t *testing.T) {
	w := newWorld(t)
	ada, eve := w.newMember(t, "ada"), w.newMember(t, "eve")
	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 1, MyVote: 1}, ada.vote(t, `{"experimentId":"001-public-experiments-page","vote":1}`))
	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 2, MyVote: 1}, eve.vote(t, `{"experimentId":"1","vote":1}`))
	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 1, Downvotes: 1, MyVote: -1}, ada.vote(t, `{"experimentId":"001","vote":-1}`))
	require.Equal(t, -1, read[experiments.ExperimentDetail](t, ada.get(t, "/api/experiments/001"), ok).MyVote)
	listed := ada.get(t, "/api/experiments")
	require.Equal(t, "no-store", listed.Header().Get("Cache-Control"), "it contains the caller's votes")
	for own, e := range map[int]experiments.Experiment{-1: read[experiments.Experiments](t, listed, ok).Experiments[0], 0: w.lab(t, "").Experiments[0]} {
		require.Equal(t, []int{1, 1, own}, []int{e.Upvotes, e.Downvotes, e.MyVote})
	}
	for _, key := range []string{"001", "1"} { // withdrawing twice is harmless
		taken := ada.send(t, http.MethodDelete, "/api/experiments/"+key+"/vote", "")
		require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 1}, read[experiments.VoteCounted](t, taken, ok))
	}
}

func TestFoundersVote(t *testing.T) {
	w := newWorld(t)
	grace := w.founder(t)
	require.Equal(t, experiments.VoteCounted{Success: true, Upvotes: 1, MyVote: 1}, grace.vote(t, `{"experimentId":"001","vote":1,"memberId":"grace"}`))
	listed := read[experiments.Experiments](t, grace.get(t, "/api/experiments"), ok)
	require.Equal(t, []int{1, 1}, []int{listed.Experiments[0].Upvotes, listed.Experiments[0].MyVote})
	taken := grace.send(t, http.MethodDelete, "/api/experiments/001/vote", "")
	require.Equal(t, experiments.VoteCounted{Success: true}, read[experiments.VoteCounted](t, taken, ok))
}

// Proves: F27, S-voter
func TestAVoteIsTheSessionsAndNobodyElses(t *testing.T) {
	w := newWorld(t)
	adaAccount, adaID := w.join(t, "Ada_L")
	_, eveID := w.join(t, "eve")
	w.exec(t, "UPDATE accounts SET x_user_id = '9', x_handle = 'Ada_on_X', x_handle_key = 'ada_on_x' WHERE id = ?", adaAccount)
	ada, before := w.browserWith(w.login(t, adaAccount, "")), w.rows(t)
	for _, name := range []string{"@eve", eveID, "@", "nobody", "Ada", "@@Ada_L", adaID[:19], " "} {
		rec := ada.post(t, "/api/experiments/vote", asJSON(t, map[string]any{"experimentId": "001", "vote": 1, "memberId": name}))
		refused(t, rec, problem.Forbidden, "%q: %s", name, rec.Body)
	}
	require.Equal(t, before, w.rows(t))
	for _, name := range []string{"", "ada_l", " @ADA_L ", adaID, "@ada_ON_x"} { // the X handle, too
		ada.vote(t, asJSON(t, map[string]any{"experimentId": "001", "vote": 1, "memberId": name}))
	}
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM experiment_votes WHERE member_id = '"+adaID+"'"))
}

// Proves: F29, V15.3.3
func TestBadVotesAreRefusedAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "zoe")
	waiting, hers := w.idea(t, w.browser(), anIdea), w.idea(t, ada, titled("Her own idea"))
	ended := w.promised(t, "It was given up")
	given := w.moved(t, ended.Slug, "active", "declined")
	require.Equal(t, []any{"abandoned", "abandoned", (*float64)(nil)}, []any{given.Verdict, given.Measure.WouldBe, given.Measure.Value})
	calls := map[string]bad{"very many": {"POST", "/api/experiments/vote", `{"experimentId":"001","vote":98765432109876543210}`, problem.Invalid}}
	for key, code := range map[string]problem.Code{"nobody": problem.NotFound, waiting.ID: problem.NotFound, ended.Slug: problem.VotesClosed, hers.ID: problem.VotesClosed} {
		calls["for "+key] = bad{"POST", "/api/experiments/vote", `{"experimentId":"` + key + `","vote":1}`, code}
		calls["no longer for "+key] = bad{"DELETE", "/api/experiments/" + key + "/vote", "", code}
	}
	w.refusesAll(t, ada.send, calls)
}

func promise(threshold, due string) string {
	return `{"version":1,"metric":"members","threshold":` + threshold + `,"due_at":"` + due + `"}`
}
