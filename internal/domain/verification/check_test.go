package verification

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEndpointCheck(t *testing.T) {
	t.Parallel()
	stats := Endpoint{"/api/stats", "application/json"}
	for name, tt := range map[string]struct {
		answer Answer
		state  CheckState
		says   string
	}{
		"as wanted":                    {Answer{Status: 200, ContentType: "application/json", TookMS: 12}, Pass, "It answered 200 in 12 ms."},
		"with parameters, in capitals": {Answer{Status: 200, ContentType: "Application/JSON ; charset=utf-8", TookMS: 2000}, Pass, "It answered 200 in 2 s."},
		"a millisecond too late":       {Answer{Status: 200, ContentType: "application/json", TookMS: 2001}, Fail, "It took 2.001 s."},
		"slow":                         {Answer{Status: 200, ContentType: "application/json", TookMS: 3200}, Fail, "It took 3.2 s."},
		"an error":                     {Answer{Status: 500, ContentType: "application/json"}, Fail, "It answered 500."},
		"an error, as a page":          {Answer{Status: 503, ContentType: "text/html"}, Fail, "It answered 503."},
		"another good status":          {Answer{Status: 204, ContentType: "application/json"}, Fail, "It answered 204."},
		"another type":                 {Answer{Status: 200, ContentType: "text/plain; charset=utf-8"}, Fail, "The content type is text/plain instead of application/json."},
		"a type that begins alike":     {Answer{Status: 200, ContentType: "application/json-seq"}, Fail, "The content type is application/json-seq instead of application/json."},
		"no type":                      {Answer{Status: 200}, Fail, "The content type is missing instead of application/json."},
		"two troubles":                 {Answer{Status: 200, ContentType: "text/html", TookMS: 2500}, Fail, "The content type is text/html instead of application/json. It took 2.5 s."},
		"no answer":                    {Answer{Error: "The connection was refused."}, Fail, "No response: The connection was refused."},
		"no answer, and no reason":     {Answer{}, Fail, "No response."},
		"a reason with strange signs":  {Answer{Error: "a\x00b\r\nc\u202e"}, Fail, "No response: a b c."},
		"a long type is cut":           {Answer{Status: 200, ContentType: strings.Repeat("x", 500)}, Fail, "The content type is " + strings.Repeat("x", 79) + "… instead of application/json."},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, Check{Kind: CheckEndpoint, Subject: "GET /api/stats", State: tt.state, Message: tt.says}, EndpointCheck(stats, tt.answer))
		})
	}
	require.Equal(t, "GET /api/bot-posts?limit=10", EndpointCheck(Endpoints[3], Answer{}).Subject)
}

// healthyShot returns a view without problems.
func healthyShot() Shot {
	id, changed := "bl_1", 0.0
	return Shot{
		Theme: Light, Viewport: "wide", BaselineID: &id, ChangedShare: &changed,
		Facts: &Facts{Status: 200, LoadMS: 640, Headings: 1, Landmarks: []string{"main", "banner", "contentinfo", "navigation"}, Axe: []Violation{}},
	}
}

// found returns the check of a kind, or nil.
func found(kind CheckKind, s Shot) *Check {
	for _, check := range ShotChecks(s) {
		if check.Kind == kind {
			return &check
		}
	}
	return nil
}

func TestShotChecksOfAHealthyPage(t *testing.T) {
	t.Parallel()
	require.Equal(t, []Check{
		{CheckPage, "light wide", Pass, "It opened in 640 ms.", nil},
		{CheckLandmarks, "light wide", Pass, "All landmarks and one h1 heading found.", nil},
		{CheckConsole, "light wide", Pass, "No console errors.", nil},
		{CheckRequests, "light wide", Pass, "All requests succeeded.", nil},
		{CheckAxe, "light wide", Pass, "No accessibility violations.", nil},
		{CheckBaseline, "light wide", Pass, "It matches the baseline.", nil},
	}, ShotChecks(healthyShot()))
}

func TestShotChecksWithoutACapture(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		shot  Shot
		state CheckState
		says  string
	}{
		"no browser":  {Shot{Error: "There is no browser.", Code: "browser_missing"}, Skip, "There is no browser."},
		"unreachable": {Shot{Error: "The page cannot be reached.", Code: "page_unreachable"}, Fail, "The page cannot be reached."},
		"no reason":   {Shot{}, Fail, "The page was not captured."},
	} {
		t.Run(name, func(t *testing.T) {
			tt.shot.Theme, tt.shot.Viewport = Dark, "narrow"
			require.Equal(t, []Check{{Kind: CheckPage, Subject: "dark narrow", State: tt.state, Message: tt.says}}, ShotChecks(tt.shot))
		})
	}
}

func TestShotChecks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil   func(*Shot)
		kind    CheckKind
		state   CheckState
		says    string
		details []string
	}{
		"opened slowly":        {func(s *Shot) { s.Facts.LoadMS = 3217 }, CheckPage, Pass, "It opened in 3.217 s.", nil},
		"opened once more":     {func(s *Shot) { s.Retried = true }, CheckPage, Pass, "It opened in 640 ms. The first attempt timed out.", nil},
		"created":              {func(s *Shot) { s.Facts.Status = 299 }, CheckPage, Pass, "It opened in 640 ms.", nil},
		"a redirect":           {func(s *Shot) { s.Facts.Status = 302 }, CheckPage, Fail, "It answered 302.", nil},
		"an error":             {func(s *Shot) { s.Facts.Status = 500 }, CheckPage, Fail, "It answered 500.", nil},
		"nothing":              {func(s *Shot) { s.Facts.Status = 0 }, CheckPage, Fail, "No response.", nil},
		"seen, but no picture": {func(s *Shot) { s.Error = "The page is too heavy" }, CheckPage, Fail, "The page is too heavy.", nil},

		"no main part":     {func(s *Shot) { s.Facts.Landmarks = []string{"banner", "navigation", "contentinfo"} }, CheckLandmarks, Fail, "Missing: main part.", []string{"main"}},
		"no header":        {func(s *Shot) { s.Facts.Landmarks = []string{"main", "navigation", "contentinfo"} }, CheckLandmarks, Fail, "Missing: header.", []string{"banner"}},
		"nothing is there": {func(s *Shot) { s.Facts.Landmarks = nil }, CheckLandmarks, Fail, "Missing: header, navigation, main part and footer.", Landmarks},
		"no heading":       {func(s *Shot) { s.Facts.Headings = 0 }, CheckLandmarks, Fail, "The page has 0 h1 headings instead of 1.", []string{"h1"}},
		"three headings":   {func(s *Shot) { s.Facts.Headings = 3 }, CheckLandmarks, Fail, "The page has 3 h1 headings instead of 1.", []string{"h1"}},
		"no footer, and no heading": {
			func(s *Shot) { s.Facts.Landmarks, s.Facts.Headings = []string{"banner", "navigation", "main"}, 0 },
			CheckLandmarks, Fail, "Missing: footer. The page has 0 h1 headings instead of 1.",
			[]string{"contentinfo", "h1"},
		},

		"a script error": {func(s *Shot) { s.Facts.Console = []string{"Error: boom\n at x"} }, CheckConsole, Fail, "1 error: Error: boom at x.", []string{"Error: boom at x"}},
		"two errors":     {func(s *Shot) { s.Facts.Console = []string{"one!", "two"} }, CheckConsole, Fail, "2 errors, the first: one!", []string{"one!", "two"}},

		"a missing bundle": {
			func(s *Shot) { s.Facts.Failed = []string{"GET /assets/a.js: 404"} }, CheckRequests, Fail,
			"1 request failed: GET /assets/a.js: 404.",
			[]string{"GET /assets/a.js: 404"},
		},
		"two of them": {
			func(s *Shot) { s.Facts.Failed = []string{"GET /a.js: 404", "GET http://other/: not allowed"} }, CheckRequests, Fail,
			"2 requests failed, the first: GET /a.js: 404.",
			[]string{"GET /a.js: 404", "GET http://other/: not allowed"},
		},

		"a contrast violation": {
			func(s *Shot) {
				s.Facts.Axe = []Violation{{"color-contrast", "serious", "Elements must have enough contrast.", []string{".a > b", "p"}, 3}}
			},
			CheckAxe, Fail, "1 rule is violated: color-contrast (serious, 3 places).",
			[]string{"color-contrast: Elements must have enough contrast. At: .a > b, p"},
		},
		"two rules": {
			func(s *Shot) {
				s.Facts.Axe = []Violation{{"color-contrast", "serious", "A.", []string{"p"}, 3}, {"image-alt", "critical", "B.", []string{"img"}, 1}}
			},
			CheckAxe, Fail, "2 rules are violated: color-contrast (serious, 3 places), image-alt (critical, 1 place).",
			[]string{"color-contrast: A. At: p", "image-alt: B. At: img"},
		},

		"no baseline":             {func(s *Shot) { s.BaselineID = nil }, CheckBaseline, Skip, "No baseline is approved for this view yet.", nil},
		"not compared":            {func(s *Shot) { s.ChangedShare = nil }, CheckBaseline, Skip, "It could not be compared with the baseline.", nil},
		"changed":                 {func(s *Shot) { *s.ChangedShare = 0.0423 }, CheckBaseline, Fail, "4.2 % of the picture changed.", nil},
		"all of it":               {func(s *Shot) { *s.ChangedShare = 1 }, CheckBaseline, Fail, "100 % of the picture changed.", nil},
		"just too much":           {func(s *Shot) { *s.ChangedShare = 0.0011 }, CheckBaseline, Fail, "0.11 % of the picture changed.", nil},
		"as much as is tolerated": {func(s *Shot) { *s.ChangedShare = 0.001 }, CheckBaseline, Pass, "It matches the baseline: 0.1 % of the picture changed.", nil},
		"a caret":                 {func(s *Shot) { *s.ChangedShare = 0.00001 }, CheckBaseline, Pass, "It matches the baseline: less than 0.01 % of the picture changed.", nil},
	} {
		t.Run(name, func(t *testing.T) {
			shot := healthyShot()
			tt.spoil(&shot)
			require.Equal(t, &Check{tt.kind, "light wide", tt.state, tt.says, tt.details}, found(tt.kind, shot))
			_, failed, _ := Count(ShotChecks(shot))
			if tt.state == Fail {
				require.Equal(t, 1, failed, "nothing else is wrong")
			} else {
				require.Zero(t, failed)
			}
		})
	}
}

func TestShotChecksAreBounded(t *testing.T) {
	t.Parallel()
	shot := healthyShot()
	shot.Facts.Axe = nil
	require.Nil(t, found(CheckAxe, shot), "no check without axe")
	for i := range 100 {
		line := strings.Repeat("x\x00", 1000) + strconv.Itoa(i)
		shot.Facts.Console = append(shot.Facts.Console, line)
		shot.Facts.Failed = append(shot.Facts.Failed, line)
		shot.Facts.Axe = append(shot.Facts.Axe, Violation{line, line, line, []string{line}, i})
	}
	for _, kind := range []CheckKind{CheckConsole, CheckRequests, CheckAxe} {
		check := found(kind, shot)
		require.Less(t, len(check.Message), 800)
		require.Len(t, check.Details, mostDetails+1)
		require.Equal(t, "… and 80 more", check.Details[mostDetails])
		for _, detail := range check.Details {
			require.LessOrEqual(t, len(detail), 410)
		}
	}
}

func TestEachThemeAndEachSizeIsExamined(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, view := range Views() {
		if view.Examined() {
			seen[string(view.Theme)], seen[view.Viewport.Name] = true, true
		}
	}
	require.Equal(t, map[string]bool{"light": true, "dark": true, "wide": true, "narrow": true}, seen)
}
