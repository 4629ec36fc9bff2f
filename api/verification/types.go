// Package verification answers for checks of our own pages: runs, screenshots and baselines.
package verification

import (
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/verification"
)

// API answers every operation of this feature.
type API struct{ httpapi.Deps }

// NewVerification asks for a look.
type NewVerification struct {
	URL    string `json:"url,omitempty" maxLength:"2048" doc:"A page of our own, whole or as a path; empty: the front page"`
	Prompt string `json:"prompt,omitempty" maxLength:"1000" doc:"What you want to know of it: one thing a line"`
	Wait   *bool  `json:"wait,omitempty" doc:"Answer when the run has ended; true when left out"`
}

// VerificationBrief is a run, in short.
type VerificationBrief struct {
	httpapi.RunRef
	ID          string     `json:"id"`
	URL         string     `json:"url"`
	Path        string     `json:"path"`
	RequestedBy string     `json:"requestedBy" enum:"visitor,member,founder,schedule"`
	Stage       string     `json:"stage" enum:"requested,capturing,comparing,reviewing,ended"`
	Done        int        `json:"done" doc:"Steps of all"`
	Total       int        `json:"total" doc:"Steps"`
	Status      string     `json:"status,omitempty" enum:"active,warning,error" doc:"What it came to; absent until it has ended"`
	Checked     string     `json:"checked,omitempty" enum:"active,warning,error" doc:"What the checks alone say: status is never better"`
	Reason      string     `json:"reason,omitempty" doc:"A sentence about the status"`
	Code        string     `json:"code,omitempty" doc:"Why the page could not be looked at, like browser_missing"`
	Passed      int        `json:"passed" doc:"Checks"`
	Failed      int        `json:"failed" doc:"Checks"`
	Thumbnail   string     `json:"thumbnail,omitempty" doc:"Path of the picture of its first view"`
	RequestedAt time.Time  `json:"requestedAt"`
	EndedAt     *time.Time `json:"endedAt,omitempty"`
}

// Verification is one run.
type Verification struct {
	VerificationBrief
	Prompt      string                   `json:"prompt,omitempty"`
	Screenshot  string                   `json:"screenshot,omitempty" doc:"The first view as base64 PNG; only in the answer of verify when it waited"`
	AIAnalysis  string                   `json:"aiAnalysis" doc:"The comment; empty until there is one"`
	Analyst     string                   `json:"analyst" doc:"Who commented: built-in, or a model"`
	BuiltIn     bool                     `json:"builtIn" doc:"The comment is made of the checks and of measurements; nobody looked"`
	Doubts      bool                     `json:"doubts" doc:"The comment does not believe that the page is well"`
	Trouble     string                   `json:"trouble,omitempty" doc:"Why a model's comment is missing"`
	Criteria    []verification.Criterion `json:"criteria" doc:"What was asked, one by one"`
	TestResults TestResults              `json:"testResults"`
	Shots       []VerificationShot       `json:"shots" doc:"Every view that was seen so far"`
	CanApprove  bool                     `json:"canApprove" doc:"The caller may approve this look"`
}

// TestResults is what the checks came to.
type TestResults struct {
	SuccessRate     float64              `json:"successRate" doc:"Percent of the checks that could be made"`
	FrameworkStatus string               `json:"frameworkStatus" doc:"In a word: working, degraded, broken, unknown"`
	Checks          []verification.Check `json:"checks"`
}

// VerificationShot is one view of the page.
type VerificationShot struct {
	Theme      string     `json:"theme" enum:"light,dark"`
	Viewport   string     `json:"viewport" enum:"wide,narrow"`
	Picture    string     `json:"picture,omitempty" doc:"Its path"`
	Width      int        `json:"width" doc:"Of the picture, in pixels"`
	Height     int        `json:"height"`
	Cut        bool       `json:"cut" doc:"The page goes on below"`
	Error      string     `json:"error,omitempty" doc:"Why there is no picture"`
	Title      string     `json:"title"`
	Notes      []string   `json:"notes" doc:"Like: A dialog was closed."`
	LoadMS     int        `json:"loadMs"`
	Requests   int        `json:"requests"`
	Bytes      int64      `json:"bytes" doc:"That came in"`
	Browser    string     `json:"browser"`
	Approved   string     `json:"approved,omitempty" doc:"Path of the approved picture it was compared with"`
	ApprovedAt *time.Time `json:"approvedAt,omitempty"`
	ApprovedBy string     `json:"approvedBy,omitempty"`
	Diff       string     `json:"diff,omitempty" doc:"Path of a picture that marks what changed; absent: nothing did"`
	Changed    *float64   `json:"changed,omitempty" doc:"Share of the pixels, 0 to 1; absent: there is nothing to compare with"`
	TakenAt    time.Time  `json:"takenAt"`
}

// VerificationStatus is how the site stands.
type VerificationStatus struct {
	Status           string            `json:"status" enum:"active,warning,error,unknown" doc:"unknown: no run has ended yet"`
	Reason           string            `json:"reason" doc:"A sentence about it"`
	LastVerification *time.Time        `json:"lastVerification,omitempty"`
	AgeSeconds       *int              `json:"ageSeconds,omitempty" doc:"Of the last run"`
	Stale            bool              `json:"stale" doc:"The last run is older than two intervals"`
	Wavers           bool              `json:"wavers" doc:"The last three runs do not agree; two of them count"`
	EndpointsChecked int               `json:"endpointsChecked" doc:"In the last run"`
	SuccessRate      *float64          `json:"successRate,omitempty" doc:"Of the last run, in percent; absent before the first"`
	AIAnalysis       string            `json:"aiAnalysis" doc:"Of the last run of which nobody wanted to know something in particular"`
	Analyst          string            `json:"analyst"`
	Screenshot       string            `json:"screenshot" doc:"Path of its picture; empty: there is none"`
	RunID            string            `json:"runId" doc:"The last run; empty: there is none"`
	EverySeconds     int               `json:"everySeconds" doc:"Between runs of the schedule; 0: only on demand"`
	Trend            []VerificationDay `json:"trend" doc:"30 days, oldest first"`
	Browser          BrowserReport     `json:"browser"`
	Sites            []string          `json:"sites" doc:"Origins that may be looked at, the first is our own"`
}

// VerificationDay is the runs of the front page on a day.
type VerificationDay struct {
	Day     string `json:"day" doc:"2006-01-02, UTC"`
	Active  int    `json:"active"`
	Warning int    `json:"warning"`
	Error   int    `json:"error"`
}

// BrowserReport is whether the browser works.
type BrowserReport struct {
	Ready   bool       `json:"ready"`
	Message string     `json:"message,omitempty" doc:"Why not, and what to do"`
	Version string     `json:"version,omitempty"`
	SeenAt  *time.Time `json:"seenAt,omitempty"`
}

// Verifications is a page of runs.
type Verifications struct {
	Runs       []VerificationBrief `json:"runs"`
	Pagination httpapi.Pagination  `json:"pagination"`
}

// Approval approves a look.
type Approval struct {
	Reason string         `json:"reason" minLength:"1" maxLength:"200" doc:"Why this is how the page should look, for everybody to read"`
	Views  []ApprovedView `json:"views,omitempty" maxItems:"4" doc:"Only these; empty: every view of the run"`
}

// ApprovedView names a view.
type ApprovedView struct {
	Theme    string `json:"theme" enum:"light,dark"`
	Viewport string `json:"viewport" enum:"wide,narrow"`
}

// Baseline is an approved look.
type Baseline struct {
	ID         string    `json:"id"`
	Path       string    `json:"path"`
	Theme      string    `json:"theme" enum:"light,dark"`
	Viewport   string    `json:"viewport" enum:"wide,narrow"`
	Current    bool      `json:"current" doc:"Runs are held against it"`
	ImageHash  string    `json:"picture" doc:"Its path"`
	RunID      string    `json:"runId" doc:"The verification it was seen in; it may be gone by now"`
	Reason     string    `json:"reason"`
	ApprovedBy string    `json:"approvedBy"`
	ApprovedAt time.Time `json:"approvedAt"`
}

// Baselines is a page of approved looks.
type Baselines struct {
	Baselines  []Baseline         `json:"baselines"`
	Pagination httpapi.Pagination `json:"pagination"`
}

// Agreements is how often comments were right about the chaos target.
type Agreements struct {
	Formula  string      `json:"formula" doc:"What is counted, in words"`
	Analysts []Agreement `json:"analysts"`
}

// Agreement is how often one analyst was right.
type Agreement struct {
	Analyst     string   `json:"analyst"`
	Compared    int      `json:"compared"`
	Agreed      int      `json:"agreed"`
	Share       *float64 `json:"share,omitempty" doc:"0 to 1; absent while nothing was compared"`
	FalseAlarms int      `json:"falseAlarms" doc:"It looked broken, and was well"`
	Overlooked  int      `json:"overlooked" doc:"It looked well, and was broken"`
	Unclear     int      `json:"unclear" doc:"No opinion: not compared"`
}

type (
	listBaselinesRequest struct {
		Path string `query:"path" maxLength:"300" doc:"Only of this page"`
		httpapi.PageQuery
	}
	pictureRequest struct {
		Name        string `path:"name" maxLength:"80" doc:"<sha256>.png"`
		IfNoneMatch string `header:"If-None-Match"`
	}
)
