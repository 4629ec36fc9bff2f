package api_test

import (
	"customerzero/api"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/problem"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
					c = w.as(t, session, c.method, c.path, c.body)
				}
				got := read[api.SubmittedExperiment](t, w.do(t, c), http.StatusCreated)
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
	hers := read[api.SubmittedExperiment](t, w.browserWith(p.member).post(t, "/api/experiments/submit", anIdea), 201).Experiment
	require.Equal(t, []string{"002", "002-reply-to-every-mention", "member", "ada"}, []string{hers.ID, hers.Slug, hers.Origin, hers.Submitter})
	frozen := read[api.SubmittedExperiment](t, w.browserWith(p.frozen).post(t, "/api/experiments/submit", titled("Out in the cold")), 201).Experiment
	require.Equal(t, []string{"visitor", ""}, []string{frozen.Origin, frozen.Submitter})
}

func TestFoundersIdeasAreInTheAudit(t *testing.T) {
	w := newWorld(t)
	w.submit(t, "", titled("A visitor's idea"))
	_, entries := w.lastAudit(t)
	require.Zero(t, entries)
	require.Equal(t, 201, w.founder(t).post(t, "/api/experiments/submit", anIdea).Code)
	last, entries := w.lastAudit(t)
	require.Equal(t, 1, entries)
	require.Equal(t, []any{audit.SubmitExperiment, "@Grace", "Experiment 002 (Reply to every mention) was submitted."}, []any{last.Action, last.Actor, last.Detail})
}

func TestATitleThatIsThereIsRefused(t *testing.T) {
	w := newWorld(t)
	rec := w.submit(t, "", titled("PUBLIC  experiments page"))
	require.Equal(t, 409, rec.Code)
	p := problemOf(t, rec)
	require.Equal(t, problem.ExperimentDupe, p.Code)
	require.Contains(t, p.Message, "001")
}

// Proves: V2.4.1-rest
func TestIdeasAreCountedByNetworkAndByMember(t *testing.T) {
	w := newWorld(t)
	one, other := "198.51.100.1", "198.51.100.2"
	most := experiment.SubmissionsPerVisitor.Most
	for n := range most {
		require.Equal(t, 422, w.submit(t, one, `{"title":"no"}`).Code, "a refusal uses nothing up")
		require.Equal(t, 201, w.submit(t, one, titled(fmt.Sprint("An idea, number ", n))).Code)
	}
	before := w.rows(t)
	rec := w.submit(t, one, titled("One too many"))
	require.Equal(t, problem.TooMany, problemOf(t, rec).Code)
	require.Equal(t, http.StatusTooManyRequests, rec.Code)
	require.NotEmpty(t, rec.Header().Get("Retry-After"))
	require.Equal(t, before, w.rows(t))
	require.Equal(t, 201, w.submit(t, other, titled("From elsewhere")).Code)

	ada := w.browserWith(w.someMember(t))
	ada.from = one
	for n := range experiment.SubmissionsPerMember.Most {
		require.Equal(t, 201, ada.post(t, "/api/experiments/submit", titled(fmt.Sprint("Her idea, number ", n))).Code, "members count for themselves")
	}
	ada.from = other
	require.Equal(t, problem.TooMany, problemOf(t, ada.post(t, "/api/experiments/submit", titled("One too many"))).Code, "wherever they are")
	require.Equal(t, 201, w.do(t, call{method: "POST", path: "/api/experiments/submit", body: titled("A founder's"), from: one}).Code)
	require.NotContains(t, w.rows(t), one, "no address is kept")
}

// What is written is kept as text, to the last sign.
// Proves: F21, V1.2.4, LLM10
func TestMarkupIsText(t *testing.T) {
	w := newWorld(t)
	const markup = `<script>alert(1)</script><img src=x onerror="alert(2)"> ]]> {{7*7}} '; DROP TABLE experiments; --`
	idea := map[string]string{"title": markup[:90], "problem": markup, "hypothesis": markup, "impact": markup, "difficulty": "hard"}
	got := read[api.SubmittedExperiment](t, w.do(t, call{method: "POST", path: "/api/experiments/submit", body: asJSON(t, idea)}), 201).Experiment
	for _, e := range []api.Experiment{got, w.shown(t, got.Slug).Experiment, w.lab(t, "?status=planning").Experiments[0]} {
		require.Equal(t, []string{strings.TrimSpace(markup[:90]), markup, markup, markup, "hard"}, []string{e.Title, e.Problem, e.Hypothesis, e.Impact, e.Difficulty})
	}
	require.Regexp(t, `^[a-z0-9-]+$`, got.Slug)
}

func TestBadIdeasAreRefusedAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	before := w.rows(t)
	with := func(field, value string) string {
		var idea map[string]any
		require.NoError(t, jsonInto(anIdea, &idea))
		idea[field] = value
		return asJSON(t, idea)
	}
	const secretWord = "canarywordofanidea"
	for name, tt := range map[string]struct {
		body   string
		status int
		code   problem.Code
	}{
		"no title":              {`{"problem":"p"}`, 422, problem.Invalid},
		"an empty title":        {with("title", ""), 422, problem.Invalid},
		"a blank title":         {with("title", "        "), 422, problem.Invalid},
		"an invisible title":    {with("title", "\u200b\u200b\u200b\u200b\u200b\u200b"), 422, problem.Invalid},
		"a short title":         {with("title", "abc   "), 422, problem.Invalid},
		"a title of 101":        {with("title", strings.Repeat("x", 101)), 422, problem.Invalid},
		"two lines of title":    {with("title", "one line\nand another"), 422, problem.Invalid},
		"a title with NUL":      {with("title", "nothing\x00here"), 400, problem.Invalid},
		"a title turned round":  {with("title", "evil \u202etxt.exe"), 422, problem.Invalid},
		"a title of 1 MB":       {with("title", strings.Repeat("x", 1<<20)), 413, problem.TooLarge},
		"a title of 60 kB":      {with("title", strings.Repeat("x", 60<<10)), 422, problem.Invalid},
		"a problem of 19":       {with("problem", strings.Repeat("x", 19)), 422, problem.Invalid},
		"a problem of 1001":     {with("problem", strings.Repeat("x", 1001)), 422, problem.Invalid},
		"a problem with BEL":    {with("problem", "it rings \a and rings and rings"), 422, problem.Invalid},
		"a long hypothesis":     {with("hypothesis", strings.Repeat("x", 501)), 422, problem.Invalid},
		"no impact":             {with("impact", ""), 422, problem.Invalid},
		"a long impact":         {with("impact", strings.Repeat("x", 501)), 422, problem.Invalid},
		"another difficulty":    {with("difficulty", secretWord), 422, problem.Invalid},
		"a status of one's own": {with("status", "active"), 422, problem.Invalid},
		"a number of one's own": {with("number", "7"), 422, problem.Invalid},
		"an origin":             {with("origin", "founder"), 422, problem.Invalid},
		"a number as title":     {`{"title":7}`, 422, problem.Invalid},
		"an array":              {`[]`, 422, problem.Invalid},
		"half a body":           {`{"title":"hi"`, 400, problem.Invalid},
		"a field twice":         {`{"title":"Hello world","title":"Hello again"}`, 400, problem.Invalid},
		"broken UTF-8":          {strings.Replace(anIdea, "Reply", "Re\xffply", 1), 400, problem.Invalid},
		"a lone surrogate":      {strings.Replace(anIdea, "Reply", `Re\ud800ply`, 1), 400, problem.Invalid},
		"nothing":               {``, 400, problem.Invalid},
	} {
		rec := w.do(t, call{method: "POST", path: "/api/experiments/submit", body: tt.body, key: "none"})
		require.Equal(t, tt.status, rec.Code, "%s: %s", name, rec.Body.String())
		require.Equal(t, tt.code, problemOf(t, rec).Code, name)
		require.NotContains(t, rec.Body.String(), secretWord)
		require.Less(t, rec.Body.Len(), 1000, "values are not echoed")
	}
	require.Equal(t, before, w.rows(t))
	require.Empty(t, w.runs.told())
}

func TestFoundersEditWhatAnExperimentSays(t *testing.T) {
	w := newWorld(t)
	grace := w.founder(t)
	rec := grace.send(t, http.MethodPatch, "/api/experiments/001", `{"version":1,"title":"The open lab","progress":75,"techStack":["Go"],"successMetrics":[]}`)
	e := read[api.ExperimentDetail](t, rec, ok)
	require.Equal(t, []any{"The open lab", 75, 2, "001-public-experiments-page"}, []any{e.Title, e.Progress, e.Version, e.Slug}, "its address stays")
	require.Equal(t, [][]string{{"Go"}, {}}, [][]string{e.TechStack, e.SuccessMetrics})
	require.Len(t, e.Methodology, 5, "what is left out stays")
	last, _ := w.lastAudit(t)
	require.Equal(t, []any{audit.EditExperiment, "@Grace", "Experiment 001 (The open lab) was edited."}, []any{last.Action, last.Actor, last.Detail})

	before := w.rows(t)
	stale := grace.send(t, http.MethodPatch, "/api/experiments/001", `{"version":1,"title":"Another title"}`)
	require.Equal(t, 409, stale.Code)
	require.Equal(t, problem.EditStale, problemOf(t, stale).Code, "nobody overwrites what they have not read")
	require.Equal(t, before, w.rows(t))
}

func TestBadEditsAreRefusedAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	w.planned(t, "Reply to every mention")
	before := w.rows(t)
	for name, tt := range map[string]struct {
		method, path, body string
		status             int
		code               problem.Code
	}{
		"no version":            {"PATCH", "001", `{"title":"The open lab"}`, 422, problem.Invalid},
		"version 0":             {"PATCH", "001", `{"version":0,"title":"The open lab"}`, 422, problem.Invalid},
		"a later version":       {"PATCH", "001", `{"version":2,"title":"The open lab"}`, 409, problem.EditStale},
		"a blank title":         {"PATCH", "001", `{"version":1,"title":"          "}`, 422, problem.Invalid},
		"a title with NUL":      {"PATCH", "001", `{"version":1,"title":"nothing\u0000here"}`, 400, problem.Invalid},
		"a title of 1 MB":       {"PATCH", "001", `{"version":1,"title":"` + strings.Repeat("x", 1<<20) + `"}`, 413, problem.TooLarge},
		"somebody else's title": {"PATCH", "001", `{"version":1,"title":"REPLY to every mention"}`, 409, problem.ExperimentDupe},
		"a bad second field":    {"PATCH", "001", `{"version":1,"title":"The open lab","impact":"short"}`, 422, problem.Invalid},
		"101 percent":           {"PATCH", "001", `{"version":1,"progress":101}`, 422, problem.Invalid},
		"21 steps":              {"PATCH", "001", `{"version":1,"methodology":[` + strings.Repeat(`"x",`, 20) + `"x"]}`, 422, problem.Invalid},
		"an empty step":         {"PATCH", "001", `{"version":1,"methodology":["x",""]}`, 422, problem.Invalid},
		"a status":              {"PATCH", "001", `{"version":1,"status":"shipped"}`, 422, problem.Invalid},
		"a vote":                {"PATCH", "001", `{"version":1,"upvotes":100}`, 422, problem.Invalid},
		"of nobody":             {"PATCH", "nobody", `{"version":1}`, 404, problem.NotFound},

		"to nowhere":       {"POST", "001/move", `{"version":1,"to":"lost"}`, 422, problem.Invalid},
		"to waiting":       {"POST", "001/move", `{"version":1,"to":"waiting"}`, 422, problem.Invalid},
		"back":             {"POST", "001/move", `{"version":1,"to":"planning"}`, 409, problem.MoveRefused},
		"where it is":      {"POST", "001/move", `{"version":1,"to":"active"}`, 409, problem.MoveRefused},
		"too far":          {"POST", "001/move", `{"version":1,"to":"shipped"}`, 409, problem.MoveRefused},
		"without a reason": {"POST", "001/move", `{"version":1,"to":"declined","reason":"  "}`, 422, problem.Invalid},
		"a long reason":    {"POST", "001/move", `{"version":1,"to":"declined","reason":"` + strings.Repeat("x", 301) + `"}`, 422, problem.Invalid},
		"a stale move":     {"POST", "001/move", `{"version":7,"to":"testing"}`, 409, problem.EditStale},
		"nobody's move":    {"POST", "nobody/move", `{"version":1,"to":"testing"}`, 404, problem.NotFound},

		"a promise too late":   {"PUT", "001/metric", `{"version":1,"metric":"members","threshold":7,"due_at":"2026-12-01T00:00:00Z"}`, 409, problem.MetricLocked},
		"taken back too late":  {"DELETE", "001/metric?version=1", "", 409, problem.MetricLocked},
		"an unknown metric":    {"PUT", "002/metric", `{"version":1,"metric":"luck","threshold":7,"due_at":"2026-12-01T00:00:00Z"}`, 422, problem.Invalid},
		"150 percent":          {"PUT", "002/metric", `{"version":1,"metric":"conversion","threshold":150,"due_at":"2026-12-01T00:00:00Z"}`, 422, problem.Invalid},
		"less than nothing":    {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":-1,"due_at":"2026-12-01T00:00:00Z"}`, 422, problem.Invalid},
		"no number":            {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":NaN,"due_at":"2026-12-01T00:00:00Z"}`, 400, problem.Invalid},
		"an infinite one":      {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":1e999,"due_at":"2026-12-01T00:00:00Z"}`, 400, problem.Invalid},
		"a date that has been": {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":7,"due_at":"2026-11-20T12:00:00Z"}`, 422, problem.Invalid},
		"a date in years":      {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":7,"due_at":"2028-01-01T00:00:00Z"}`, 422, problem.Invalid},
		"no date":              {"PUT", "002/metric", `{"version":1,"metric":"members","threshold":7,"due_at":"soon"}`, 422, problem.Invalid},
		"no version to drop":   {"DELETE", "002/metric", "", 422, problem.Invalid},

		"a note of no day":      {"PUT", "001/notes/yesterday", `{"version":0,"content":"hi"}`, 422, problem.Invalid},
		"of the 31st of June":   {"PUT", "001/notes/2026-06-31", `{"version":0,"content":"hi"}`, 422, problem.Invalid},
		"of tomorrow":           {"PUT", "001/notes/2026-11-21", `{"version":1,"content":"hi"}`, 422, problem.Invalid},
		"an empty note":         {"PUT", "001/notes/2026-11-19", `{"version":0,"content":" \n "}`, 422, problem.Invalid},
		"a note of 8001":        {"PUT", "001/notes/2026-11-19", `{"version":0,"content":"` + strings.Repeat("x", 8001) + `"}`, 422, problem.Invalid},
		"a note with NUL":       {"PUT", "001/notes/2026-11-19", `{"version":0,"content":"a\u0000b"}`, 400, problem.Invalid},
		"over a note unread":    {"PUT", "001/notes/2026-11-20", `{"version":0,"content":"hi"}`, 409, problem.EditStale},
		"over one that is gone": {"PUT", "001/notes/2026-11-19", `{"version":1,"content":"hi"}`, 409, problem.EditStale},
		"delete a stale one":    {"DELETE", "001/notes/2026-11-20?version=2", "", 409, problem.EditStale},
		"delete no day":         {"DELETE", "001/notes/%00?version=1", "", 404, problem.NotFound},
		"a note of nobody":      {"PUT", "nobody/notes/2026-11-19", `{"version":0,"content":"hi"}`, 404, problem.NotFound},
		"delete of nobody":      {"DELETE", "nobody/notes/2026-11-19?version=1", "", 404, problem.NotFound},
	} {
		rec := w.do(t, call{method: tt.method, path: "/api/experiments/" + tt.path, body: tt.body})
		require.Equal(t, tt.status, rec.Code, "%s: %s", name, rec.Body)
		require.Equal(t, tt.code, problemOf(t, rec).Code, name)
		require.Less(t, rec.Body.Len(), 1000, "values are not echoed")
	}
	require.Equal(t, before, w.rows(t))
	require.Empty(t, w.runs.told())
}

func TestARunIsToldOfEveryMoveThatConcernsIt(t *testing.T) {
	w := newWorld(t)
	idea := read[api.SubmittedExperiment](t, w.submit(t, "", anIdea), 201).Experiment
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

func TestAMoveIsInTheAudit(t *testing.T) {
	w := newWorld(t)
	rec := w.founder(t).post(t, "/api/experiments/001/move", `{"version":1,"to":"declined","reason":"Nobody came"}`)
	require.Equal(t, "Nobody came", read[api.ExperimentDetail](t, rec, ok).Reason)
	last, entries := w.lastAudit(t)
	require.Equal(t, 1, entries)
	require.Equal(t, []any{audit.MoveExperiment, "@Grace", "Experiment 001 (Public experiments page) went from active to declined: Nobody came."},
		[]any{last.Action, last.Actor, last.Detail})
}

// The row is what counts: the starter tells the run later.
// Proves: F5
func TestAMoveSucceedsThoughTemporalIsDown(t *testing.T) {
	w := newWorld(t)
	w.runs.err = errors.New("dial tcp 10.0.0.3: connection refused")
	rec := w.step(t, "001", map[string]any{"version": 1, "to": "testing"})
	require.Equal(t, "testing", read[api.ExperimentDetail](t, rec, ok).Status)
	require.NotContains(t, rec.Body.String(), "10.0.0.3")
	require.Contains(t, journal.String(), "the run of an experiment is told later")
	require.Equal(t, "testing", w.shown(t, "001").Status)
}

func TestAMetricIsPromisedBeforeItBegins(t *testing.T) {
	w := newWorld(t)
	e := w.promised(t, "Reply to every mention")
	last, _ := w.lastAudit(t)
	require.Equal(t, []any{audit.RegisterMetric, "Experiment 002 (Reply to every mention) promises members of 7 by 2026-11-30T12:00:00Z."}, []any{last.Action, last.Detail})
	require.Equal(t, []any{"members", 2}, []any{e.Metric, e.Version})
	dropped := read[api.ExperimentDetail](t, w.do(t, call{method: "DELETE", path: "/api/experiments/002/metric?version=2"}), ok)
	require.Empty(t, dropped.Metric)
	require.Nil(t, dropped.Measure)
	last, _ = w.lastAudit(t)
	require.Equal(t, audit.DropMetric, last.Action)
}

func TestLabNotesAreWrittenByDay(t *testing.T) {
	w := newWorld(t)
	grace := w.founder(t)
	w.now = now.AddDate(0, 0, 4)
	const markdown = "We *learnt* <script>alert(1)</script>\n\n- one\n\t- two"
	write := func(version int, content string) api.LabNote {
		rec := grace.send(t, http.MethodPut, "/api/experiments/001/notes/2026-11-24", asJSON(t, map[string]any{"version": version, "content": content}))
		return read[api.LabNote](t, rec, ok)
	}
	note := write(0, markdown)
	require.WithinDuration(t, w.now, note.UpdatedAt, time.Second)
	note.UpdatedAt = time.Time{}
	require.Equal(t, api.LabNote{Day: 5, Date: "2026-11-24", Content: markdown, Author: "Grace", Version: 1}, note)
	require.Equal(t, 2, write(1, "Other words").Version)
	require.Equal(t, "Other words", w.shown(t, "001").LabNotes[0].Content)
	require.Equal(t, 409, grace.send(t, http.MethodPut, "/api/experiments/001/notes/2026-11-24", `{"version":1,"content":"Mine"}`).Code)

	require.Equal(t, ok, grace.send(t, http.MethodDelete, "/api/experiments/001/notes/2026-11-24?version=2", "").Code)
	require.Len(t, w.shown(t, "001").LabNotes, 3)
	require.Equal(t, []audit.Action{audit.WriteLabNote, audit.WriteLabNote, audit.DeleteLabNote}, w.noted(t))
}

// vote casts one, and reads how the votes stand.
func (b *browser) vote(t *testing.T, body string) api.VoteCounted {
	return read[api.VoteCounted](t, b.post(t, "/api/experiments/vote", body), ok)
}

func (b *browser) withdraw(t *testing.T, key string) api.VoteCounted {
	return read[api.VoteCounted](t, b.send(t, http.MethodDelete, "/api/experiments/"+key+"/vote", ""), ok)
}

// Proves: F27
func TestVotesAreCastChangedAndTakenBack(t *testing.T) {
	w := newWorld(t)
	p, _ := w.everybody(t)
	ada, eve := w.browserWith(p.member), w.browserWith(p.other)
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1, MyVote: 1}, ada.vote(t, `{"experimentId":"001-public-experiments-page","vote":1}`))
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1, MyVote: 1}, ada.vote(t, `{"experimentId":"001","vote":1}`), "twice is once")
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 2, MyVote: 1}, eve.vote(t, `{"experimentId":"1","vote":1}`))
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1, Downvotes: 1, MyVote: -1}, ada.vote(t, `{"experimentId":"001","vote":-1}`))
	require.Equal(t, -1, read[api.ExperimentDetail](t, ada.get(t, "/api/experiments/001"), ok).MyVote)
	require.Equal(t, 2, w.count(t, "SELECT count(*) FROM experiment_votes"))

	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1}, ada.withdraw(t, "001"))
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1}, ada.withdraw(t, "1"), "there is none any more, and that is harmless")
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
		require.Equal(t, never, rec.Code, "%q: %s", name, rec.Body)
		require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
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
	must(w.open(t).ExecContext(t.Context(), "UPDATE accounts SET x_user_id = '9', x_handle = 'Ada_on_X', x_handle_key = 'ada_on_x' WHERE id = ?", accountID))(t)
	ada := w.browserWith(w.login(t, accountID, ""))
	require.Equal(t, 1, ada.vote(t, `{"experimentId":"001","vote":1,"memberId":"@ada_ON_x"}`).Upvotes)
	require.Equal(t, 1, ada.vote(t, `{"experimentId":"001","vote":1,"memberId":"ada"}`).Upvotes)
}

// Proves: F29, V15.3.3
func TestBadVotesAreRefusedAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	ada := w.browserWith(w.someMember(t))
	waiting := read[api.SubmittedExperiment](t, w.submit(t, "", anIdea), 201).Experiment
	hers := read[api.SubmittedExperiment](t, ada.post(t, "/api/experiments/submit", titled("Her own idea")), 201).Experiment
	ended := w.planned(t, "It has ended")
	w.moved(t, ended.Slug, "active", "completed")
	shipped := w.planned(t, "It has shipped")
	w.moved(t, shipped.Slug, "active", "completed", "shipped")
	before := w.rows(t)
	for name, tt := range map[string]struct {
		body   string
		status int
		code   problem.Code
	}{
		"two":                  {`{"experimentId":"001","vote":2}`, 422, problem.Invalid},
		"nothing":              {`{"experimentId":"001","vote":0}`, 422, problem.Invalid},
		"minus two":            {`{"experimentId":"001","vote":-2}`, 422, problem.Invalid},
		"a half":               {`{"experimentId":"001","vote":0.5}`, 422, problem.Invalid},
		"very many":            {`{"experimentId":"001","vote":98765432109876543210}`, 422, problem.Invalid},
		"a word":               {`{"experimentId":"001","vote":"1"}`, 422, problem.Invalid},
		"a yes":                {`{"experimentId":"001","vote":true}`, 422, problem.Invalid},
		"null":                 {`{"experimentId":"001","vote":null}`, 422, problem.Invalid},
		"no vote":              {`{"experimentId":"001"}`, 422, problem.Invalid},
		"for nothing":          {`{"vote":1}`, 422, problem.Invalid},
		"for an empty name":    {`{"experimentId":"","vote":1}`, 422, problem.Invalid},
		"for a number":         {`{"experimentId":1,"vote":1}`, 422, problem.Invalid},
		"an unknown field":     {`{"experimentId":"001","vote":1,"weight":100}`, 422, problem.Invalid},
		"a field twice":        {`{"experimentId":"001","vote":1,"vote":-1}`, 400, problem.Invalid},
		"for nobody":           {`{"experimentId":"nobody","vote":1}`, 404, problem.NotFound},
		"for NUL":              {`{"experimentId":"a\u0000b","vote":1}`, 400, problem.Invalid},
		"for what waits":       {`{"experimentId":"` + waiting.ID + `","vote":1}`, 404, problem.NotFound},
		"for one's own, early": {`{"experimentId":"` + hers.ID + `","vote":1}`, 409, problem.VotesClosed},
		"for what has ended":   {`{"experimentId":"` + ended.Slug + `","vote":1}`, 409, problem.VotesClosed},
		"for what has shipped": {`{"experimentId":"` + shipped.Slug + `","vote":-1}`, 409, problem.VotesClosed},
		"a body of 1 MB":       {`{"experimentId":"` + string(make([]byte, 1<<20)) + `","vote":1}`, 413, problem.TooLarge},
		"for a name of 121":    {`{"experimentId":"` + longName + `","vote":1}`, 422, problem.Invalid},
		"of a name of 41":      {`{"experimentId":"001","vote":1,"memberId":"` + longName + `"}`, 422, problem.Invalid},
	} {
		rec := ada.post(t, "/api/experiments/vote", tt.body)
		require.Equal(t, tt.status, rec.Code, "%s: %s", name, rec.Body)
		p := problemOf(t, rec)
		require.Equal(t, tt.code, p.Code, name)
		if tt.status == 422 {
			require.NotEmpty(t, p.Details, name)
		}
		require.NotContains(t, rec.Body.String(), "9876543210", "values are not echoed")
		require.Less(t, rec.Body.Len(), 1000)
	}
	for key, status := range map[string]int{"nobody": 404, waiting.ID: 404, ended.Slug: 409, "%00": 404} {
		require.Equal(t, status, ada.send(t, http.MethodDelete, "/api/experiments/"+key+"/vote", "").Code, key)
	}
	require.Equal(t, before, w.rows(t))
}

const longName = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

// Proves: S-voter
func TestOnlyMembersVote(t *testing.T) {
	w := newWorld(t)
	p, _ := w.everybody(t)
	before := w.rows(t)
	const vote = `{"experimentId":"001","vote":1}`
	for name, status := range map[string]int{"": no, p.frozen: never, p.founder: never} {
		b := w.browser()
		if name != "" {
			b = w.browserWith(name)
		}
		require.Equal(t, status, b.post(t, "/api/experiments/vote", vote).Code)
		require.Equal(t, status, b.send(t, http.MethodDelete, "/api/experiments/001/vote", "").Code)
	}
	require.Equal(t, never, w.do(t, call{method: "POST", path: "/api/experiments/vote", body: vote}).Code, "a program has no vote")
	require.Equal(t, before, w.rows(t))
	rec := w.do(t, call{method: "POST", path: "/api/experiments/vote", body: vote, key: "none", header: map[string]string{
		"Cookie": "session=" + p.member, "Origin": "https://evil.example",
	}})
	require.Equal(t, never, rec.Code, "another site's page")
	require.Equal(t, before, w.rows(t))
}
