package verification

import (
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

// CellShot is a picture of the cell in a chaos run. The cell was broken on purpose, so it is
// known whether what the comment says is right.
type CellShot struct {
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
func (CellShot) TableName() string { return "chaos_shots" }

// Agreement is how often the comment said of pictures of the cell what the checks said.
type Agreement struct {
	By       string
	Compared int // that were steady, with an opinion that is not unclear
	Agreed   int
	// FalseAlarms looked broken and were well; Overlooked looked well and were broken.
	FalseAlarms, Overlooked int
	Unclear                 int
}
