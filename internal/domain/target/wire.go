package target

import "time"

// The words that a supervisor understands, over HTTP, with its key as the bearer token. Every order
// is safe to repeat. Refusals have the body Refusal.
const (
	PathInspect  = "/inspect"          // GET: Inspection
	PathManifest = "/manifest"         // GET: Signed
	PathFaults   = "/faults"           // POST /faults/{name} with Break: Broken. 409: it cannot be broken now
	PathLease    = "/lease/end"        // POST LeaseEnd: reverts the fault of the run, if it is there still
	PathFiles    = "/restore/files"    // POST RestoreFiles: from the golden copy
	PathDatabase = "/restore/database" // POST: from the last good snapshot; starts the process anew
	PathProcess  = "/restart"          // POST: starts the process anew
)

// Inspection is what a supervisor sees of its chaos target.
type Inspection struct {
	At       time.Time `json:"at"`
	Process  Process   `json:"process"`
	Files    []string  `json:"files"`    // names of critical files that are not what the manifest says
	Database string    `json:"database"` // empty: it passes the integrity check; else what is wrong
	Lease    *Lease    `json:"lease,omitempty"`
}

// Process is the replica's.
type Process struct {
	ID        int       `json:"id"` // 0: it is dead
	StartedAt time.Time `json:"startedAt"`
	Starts    int       `json:"starts"` // how often it was started, since the supervisor was
}

// Lease is a fault that may stay until a time. The supervisor takes it back by its own clock then,
// whoever else died.
type Lease struct {
	RunID string    `json:"runId"` // of the chaos run
	Fault string    `json:"fault"`
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// Break orders a fault under a lease. Asked again for the same run, the supervisor answers as the
// first time and breaks nothing more.
type Break struct {
	RunID   string `json:"runId"`
	LeaseMS int64  `json:"leaseMs"`
}

// Broken says when the fault was there.
type Broken struct {
	At    time.Time `json:"at"`
	Until time.Time `json:"until"` // the end of its lease
}

// LeaseEnd takes the fault of a run back.
type LeaseEnd struct {
	RunID string `json:"runId"`
}

// RestoreFiles names critical files; none means all that are not what the manifest says.
type RestoreFiles struct {
	Names []string `json:"names"`
}

// Signed is the manifest as text, with the key that verifies it. The text is a signed note of
// golang.org/x/mod/sumdb/note: a header line, then one line "<sha256> <size> <name>" a file.
type Signed struct {
	Note     string `json:"note"`
	Verifier string `json:"verifier"`
	Files    []File `json:"files"`
}

// Refusal says why an order was not carried out.
type Refusal struct {
	Error string `json:"error"`
}

// Heartbeat is what the replica says of its worker loop, at GET /heartbeat.
type Heartbeat struct {
	At     time.Time `json:"at"` // of the last good round
	Rounds int64     `json:"rounds"`
	Error  string    `json:"error,omitempty"` // why the last round was not good
}
