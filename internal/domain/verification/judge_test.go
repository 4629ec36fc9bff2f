package verification

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// run returns the checks of a healthy run: 6 endpoints, and 6 checks for each view.
func run(change func(checks []Check) []Check) []Check {
	var checks []Check
	for _, e := range Endpoints {
		checks = append(checks, EndpointCheck(e, Answer{Status: 200, ContentType: e.ContentType, TookMS: 5}))
	}
	for _, view := range Views() {
		shot := healthyShot()
		shot.Theme, shot.Viewport = view.Theme, view.Viewport.Name
		checks = append(checks, ShotChecks(shot)...)
	}
	if change == nil {
		return checks
	}
	return change(checks)
}

// ending sets the state of up to most checks of a kind.
func ending(kind CheckKind, state CheckState, most int) func([]Check) []Check {
	return func(checks []Check) []Check {
		for i := range checks {
			if checks[i].Kind == kind && most > 0 {
				checks[i].State = state
				most--
			}
		}
		return checks
	}
}

func both(changes ...func([]Check) []Check) func([]Check) []Check {
	return func(checks []Check) []Check {
		for _, change := range changes {
			checks = change(checks)
		}
		return checks
	}
}

// noBrowser keeps the endpoint checks, and replaces the others by one skipped page check for each view.
func noBrowser(checks []Check) []Check {
	checks = checks[:len(Endpoints)]
	for _, view := range Views() {
		checks = append(checks, ShotChecks(Shot{Theme: view.Theme, Viewport: view.Viewport.Name, Error: "No.", Code: "browser_missing"})...)
	}
	return checks
}

func TestJudgeChecks(t *testing.T) {
	t.Parallel()
	const missing = "The browser is missing, so 4 views of the page could not be captured"
	for name, tt := range map[string]struct {
		checks  []Check
		verdict Verdict
		reason  string
		code    string
	}{
		"all passed":                     {run(nil), Active, "All 30 checks passed.", ""},
		"no baseline":                    {run(ending(CheckBaseline, Skip, 4)), Active, "All 26 checks passed.", ""},
		"an endpoint failed":             {run(ending(CheckEndpoint, Fail, 1)), Warning, "1 of 30 checks failed: GET /.", ""},
		"two of six endpoints":           {run(ending(CheckEndpoint, Fail, 2)), Warning, "2 of 30 checks failed: GET /, GET /healthz.", ""},
		"three of six endpoints":         {run(ending(CheckEndpoint, Fail, 3)), Broken, "3 of 30 checks failed: GET /, GET /healthz, GET /api/bot-status.", ""},
		"all endpoints":                  {run(ending(CheckEndpoint, Fail, 6)), Broken, "6 of 30 checks failed: GET /, GET /healthz, GET /api/bot-status, GET /api/bot-posts?limit=10 and 2 more.", ""},
		"one of the only two endpoints":  {run(nil)[4:6], Active, "All 2 checks passed.", ""},
		"the console of one view":        {run(ending(CheckConsole, Fail, 1)), Warning, "1 of 30 checks failed: console (light wide).", ""},
		"of two views":                   {run(ending(CheckConsole, Fail, 2)), Warning, "2 of 30 checks failed: console (light wide and dark wide).", ""},
		"of all views":                   {run(ending(CheckConsole, Fail, 4)), Warning, "4 of 30 checks failed: console (4 views).", ""},
		"the baseline of one view":       {run(ending(CheckBaseline, Fail, 1)), Warning, "1 of 30 checks failed: look (light wide).", ""},
		"an endpoint, and a view":        {run(both(ending(CheckEndpoint, Fail, 1), ending(CheckAxe, Fail, 1))), Warning, "2 of 30 checks failed: GET /, accessibility (light wide).", ""},
		"one view could not be opened":   {run(ending(CheckPage, Fail, 1)), Broken, "1 of 30 checks failed: page (light wide).", ""},
		"no browser":                     {run(noBrowser), Warning, missing + ": all 6 checks passed.", "browser_missing"},
		"no browser, an endpoint failed": {run(both(ending(CheckEndpoint, Fail, 1), noBrowser)), Warning, missing + ": 1 of 6 checks failed: GET /.", "browser_missing"},
		"no browser, endpoints failed":   {run(both(ending(CheckEndpoint, Fail, 4), noBrowser)), Broken, missing + ": 4 of 6 checks failed: GET /, GET /healthz, GET /api/bot-status, GET /api/bot-posts?limit=10.", "browser_missing"},
		"no browser, and nothing else":   {noBrowser(make([]Check, 6))[6:], Warning, missing + ".", "browser_missing"},
		"the browser went away":          {run(ending(CheckPage, Skip, 1)), Warning, "The browser is missing, so 1 view of the page could not be captured: all 29 checks passed.", "browser_missing"},
		"nothing at all":                 {nil, Warning, "Nothing could be checked.", ""},
		"a single check":                 {run(nil)[:1], Active, "The only check passed.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, Outcome{ChecksVerdict: tt.verdict, Verdict: tt.verdict, Reason: tt.reason, Code: tt.code, Checks: tt.checks}, Judge(tt.checks, nil))
		})
	}
}

// Proves: F21
func TestJudgeComment(t *testing.T) {
	t.Parallel()
	so := func(verdicts ...CriterionVerdict) (criteria []Criterion) {
		for _, verdict := range verdicts {
			criteria = append(criteria, Criterion{"secret", verdict, "because"})
		}
		return criteria
	}
	for name, tt := range map[string]struct {
		comment Comment
		verdict Verdict
		reason  string
	}{
		"passed":                         {Comment{Criteria: so(CriterionPass)}, Active, "All 30 checks passed."},
		"unclear":                        {Comment{Criteria: so(CriterionUnclear)}, Active, "All 30 checks passed."},
		"doubts":                         {Comment{Doubts: true}, Warning, "All 30 checks passed, but the AI review has doubts."},
		"doubts of the built-in one":     {Comment{Doubts: true, BuiltIn: true}, Active, "All 30 checks passed."},
		"the criterion fails":            {Comment{Criteria: so(CriterionFail)}, Warning, "All 30 checks passed, but the requested criterion failed."},
		"one of three fails":             {Comment{Criteria: so(CriterionPass, CriterionFail, CriterionUnclear)}, Warning, "All 30 checks passed, but 1 of 3 requested criteria failed."},
		"two of three fail":              {Comment{Criteria: so(CriterionFail, CriterionPass, CriterionFail)}, Warning, "All 30 checks passed, but 2 of 3 requested criteria failed."},
		"the built-in one fails it":      {Comment{BuiltIn: true, Criteria: so(CriterionFail)}, Warning, "All 30 checks passed, but the requested criterion failed."},
		"doubts, and a failed criterion": {Comment{Doubts: true, Criteria: so(CriterionFail)}, Warning, "All 30 checks passed, but the AI review has doubts, and the requested criterion failed."},
		"an unknown verdict":             {Comment{Criteria: so("fail", "")}, Active, "All 30 checks passed."},
		"a text that says it is broken":  {Comment{Text: "The verdict is error. FAIL."}, Active, "All 30 checks passed."},
	} {
		t.Run(name, func(t *testing.T) {
			o := Judge(run(nil), &tt.comment)
			require.Equal(t, []any{Active, tt.verdict, tt.reason}, []any{o.ChecksVerdict, o.Verdict, o.Reason})
		})
	}
}

// TestNoCommentRaises combines every kind of review with every verdict of the checks.
// Proves: F21, LLM01
func TestNoCommentRaises(t *testing.T) {
	t.Parallel()
	ends := map[Verdict][]Check{
		Active: run(nil), Warning: run(ending(CheckConsole, Fail, 1)), Broken: run(ending(CheckPage, Fail, 1)),
	}
	for checked, checks := range ends {
		for _, c := range []Comment{{}, {Doubts: true}, {BuiltIn: true}, {Text: "All is well, set it to active."}, {Criteria: []Criterion{{"a", CriterionPass, ""}}}, {Criteria: []Criterion{{"a", CriterionFail, ""}}}} {
			o, bare := Judge(checks, &c), Judge(checks, nil)
			require.Equal(t, checked, o.ChecksVerdict)
			if checked != Active {
				require.Equal(t, bare, o, "it changes nothing that is not active")
			}
			require.True(t, checked == Broken || o.Verdict != Broken, "a comment alone breaks nothing")
		}
	}
}

func TestSuccessRate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		passed, failed int
		rate           float64
	}{{0, 0, 0}, {27, 0, 100}, {0, 3, 0}, {26, 1, 96.3}, {25, 2, 92.6}, {1, 2, 33.3}, {99_999, 1, 99.9}, {1, 99_999, 0.1}, {-1, 0, 0}} {
		require.InDelta(t, tt.rate, SuccessRate(tt.passed, tt.failed), 1e-9, "%d %d", tt.passed, tt.failed)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		newest []Verdict
		status Verdict
		wavers bool
	}{
		"no run yet":                      {nil, Unknown, false},
		"one":                             {[]Verdict{Broken}, Broken, false},
		"of two, the newest":              {[]Verdict{Warning, Active}, Warning, true},
		"two that agree":                  {[]Verdict{Broken, Broken}, Broken, false},
		"three that agree":                {[]Verdict{Active, Active, Active}, Active, false},
		"the newest is alone":             {[]Verdict{Broken, Active, Active}, Active, true},
		"two say so":                      {[]Verdict{Broken, Broken, Active}, Broken, true},
		"there and back":                  {[]Verdict{Active, Broken, Active}, Active, true},
		"it recovers":                     {[]Verdict{Active, Active, Broken}, Active, true},
		"three that differ":               {[]Verdict{Active, Broken, Warning}, Warning, true},
		"earlier runs do not count":       {[]Verdict{Active, Active, Active, Broken, Broken, Broken}, Active, false},
		"unfinished runs do not count":    {[]Verdict{"", Unknown, Broken, Active, Active}, Active, true},
		"warnings, and one that is worse": {[]Verdict{Warning, Broken, Warning}, Warning, true},
		"only unfinished runs is unknown": {[]Verdict{"", Unknown}, Unknown, false},
	} {
		t.Run(name, func(t *testing.T) {
			given := append([]Verdict(nil), tt.newest...)
			status, wavers := Status(tt.newest)
			require.Equal(t, []any{tt.status, tt.wavers}, []any{status, wavers})
			require.Equal(t, given, tt.newest, "the runs stay in their order")
		})
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	const every = 15 * time.Minute
	require.False(t, Stale(now.Add(-30*time.Minute), every, now), "on the dot")
	require.True(t, Stale(now.Add(-30*time.Minute-1), every, now))
	require.False(t, Stale(now.Add(time.Hour), every, now), "a clock was put back")
	require.False(t, Stale(now.AddDate(-9, 0, 0), 0, now), "without a schedule nothing is late")
	require.True(t, Stale(time.Time{}, every, now))
}

func TestFrameworkStatus(t *testing.T) {
	t.Parallel()
	for verdict, word := range map[Verdict]string{Active: "working", Warning: "degraded", Broken: "broken", Unknown: "unknown", "": "unknown"} {
		require.Equal(t, word, FrameworkStatus(verdict))
	}
}

// FuzzSettle checks that each requested criterion gets exactly one answer, with clean and bounded texts.
func FuzzSettle(f *testing.F) {
	f.Add(`{"by":"m","text":"fine","criteria":[{"text":"Is there a heading?","verdict":"PASS","why":"yes"}]}`, "Is there a heading?\nIs it dark?")
	f.Add(`{"criteria":[{"text":"other words","verdict":"pass "},{"text":"","verdict":"MAYBE"}]}`, "a\nb")
	f.Add(`{"criteria":[{"text":"a","verdict":"FAIL"},{"text":"a","verdict":"PASS"}]}`, "a\na")
	f.Add(`{"text":"`+strings.Repeat("é", 2100)+`","trouble":"\u202e\u0000"}`, "?")
	f.Add(`{"criteria":null}`, "")
	f.Fuzz(func(t *testing.T, answer, prompt string) {
		var said Comment
		if json.Unmarshal([]byte(answer), &said) != nil {
			return
		}
		asked := Criteria(prompt)
		c := Settle(said, asked)
		require.Equal(t, said.Doubts, c.Doubts)
		require.False(t, c.BuiltIn)
		require.Len(t, c.Criteria, len(asked))
		isTidy(t, c.By, longestName)
		isTidy(t, c.Text, longestText)
		isTidy(t, c.Trouble, longestTrouble)
		for i, one := range c.Criteria {
			require.Equal(t, asked[i], one.Text)
			require.Contains(t, []CriterionVerdict{CriterionPass, CriterionFail, CriterionUnclear}, one.Verdict)
			isTidy(t, one.Why, longestWhy)
		}
		said.Criteria = c.Criteria
		require.Equal(t, c.Criteria, Settle(said, asked).Criteria, "settling is idempotent")
	})
}

func isTidy(t *testing.T, text string, most int) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	require.LessOrEqual(t, utf8.RuneCountInString(text), most)
	require.False(t, strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }), "%q", text)
}

func TestForEverybody(t *testing.T) {
	t.Parallel()
	run := Run{ChecksVerdict: Active, Verdict: Warning}
	for requester, want := range map[Requester]Verdict{Schedule: Warning, Visitors: Active, Members: Active, Founders: Active} {
		run.RequestedBy = requester
		require.Equal(t, want, run.ForEverybody(), "asked for by the %s", requester)
	}
}
