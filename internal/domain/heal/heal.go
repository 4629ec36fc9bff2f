// Package heal holds the rules of the healer: when a chaos target is unhealthy and how to repair it, from
// probes alone. Pure functions: no clock, no I/O.
package heal

import (
	"fmt"
	"time"

	"customerzero/internal/domain/target"
)

// Pulse holds the last three probes. A chaos target is unhealthy if two of them failed, so a single lost
// response triggers no repair.
type Pulse struct {
	Last [3]target.Failing // newest first
	At   [3]time.Time
}

// Step is a repair step. Steps run in order.
type Step struct {
	Kind  Kind
	Files []string `json:",omitempty"` // of RestoreFiles
}

// Kind is the type of a repair step.
type Kind string

const (
	RestoreFiles    Kind = "restore_files"    // from the golden copy
	RestoreDatabase Kind = "restore_database" // from the last good snapshot; restarts the process
	Restart         Kind = "restart"          // of the process
)

// Repair is an executed step of an incident.
type Repair struct {
	Kind  Kind      `json:"kind"`
	Files []string  `json:"files,omitempty"`
	At    time.Time `json:"at"`
	MS    int       `json:"ms"`
	Error string    `json:"error,omitempty"` // why it failed; a sentence
}

// Incident is a period in which the chaos target was unhealthy.
type Incident struct {
	ID          string
	OpenKey     *string        // chaos.TargetKey until it ends; unique
	Failing     target.Failing // all checks that failed during the incident
	Steps       []Repair       `gorm:"serializer:json"`
	Alarm       string         // why the healer needs help, or empty
	WorkflowID  string
	RunID       string
	OpenedAt    time.Time // first failed probe
	UnhealthyAt time.Time // probe that made it unhealthy
	AlarmAt     *time.Time
	EndedAt     *time.Time // first healthy probe
}

// TargetState is the last known state of the chaos target.
type TargetState struct {
	ID            string     // chaos.TargetKey
	SeenAt        *time.Time // nil: never
	Failing       target.Failing
	ProcessID     int
	StartedAt     *time.Time    // of the process
	ManifestFiles []target.File `gorm:"serializer:json"` // from the manifest
	SignedNote    string        // the signed manifest
	VerifierKey   string
	// The kill switch.
	ChaosOn      bool
	SwitchedBy   string
	SwitchReason string
	SwitchedAt   *time.Time
}

// TableName is the GORM table name.
func (TargetState) TableName() string { return "chaos_targets" }

// Observation is the healer's latest observation of the chaos target.
type Observation struct {
	At        time.Time
	Failing   target.Failing
	Process   int
	StartedAt *time.Time // of the process; nil: unknown
}

// RoundsBeforeAlarm is the number of repair rounds before the alarm.
const RoundsBeforeAlarm = 3

// Plan returns the repair steps for the failing checks in a round, counted from 1. Checks without a
// direct repair get one round to recover by themselves, because they usually fail for a cause that was
// just repaired. Without the supervisor there is nothing to do, because it executes the repairs.
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
		steps = append(steps, Step{Kind: RestoreDatabase}) // also restarts the process
	case failing.Has(target.CheckProcess), len(steps) == 0 && failing.Any() && round > 1:
		steps = append(steps, Step{Kind: Restart})
	}
	return steps
}

// Beat adds a probe.
func (p Pulse) Beat(s target.Sample) Pulse {
	return Pulse{
		Last: [3]target.Failing{s.Failing, p.Last[0], p.Last[1]},
		At:   [3]time.Time{s.At, p.At[0], p.At[1]},
	}
}

// Unhealthy reports whether two of the last three probes failed.
func (p Pulse) Unhealthy() bool {
	misses := 0
	for _, failing := range p.Last {
		if failing.Any() {
			misses++
		}
	}
	return misses >= 2
}

// Since is the time of the first failed probe, or zero.
func (p Pulse) Since() time.Time {
	var first time.Time
	for i, failing := range p.Last {
		if failing.Any() {
			first = p.At[i] // newest first, so the last one stays
		}
	}
	return first
}

// Alarm describes what is broken and what was tried. It omits the errors, which may contain details of
// the machine.
func Alarm(failing target.Failing, steps []Repair) string {
	broken := "The chaos target was unhealthy for too long."
	if failing.Any() {
		broken = "The chaos target is still unhealthy. Failed checks: " + failing.InWords() + "."
	}
	return broken + " " + Summary(steps)
}

// Summary describes the healer's repairs.
func Summary(steps []Repair) string {
	var parts []string
	for _, kind := range []Kind{RestoreFiles, RestoreDatabase, Restart} {
		if done, failed := count(steps, kind); done > 0 {
			parts = append(parts, actions[kind]+" "+times(done, failed))
		}
	}
	if len(parts) == 0 {
		return "There was nothing for the healer to repair."
	}
	return "The healer " + target.List(parts) + "."
}

var actions = map[Kind]string{
	RestoreFiles: "restored files", RestoreDatabase: "restored the database", Restart: "restarted the process",
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

// times formats the number of attempts and failures.
func times(done, failed int) string {
	text := "once"
	if done > 1 {
		text = fmt.Sprintf("%d times", done)
	}
	switch {
	case failed == 0:
		return text
	case done == 1:
		return text + " (failed)"
	case failed == done:
		return text + " (all failed)"
	}
	return text + fmt.Sprintf(" (%d failed)", failed)
}
