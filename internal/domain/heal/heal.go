// Package heal holds the rules of the healer: when a cell is sick, and what to mend. It knows
// probes only, never what was broken. Values in, values out.
package heal

import (
	"time"

	"customerzero/internal/domain/target"
)

// Pulse remembers the last three probes: a cell is sick after two misses of three, so that one
// lost answer heals nothing.
type Pulse struct {
	Last [3]target.Failing // newest first
	At   [3]time.Time
}

// Step is one thing to mend. They are carried out in order.
type Step struct {
	Kind  Kind
	Files []string `json:",omitempty"` // of RestoreFiles
}

// Kind of a step.
type Kind string

const (
	RestoreFiles    Kind = "restore_files"    // from the golden copy
	RestoreDatabase Kind = "restore_database" // from the last good snapshot; starts the process anew
	Restart         Kind = "restart"          // of the process
)

// Mended is a step that was carried out, as an incident keeps it.
type Mended struct {
	Kind  Kind      `json:"kind"`
	Files []string  `json:"files,omitempty"`
	At    time.Time `json:"at"`
	MS    int       `json:"ms"`
	Error string    `json:"error,omitempty"` // why it was not done; a sentence
}

// Incident is a time in which the cell was sick, as the healer saw it.
type Incident struct {
	ID         string
	OpenKey    *string        // chaos.OnTheCell until it has ended: one at a time
	Failing    target.Failing // all checks that failed meanwhile
	Steps      []Mended       `gorm:"serializer:json"`
	Alarm      string         // why the healer needs help; empty: it does not
	WorkflowID string
	RunID      string
	OpenedAt   time.Time // the first probe that failed
	SickAt     time.Time // the probe that made it sick
	AlarmAt    *time.Time
	EndedAt    *time.Time // the first probe that was well again
}

// Cell is what was last seen of the cell.
type Cell struct {
	ID        string     // chaos.OnTheCell
	SeenAt    *time.Time // nil: never yet
	Failing   target.Failing
	Process   int
	StartedAt *time.Time    // the process
	Files     []target.File `gorm:"serializer:json"` // the manifest
	Note      string        // signed
	Verifier  string
	// The kill switch.
	ChaosOn      bool
	SwitchedBy   string
	SwitchReason string
	SwitchedAt   *time.Time
}

// Seen is what the healer just saw of the cell.
type Seen struct {
	At        time.Time
	Failing   target.Failing
	Process   int
	StartedAt *time.Time // the process; nil: nobody could say
}
