package target

import "time"

// The supervisor's HTTP API, authenticated with its key as a bearer token. Every command can be repeated
// safely. Errors have the body Refusal.
const (
	PathInspect  = "/inspect"          // GET: Inspection
	PathManifest = "/manifest"         // GET: Signed
	PathFaults   = "/faults"           // POST /faults/{name} with Break: Broken. 409: not possible now
	PathLease    = "/lease/end"        // POST LeaseEnd: reverts the run's fault if it is still active
	PathFiles    = "/restore/files"    // POST RestoreFiles: from the golden copy
	PathDatabase = "/restore/database" // POST: from the last good snapshot; restarts the process
	PathProcess  = "/restart"          // POST: restarts the process
)

// Inspection is the supervisor's view of the chaos target.
type Inspection struct {
	At       time.Time `json:"at"`
	Process  Process   `json:"process"`
	Files    []string  `json:"files"`    // names of critical files that differ from the manifest
	Database string    `json:"database"` // empty if it passes the integrity check, otherwise the error
	Lease    *Lease    `json:"lease,omitempty"`
}

// Process is the instance's process.
type Process struct {
	ID        int       `json:"id"` // 0: not running
	StartedAt time.Time `json:"startedAt"`
	Starts    int       `json:"starts"` // number of starts since the supervisor started
}

// Lease limits how long a fault may last. The supervisor reverts it by its own clock, even if every other
// process is dead.
type Lease struct {
	RunID string    `json:"runId"` // of the chaos run
	Fault string    `json:"fault"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// Break injects a fault under a lease. If repeated for the same run, the supervisor returns the first
// response and does nothing.
type Break struct {
	RunID   string `json:"runId"`
	LeaseMS int64  `json:"leaseMs"`
}

// Broken is the time of the injection.
type Broken struct {
	At    time.Time `json:"at"`
	Until time.Time `json:"until"` // the end of its lease
}

// LeaseEnd reverts the fault of a run.
type LeaseEnd struct {
	RunID string `json:"runId"`
}

// RestoreFiles names critical files to restore; none means all that differ from the manifest.
type RestoreFiles struct {
	Names []string `json:"names"`
}

// Signed is the manifest as a signed note (golang.org/x/mod/sumdb/note) with its verifier key: a header
// line, then "<sha256> <size> <name>" for each file.
type Signed struct {
	Note     string `json:"note"`
	Verifier string `json:"verifier"`
	Files    []File `json:"files"`
}

// Refusal is the reason why a command was not executed.
type Refusal struct {
	Error string `json:"error"`
}

// Heartbeat is the state of the instance's worker loop, from GET /heartbeat.
type Heartbeat struct {
	At     time.Time `json:"at"` // of the last successful round
	Rounds int64     `json:"rounds"`
	Error  string    `json:"error,omitempty"` // error of the last round
}
