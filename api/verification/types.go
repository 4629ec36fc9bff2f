// Package verification serves checks of the site's pages: runs, screenshots and baselines.
package verification

import (
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/verification"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

// NewVerification is a request for a verification.
type NewVerification struct {
	URL    string `json:"url,omitempty" maxLength:"2048" doc:"Page of this site, as a URL or path. Default: the front page"`
	Prompt string `json:"prompt,omitempty" maxLength:"1000" doc:"Questions for the AI review, one per line"`
	Wait   *bool  `json:"wait,omitempty" doc:"True to wait for the end of the run. Default: true"`
}

// VerificationBrief is a summary of a run.
type VerificationBrief struct {
	httpapi.RunRef
	ID          string     `json:"id" doc:"Verification ID"`
	URL         string     `json:"url" doc:"URL of the page"`
	Path        string     `json:"path" doc:"Path of the page"`
	RequestedBy string     `json:"requestedBy" doc:"Role of the requester" enum:"visitor,member,founder,schedule"`
	Stage       string     `json:"stage" doc:"Stage of the run" enum:"requested,capturing,comparing,reviewing,ended"`
	Done        int        `json:"done" doc:"Number of completed steps"`
	Total       int        `json:"total" doc:"Number of steps"`
	Status      string     `json:"status,omitempty" enum:"active,warning,error" doc:"Result; omitted until the run has ended"`
	Checked     string     `json:"checked,omitempty" enum:"active,warning,error" doc:"Result of the checks alone; status is the same or worse"`
	Reason      string     `json:"reason,omitempty" doc:"Human-readable reason for the status"`
	Code        string     `json:"code,omitempty" doc:"Machine-readable reason why the page could not be checked, for example browser_missing"`
	Passed      int        `json:"passed" doc:"Number of passed checks"`
	Failed      int        `json:"failed" doc:"Number of failed checks"`
	Thumbnail   string     `json:"thumbnail,omitempty" doc:"Path of the first screenshot"`
	RequestedAt time.Time  `json:"requestedAt" doc:"Time of the request"`
	EndedAt     *time.Time `json:"endedAt,omitempty" doc:"Time at which the run ended"`
}

// Verification is a run in full.
type Verification struct {
	VerificationBrief
	Prompt      string                   `json:"prompt,omitempty" doc:"Questions for the AI review"`
	Screenshot  string                   `json:"screenshot,omitempty" doc:"First screenshot as base64-encoded PNG; only returned by verify with wait"`
	AIAnalysis  string                   `json:"aiAnalysis" doc:"Text of the AI review; empty until it is written"`
	Analyst     string                   `json:"analyst" doc:"Author of the AI review: built-in or a model's name"`
	BuiltIn     bool                     `json:"builtIn" doc:"True if the AI review was made from checks and measurements, without a model"`
	Doubts      bool                     `json:"doubts" doc:"True if the AI review found a possible problem"`
	Trouble     string                   `json:"trouble,omitempty" doc:"Why the model's review is missing"`
	Criteria    []verification.Criterion `json:"criteria" doc:"Answers to the questions of the prompt"`
	TestResults TestResults              `json:"testResults" doc:"Results of the checks"`
	Shots       []VerificationShot       `json:"shots" doc:"Screenshots taken so far"`
	CanApprove  bool                     `json:"canApprove" doc:"True if the caller may approve these screenshots as the baseline"`
}

// TestResults are the results of the checks.
type TestResults struct {
	SuccessRate     float64              `json:"successRate" doc:"Passed checks in percent of those that could run"`
	FrameworkStatus string               `json:"frameworkStatus" doc:"Result in one word: working, degraded, broken or unknown"`
	Checks          []verification.Check `json:"checks" doc:"Result of each check"`
}

// VerificationShot is a screenshot of the page in one theme and viewport.
type VerificationShot struct {
	Theme      string     `json:"theme" doc:"Color theme" enum:"light,dark"`
	Viewport   string     `json:"viewport" doc:"Viewport" enum:"wide,narrow"`
	Picture    string     `json:"picture,omitempty" doc:"Path of the screenshot; omitted if there is none"`
	Width      int        `json:"width" doc:"Width in pixels"`
	Height     int        `json:"height" doc:"Height in pixels"`
	Cut        bool       `json:"cut" doc:"True if the page is longer than the screenshot"`
	Error      string     `json:"error,omitempty" doc:"Why there is no screenshot"`
	Title      string     `json:"title" doc:"Title of the page"`
	Notes      []string   `json:"notes" doc:"Human-readable remarks, for example that a dialog was closed"`
	LoadMS     int        `json:"loadMs" doc:"Load time in milliseconds"`
	Requests   int        `json:"requests" doc:"Number of requests that the page made"`
	Bytes      int64      `json:"bytes" doc:"Bytes received"`
	Browser    string     `json:"browser" doc:"Name and version of the browser"`
	Approved   string     `json:"approved,omitempty" doc:"Path of the baseline that it was compared with"`
	ApprovedAt *time.Time `json:"approvedAt,omitempty" doc:"Time at which the baseline was approved"`
	ApprovedBy string     `json:"approvedBy,omitempty" doc:"Founder who approved the baseline"`
	Diff       string     `json:"diff,omitempty" doc:"Path of an image that marks the differences; omitted if there are none"`
	Changed    *float64   `json:"changed,omitempty" doc:"Share of changed pixels from 0 to 1; omitted without a baseline"`
	TakenAt    time.Time  `json:"takenAt" doc:"Time of the screenshot"`
}

// SiteStatus is the status of the site.
type SiteStatus struct {
	Status           string            `json:"status" enum:"active,warning,error,unknown" doc:"Health of the site; unknown if no run has ended"`
	Reason           string            `json:"reason" doc:"Human-readable reason for the status"`
	LastVerification *time.Time        `json:"lastVerification,omitempty" doc:"Time at which the last run ended"`
	AgeSeconds       *int              `json:"ageSeconds,omitempty" doc:"Age of the last run in seconds"`
	Stale            bool              `json:"stale" doc:"True if the last run is older than two intervals"`
	Wavers           bool              `json:"wavers" doc:"True if the last runs, at most three, disagree"`
	EndpointsChecked int               `json:"endpointsChecked" doc:"Endpoints checked by the last run"`
	SuccessRate      *float64          `json:"successRate,omitempty" doc:"Passed checks of the last run in percent; omitted before the first run"`
	AIAnalysis       string            `json:"aiAnalysis" doc:"AI review of the last run without a prompt"`
	Analyst          string            `json:"analyst" doc:"Author of the AI review: built-in or a model's name"`
	Screenshot       string            `json:"screenshot" doc:"Path of the last run's first screenshot; empty if there is none"`
	RunID            string            `json:"runId" doc:"ID of the last run; empty if there is none"`
	EverySeconds     int               `json:"everySeconds" doc:"Interval between scheduled runs in seconds; 0 if runs are only on demand"`
	Trend            []VerificationDay `json:"trend" doc:"Results of the last 30 days, oldest first"`
	Browser          BrowserReport     `json:"browser" doc:"State of the browser"`
	Sites            []string          `json:"sites" doc:"Origins that may be checked; the first is this site"`
}

// VerificationDay counts the runs on the front page on a day.
type VerificationDay struct {
	Day     string `json:"day" doc:"Day in UTC, as 2026-12-31"`
	Active  int    `json:"active" doc:"Runs with the result active"`
	Warning int    `json:"warning" doc:"Runs with the result warning"`
	Error   int    `json:"error" doc:"Runs with the result error"`
}

// BrowserReport is the state of the browser.
type BrowserReport struct {
	Ready   bool       `json:"ready" doc:"True if the browser works"`
	Message string     `json:"message,omitempty" doc:"Why it does not work, and how to fix it"`
	Version string     `json:"version,omitempty" doc:"Name and version of the browser"`
	SeenAt  *time.Time `json:"seenAt,omitempty" doc:"Time of the last use"`
}

// Verifications is a page of runs.
type Verifications struct {
	Runs       []VerificationBrief `json:"runs" doc:"Verifications, newest first"`
	Pagination httpapi.Pagination  `json:"pagination" doc:"Position of this page in the whole list"`
}

// Approval makes screenshots the baselines of their views.
type Approval struct {
	Reason string         `json:"reason" minLength:"1" maxLength:"200" doc:"Public reason for the approval"`
	Views  []ApprovedView `json:"views,omitempty" maxItems:"4" doc:"Screenshots to approve. Default: all of the run"`
}

// ApprovedView identifies a view.
type ApprovedView struct {
	Theme    string `json:"theme" doc:"Color theme" enum:"light,dark"`
	Viewport string `json:"viewport" doc:"Viewport" enum:"wide,narrow"`
}

// Baseline is an approved screenshot.
type Baseline struct {
	ID         string    `json:"id" doc:"Baseline ID"`
	Path       string    `json:"path" doc:"Path of the page"`
	Theme      string    `json:"theme" doc:"Color theme" enum:"light,dark"`
	Viewport   string    `json:"viewport" doc:"Viewport" enum:"wide,narrow"`
	Current    bool      `json:"current" doc:"True if runs are compared with it"`
	ImageHash  string    `json:"picture" doc:"Path of the screenshot"`
	RunID      string    `json:"runId" doc:"ID of the verification that it was taken in; it may be deleted by now"`
	Reason     string    `json:"reason" doc:"Public reason for the approval"`
	ApprovedBy string    `json:"approvedBy" doc:"Founder who approved it"`
	ApprovedAt time.Time `json:"approvedAt" doc:"Time of the approval"`
}

// Baselines is a page of baselines.
type Baselines struct {
	Baselines  []Baseline         `json:"baselines" doc:"Baselines, newest first"`
	Pagination httpapi.Pagination `json:"pagination" doc:"Position of this page in the whole list"`
}

// Agreements shows how often AI reviews were right about the chaos target.
type Agreements struct {
	Formula  string      `json:"formula" doc:"Human-readable description of what is counted"`
	Analysts []Agreement `json:"analysts" doc:"Results for each author of AI reviews"`
}

// Agreement is the result of one analyst.
type Agreement struct {
	Analyst     string   `json:"analyst" doc:"Author of the AI reviews: built-in or a model's name"`
	Compared    int      `json:"compared" doc:"Screenshots that count"`
	Agreed      int      `json:"agreed" doc:"Screenshots on which the AI review was right"`
	Share       *float64 `json:"share,omitempty" doc:"Agreed divided by compared, from 0 to 1; omitted if nothing was compared"`
	Healthy     int      `json:"healthy" doc:"Counted screenshots of a healthy target"`
	Broken      int      `json:"broken" doc:"Counted screenshots of a broken target"`
	FalseAlarms int      `json:"falseAlarms" doc:"Screenshots of a healthy target that the AI review called broken"`
	Overlooked  int      `json:"overlooked" doc:"Screenshots of a broken target that the AI review called healthy"`
	Unclear     int      `json:"unclear" doc:"Screenshots without an opinion; they do not count"`
}

type (
	listBaselinesRequest struct {
		Path string `query:"path" maxLength:"300" doc:"Return only baselines of this page"`
		httpapi.PageQuery
	}
	pictureRequest struct {
		Name        string `path:"name" maxLength:"80" doc:"SHA-256 of the image in hexadecimal, followed by .png"`
		IfNoneMatch string `header:"If-None-Match" doc:"ETag of a stored copy"`
	}
)
