package verification

import (
	"strings"
	"time"

	"customerzero/internal/domain/target"
)

// Theme is a colour scheme.
type Theme string

const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Viewport is the size of a window.
type Viewport struct {
	Name          string // wide, narrow
	Width, Height int    // CSS pixels
}

// The sizes in which pages are looked at.
var (
	Wide   = Viewport{"wide", 1280, 800}
	Narrow = Viewport{"narrow", 360, 740}
)

// View is one way to look at a page. Approved looks are kept for each.
type View struct {
	Theme    Theme
	Viewport Viewport
}

// Views are all ways to look at a page, the first is the one that is shown.
func Views() []View {
	return []View{{Light, Wide}, {Dark, Wide}, {Light, Narrow}, {Dark, Narrow}}
}

// Examined says whether axe looks for violations in this view. It takes as long as all the rest,
// so each theme and each size is examined once, and not all that can be made of them.
func (v View) Examined() bool { return (v.Theme == Light) == (v.Viewport == Wide) }

// PageRequest is an order to the browser: open a page and say what there is.
type PageRequest struct {
	URL  string
	View View
	Axe  bool // look for violations of accessibility, too
	// Quick leaves out axe, the text and what is below the fold: for moments that pass.
	Quick  bool
	Within time.Duration // for all of it
}

// Rect is a part of a picture, in its pixels.
type Rect struct{ X, Y, Width, Height int }

// Capture is what a browser saw.
type Capture struct {
	PNG   []byte
	Facts Facts
}

// Facts is what there is to say of a page beside its picture. Texts are cut to a bound.
type Facts struct {
	Status    int    // HTTP, of the document
	FinalURL  string // without its query
	Title     string
	Landmarks []string    // of Landmarks, those that are there and can be seen
	Headings  int         // of the first level
	Console   []string    // errors, uncaught ones among them
	Failed    []string    // requests: "GET /assets/a.js: 404", "GET http://other/: not allowed"
	Axe       []Violation // nil: not looked for
	Masks     []Rect      // parts that move: they are left out when looks are compared
	Text      string      // what can be read on the page, 4 kB at most
	Width     int         // of the picture, in pixels
	Height    int
	Cut       bool     // the page goes on below the picture
	Notes     []string // "A dialog was closed.", "A download was refused."
	Requests  int
	Bytes     int64 // that came in
	LoadMS    int
	TookMS    int
	Browser   string // like Chromium 156.0.8078.79
}

// Violation is a rule of accessibility that a page breaks.
type Violation struct {
	Rule    string // axe's name for it, like color-contrast
	Impact  string // minor, moderate, serious, critical
	Help    string
	Targets []string // where: selectors, three at most
	Count   int
}

// Landmarks are the parts that every page has.
var Landmarks = []string{"banner", "navigation", "main", "contentinfo"}

// Shot is one view of a run, as it was seen.
type Shot struct {
	RunID        string   `gorm:"primaryKey"`
	Theme        Theme    `gorm:"primaryKey"`
	Viewport     string   `gorm:"primaryKey"` // its name
	ImageHash    string   // sha256 of the PNG; empty: there is none
	Facts        *Facts   `gorm:"serializer:json"` // nil: the page was not seen
	Error        string   // why there is no picture; a sentence
	Code         string   // the problem's: browser_missing, page_unreachable, …
	BaselineID   *string  // what it was compared with; nil: nothing, or not yet
	DiffHash     string   // sha256 of the PNG that marks what changed; empty: nothing did
	ChangedShare *float64 // the share of pixels that changed, 0 to 1
	TakenAt      time.Time
}

// TableName is where shots are kept.
func (Shot) TableName() string { return "verification_screenshots" }

// ViewName names a view in texts, checks and the contract: "light wide".
func ViewName(theme Theme, viewport string) string { return string(theme) + " " + viewport }

// Baseline is the look of a page that a founder approved, for one view.
type Baseline struct {
	ID         string
	Path       string
	Theme      Theme
	Viewport   string
	CurrentKey *string // BaselineKey while it is the newest; nil: it was replaced
	ImageHash  string  // sha256
	Width      int
	Height     int
	Masks      []Rect `gorm:"serializer:json"`
	RunID      string // the verification that it was seen in
	Reason     string
	ApprovedBy string // a founder's name
	ApprovedAt time.Time
}

// TableName is where approved looks are kept.
func (Baseline) TableName() string { return "verification_baselines" }

// BaselineKey is unique among the approved looks that are current.
func BaselineKey(path string, theme Theme, viewport string) string {
	return path + "|" + ViewName(theme, viewport)
}

// Moment is when the chaos target was photographed.
type Moment string

const (
	Before Moment = "before"
	During Moment = "broken"
	Healed Moment = "healed"
)

// Opinion is what the comment says of a picture alone.
type Opinion string

const (
	LooksWell    Opinion = "healthy"
	LooksBroken  Opinion = "broken"
	LooksUnclear Opinion = "unclear"
)

// TargetScreenshot is a picture of the chaos target in a chaos run. The chaos target was broken on purpose, so it is
// known whether what the comment says is right.
type TargetScreenshot struct {
	ChaosRunID string `gorm:"primaryKey"`
	Moment     Moment `gorm:"primaryKey"`
	Path       string // of the chaos target's page
	ImageHash  string // sha256; empty: there is none
	Width      int
	Height     int
	Error      string         // why there is no picture; a sentence
	Failing    target.Failing // what a probe saw as it was taken
	Stable     bool           // a probe before and one after saw the same: well, or not
	Opinion    Opinion
	Review     string // the comment, in a sentence
	ReviewedBy string // BuiltIn, or a model
	TakenAt    time.Time
}

// TableName is where they are kept.
func (TargetScreenshot) TableName() string { return "chaos_screenshots" }

// Agreement is how often the comment said of pictures of the chaos target what the checks said.
type Agreement struct {
	By       string
	Compared int // that were steady, with an opinion that is not unclear
	Agreed   int
	// FalseAlarms looked broken and were well; Overlooked looked well and were broken.
	FalseAlarms, Overlooked int
	Unclear                 int
}

// moved is the share of a picture of the chaos target from which on it looks broken.
const moved = 0.01

// Opine says how a picture of the chaos target looks, by the picture alone. changed is the share of it
// that differs from the picture before; nil: there is none to compare with.
func Opine(m Measured, changed *float64) (Opinion, string) {
	switch {
	case m.Width <= 0 || m.Height <= 0:
		return LooksUnclear, "There is no picture to measure."
	case m.Blank:
		return LooksBroken, "Nearly all of the picture is one colour" + mainColour(m) + "."
	case changed == nil:
		return LooksWell, "The picture is not blank: it has edges at " + percent(m.Edges) +
			" of its pixels. There is none before it to compare with."
	case *changed > moved:
		return LooksBroken, percent(*changed) + " of the picture differs from the one before; " + percent(moved) + " may."
	default:
		return LooksWell, percent(*changed) + " of the picture differs from the one before; up to " + percent(moved) + " may."
	}
}

func mainColour(m Measured) string {
	return strings.Join(append([]string{""}, m.Colours[:min(len(m.Colours), 1)]...), ", ")
}
