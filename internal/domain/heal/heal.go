// Package heal holds the rules of the healer: when a chaos target is sick, and what to mend. It knows
// probes only, never what was broken. Values in, values out.
package heal

import (
	"fmt"
	"time"

	"customerzero/internal/domain/target"
)

// Pulse remembers the last three probes: a chaos target is sick after two misses of three, so that one
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

// Repair is a step that was carried out, as an incident keeps it.
type Repair struct {
	Kind  Kind      `json:"kind"`
	Files []string  `json:"files,omitempty"`
	At    time.Time `json:"at"`
	MS    int       `json:"ms"`
	Error string    `json:"error,omitempty"` // why it was not done; a sentence
}

// Incident is a time in which the chaos target was sick, as the healer saw it.
type Incident struct {
	ID          string
	OpenKey     *string        // chaos.TargetKey until it has ended: one at a time
	Failing     target.Failing // all checks that failed meanwhile
	Steps       []Repair       `gorm:"serializer:json"`
	Alarm       string         // why the healer needs help; empty: it does not
	WorkflowID  string
	RunID       string
	OpenedAt    time.Time // the first probe that failed
	UnhealthyAt time.Time // the probe that made it sick
	AlarmAt     *time.Time
	EndedAt     *time.Time // the first probe that was well again
}

// TargetState is what was last seen of the chaos target.
type TargetState struct {
	ID            string     // chaos.TargetKey
	SeenAt        *time.Time // nil: never yet
	Failing       target.Failing
	ProcessID     int
	StartedAt     *time.Time    // the process
	ManifestFiles []target.File `gorm:"serializer:json"` // the manifest
	SignedNote    string        // signed
	VerifierKey   string
	// The kill switch.
	ChaosOn      bool
	SwitchedBy   string
	SwitchReason string
	SwitchedAt   *time.Time
}

// TableName is the table that GORM stores these rows in.
func (TargetState) TableName() string { return "chaos_targets" }

// Observation is what the healer just saw of the chaos target.
type Observation struct {
	At        time.Time
	Failing   target.Failing
	Process   int
	StartedAt *time.Time // the process; nil: nobody could say
}

// RoundsBeforeAlarm is how many rounds of mending are tried before people are called.
const RoundsBeforeAlarm = 3

// Plan says what to mend, from the failing checks alone. Rounds count from 1. What only serves
// badly gets the first round to come to itself: most often it fails for what was just mended.
// While the supervisor is silent there is nothing to do, for it is who mends.
func Plan(failing target.Failing, round int) []Step {
	if failing.Has(target.CheckSupervisor) {
		return nil
	}
	var steps []Step
	if files := failing.Files(); len(files) > 0 {
		steps = append(steps, Step{Kind: RestoreFiles, Files: files})
	}
	switch {
	case failing.Has(target.CheckDatabase):
		steps = append(steps, Step{Kind: RestoreDatabase}) // starts the process anew, too
	case failing.Has(target.CheckProcess), len(steps) == 0 && failing.Any() && round > 1:
		steps = append(steps, Step{Kind: Restart})
	}
	return steps
}

// Beat remembers one more probe.
func (p Pulse) Beat(s target.Sample) Pulse {
	return Pulse{
		Last: [3]target.Failing{s.Failing, p.Last[0], p.Last[1]},
		At:   [3]time.Time{s.At, p.At[0], p.At[1]},
	}
}

// Unhealthy says whether two of the last three probes failed.
func (p Pulse) Unhealthy() bool {
	misses := 0
	for _, failing := range p.Last {
		if failing.Any() {
			misses++
		}
	}
	return misses >= 2
}

// Since is when the first of the probes that failed was made; zero: none failed.
func (p Pulse) Since() time.Time {
	var first time.Time
	for i, failing := range p.Last {
		if failing.Any() {
			first = p.At[i] // newest first, so the last one stays
		}
	}
	return first
}

// Alarm says for people what is broken and what was tried. Why a step was not done is left
// out: it may name what is the machine's business.
func Alarm(failing target.Failing, steps []Repair) string {
	broken := "The chaos target was sick for too long."
	if failing.Any() {
		broken = "The chaos target stays sick: these fail their checks: " + failing.InWords() + "."
	}
	return broken + " " + Summary(steps)
}

// Summary says for people what the healer did.
func Summary(steps []Repair) string {
	var parts []string
	for _, kind := range []Kind{RestoreFiles, RestoreDatabase, Restart} {
		if done, failed := count(steps, kind); done > 0 {
			parts = append(parts, said[kind]+" "+times(done, failed))
		}
	}
	if len(parts) == 0 {
		return "The healer had nothing that it could mend."
	}
	return "The healer " + target.List(parts) + "."
}

var said = map[Kind]string{
	RestoreFiles: "restored files", RestoreDatabase: "restored the database", Restart: "started the process anew",
}

func count(steps []Repair, kind Kind) (done, failed int) {
	for _, s := range steps {
		if s.Kind == kind {
			done++
			if s.Error != "" {
				failed++
			}
		}
	}
	return done, failed
}

// times says how often something was tried, and how often in vain.
func times(done, failed int) string {
	text := "once"
	if done > 1 {
		text = fmt.Sprintf("%d times", done)
	}
	switch {
	case failed == 0:
		return text
	case done == 1:
		return text + " (in vain)"
	case failed == done:
		return text + " (each in vain)"
	}
	return text + fmt.Sprintf(" (%d of them in vain)", failed)
}
