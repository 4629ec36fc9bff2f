package verification

import (
	"strings"
	"time"

	"customerzero/internal/domain/target"
)

// Moment is when the cell was photographed.
type Moment string

const (
	Before Moment = "before"
	During Moment = "broken"
	Healed Moment = "healed"
)

// Opinion is what the comment says of a picture alone.
type Opinion string

const (
	LooksWell    Opinion = "well"
	LooksBroken  Opinion = "broken"
	LooksUnclear Opinion = "unclear"
)

// TargetShot is a picture of the cell in a chaos run. The cell was broken on purpose, so it is
// known whether what the comment says is right.
type TargetShot struct {
	ChaosID string `gorm:"primaryKey"`
	Moment  Moment `gorm:"primaryKey"`
	Path    string // of the cell's page
	Picture string // sha256; empty: there is none
	Width   int
	Height  int
	Error   string         // why there is no picture; a sentence
	Failing target.Failing // what a probe saw as it was taken
	Steady  bool           // a probe before and one after saw the same: well, or not
	Opinion Opinion
	Says    string // the comment, in a sentence
	SaidBy  string // BuiltIn, or a model
	TakenAt time.Time
}

// TableName is where they are kept.
func (TargetShot) TableName() string { return "chaos_shots" }

// Agreement is how often the comment said of pictures of the cell what the checks said.
type Agreement struct {
	By       string
	Compared int // that were steady, with an opinion that is not unclear
	Agreed   int
	// FalseAlarms looked broken and were well; Overlooked looked well and were broken.
	FalseAlarms, Overlooked int
	Unclear                 int
}

// moved is the share of a picture of the cell from which on it looks broken.
const moved = 0.01

// Opine says how a picture of the cell looks, by the picture alone. changed is the share of it
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
