package verification

import (
	"strings"
	"time"

	"customerzero/internal/domain/target"
)

// Theme is a color scheme.
type Theme string

const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Viewport is a window size.
type Viewport struct {
	Name          string // wide, narrow
	Width, Height int    // CSS pixels
}

// The viewports used in every run.
var (
	Wide   = Viewport{"wide", 1280, 800}
	Narrow = Viewport{"narrow", 360, 740}
)

// View is a combination of theme and viewport. Each has its own baseline.
type View struct {
	Theme    Theme
	Viewport Viewport
}

// Views lists all views; the first is the one shown by default.
func Views() []View {
	return []View{{Light, Wide}, {Dark, Wide}, {Light, Narrow}, {Dark, Narrow}}
}

// Examined reports whether axe runs in this view. Axe takes as long as everything else, so only two views
// are examined, which cover each theme and each viewport once.
func (v View) Examined() bool { return (v.Theme == Light) == (v.Viewport == Wide) }

// PageRequest asks the browser to open and capture a page.
type PageRequest struct {
	URL  string
	View View
	Axe  bool // check accessibility, too
	// Quick skips axe, the text and everything below the fold, to capture a short-lived state.
	Quick  bool
	Within time.Duration // total timeout
}

// Rect is an area of a picture in pixels.
type Rect struct{ X, Y, Width, Height int }

// Capture is a screenshot with the facts about the page.
type Capture struct {
	PNG   []byte
	Facts Facts
}

// Facts are the browser's observations of a page. Texts are truncated.
type Facts struct {
	Status    int    // HTTP, of the document
	FinalURL  string // without its query
	Title     string
	Landmarks []string    // the visible ones of Landmarks
	Headings  int         // number of h1
	Console   []string    // errors, including uncaught ones
	Failed    []string    // requests: "GET /assets/a.js: 404", "GET http://other/: not allowed"
	Axe       []Violation // nil: not checked
	Masks     []Rect      // moving parts, ignored in comparisons
	Text      string      // visible text, at most 4 kB
	Width     int         // of the picture, in pixels
	Height    int
	Cut       bool     // the page is longer than the picture
	Notes     []string // "A dialog was closed.", "A download was refused."
	Requests  int
	Bytes     int64 // received
	LoadMS    int
	TookMS    int
	Browser   string // like Chromium 156.0.8078.79
}

// Violation is an accessibility rule that the page violates.
type Violation struct {
	Rule    string // axe's rule ID, such as color-contrast
	Impact  string // minor, moderate, serious, critical
	Help    string
	Targets []string // selectors, at most 3
	Count   int
}

// Landmarks are the ARIA landmarks that every page must have.
var Landmarks = []string{"banner", "navigation", "main", "contentinfo"}

// Shot is the result of one view in a run.
type Shot struct {
	RunID        string   `gorm:"primaryKey"`
	Theme        Theme    `gorm:"primaryKey"`
	Viewport     string   `gorm:"primaryKey"` // Viewport.Name
	ImageHash    string   // SHA-256 of the PNG; empty: none
	Facts        *Facts   `gorm:"serializer:json"` // nil: the page was not captured
	Error        string   // a sentence
	Code         string   // problem code: browser_missing, page_unreachable, …
	Retried      bool     // the first attempt timed out
	BaselineID   *string  // nil: not compared
	DiffHash     string   // SHA-256 of the PNG that marks the changes; empty: none
	ChangedShare *float64 // share of changed pixels, 0 to 1
	TakenAt      time.Time
}

// TableName is the GORM table name.
func (Shot) TableName() string { return "verification_screenshots" }

// ViewName names a view in texts, checks and the API: "light wide".
func ViewName(theme Theme, viewport string) string { return string(theme) + " " + viewport }

// Baseline is a page's approved screenshot for one view.
type Baseline struct {
	ID         string
	Path       string
	Theme      Theme
	Viewport   string
	CurrentKey *string // BaselineKey while current; nil: replaced
	ImageHash  string  // SHA-256
	Width      int
	Height     int
	Masks      []Rect `gorm:"serializer:json"`
	RunID      string // the verification that took it
	Reason     string
	ApprovedBy string // a founder's name
	ApprovedAt time.Time
}

// TableName is the GORM table name.
func (Baseline) TableName() string { return "verification_baselines" }

// BaselineKey is unique among current baselines.
func BaselineKey(path string, theme Theme, viewport string) string {
	return path + "|" + ViewName(theme, viewport)
}

// Moment is the phase of a chaos run in which a screenshot was taken.
type Moment string

const (
	Before Moment = "before"
	During Moment = "broken"
	Healed Moment = "healed"
)

// Opinion is the AI review's assessment of a picture alone.
type Opinion string

const (
	LooksWell    Opinion = "healthy"
	LooksBroken  Opinion = "broken"
	LooksUnclear Opinion = "unclear"
)

// TargetScreenshot is a screenshot of the chaos target during a chaos run. Its state is known, so it can
// be compared with the AI review's opinion.
type TargetScreenshot struct {
	ChaosRunID string `gorm:"primaryKey"`
	Moment     Moment `gorm:"primaryKey"`
	Path       string // page of the chaos target
	ImageHash  string // SHA-256; empty: none
	Width      int
	Height     int
	Error      string         // why there is no picture
	Failing    target.Failing // failing checks when it was taken
	Stable     bool           // the same checks failed, or none, before and after
	Opinion    Opinion
	Review     string // a sentence
	ReviewedBy string // BuiltIn, or a model
	TakenAt    time.Time
}

// TableName is the GORM table name.
func (TargetScreenshot) TableName() string { return "chaos_screenshots" }

// Agreement counts how often the AI review's opinion of the chaos target matched the checks.
type Agreement struct {
	By       string
	Compared int // stable pictures with a clear opinion
	Agreed   int
	Healthy  int // of those compared; the others were broken
	// FalseAlarms were healthy but called broken; Overlooked the reverse.
	FalseAlarms, Overlooked int
	Unclear                 int
}

// maxChange is the changed share above which the chaos target looks broken.
const maxChange = 0.01

// Opine assesses the chaos target by the picture alone. changed is the share that differs from the
// picture before, or nil if there is none.
func Opine(m Measured, changed *float64) (Opinion, string) {
	switch {
	case m.Width <= 0 || m.Height <= 0:
		return LooksUnclear, "There is no picture to measure."
	case m.Blank:
		return LooksBroken, "Nearly all of the picture is one color" + mainColor(m) + "."
	case changed == nil:
		return LooksWell, "The picture is not blank: it has edges at " + percent(m.Edges) +
			" of its pixels. There is no earlier picture to compare with."
	case *changed > maxChange:
		return LooksBroken, percent(*changed) + " of the picture differs from the one before; the limit is " + percent(maxChange) + "."
	default:
		return LooksWell, percent(*changed) + " of the picture differs from the one before; the limit is " + percent(maxChange) + "."
	}
}

func mainColor(m Measured) string {
	return strings.Join(append([]string{""}, m.Colours[:min(len(m.Colours), 1)]...), ", ")
}
