package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
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
			t.Parallel()
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
	t.Parallel()
	w := newWorld(t)
	w.server.Review = experiment.ReviewVisitors
	p, _ := w.everybody(t)
	hers := read[api.SubmittedExperiment](t, w.browserWith(p.member).post(t, "/api/experiments/submit", anIdea), 201).Experiment
	require.Equal(t, []string{"002", "002-reply-to-every-mention", "member", "ada"}, []string{hers.ID, hers.Slug, hers.Origin, hers.Submitter})
	frozen := read[api.SubmittedExperiment](t, w.browserWith(p.frozen).post(t, "/api/experiments/submit", titled("Out in the cold")), 201).Experiment
	require.Equal(t, []string{"visitor", ""}, []string{frozen.Origin, frozen.Submitter})
}

func TestFoundersIdeasAreInTheAudit(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	w := newWorld(t)
	rec := w.submit(t, "", titled("PUBLIC  experiments page"))
	require.Equal(t, 409, rec.Code)
	p := problemOf(t, rec)
	require.Equal(t, problem.ExperimentDupe, p.Code)
	require.Contains(t, p.Message, "001")
}

// Proves: V2.4.1-rest
func TestIdeasAreCountedByNetworkAndByMember(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
