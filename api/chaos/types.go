// Package chaos serves chaos runs and the state of the chaos target.
package chaos

import (
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/heal"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

// ChaosEvent is a summary of a chaos run.
type ChaosEvent struct {
	httpapi.RunRef
	ID          string     `json:"id" doc:"Chaos run ID"`
	Type        string     `json:"type" doc:"Name of the fault"`
	Source      string     `json:"source" doc:"Where the run was requested, for example dashboard"`
	RequestedBy string     `json:"requestedBy" doc:"Role of the requester" enum:"visitor,member,founder,schedule"`
	Restored    bool       `json:"restored" doc:"True if the chaos target was healthy when the run ended"`
	Timestamp   time.Time  `json:"timestamp" doc:"Time of the request"`
	Stage       string     `json:"stage" doc:"Stage of the run" enum:"requested,checking,breaking,watching,ended"`
	Verdict     string     `json:"verdict,omitempty" enum:"healed,healed_late,failed,aborted" doc:"Result; omitted until the run has ended"`
	Reason      string     `json:"reason,omitempty" doc:"Human-readable reason for the verdict"`
	PromiseMS   int        `json:"promiseMs" doc:"Time to heal that counts as in time, in milliseconds"`
	DetectMS    *int       `json:"detectMs,omitempty" doc:"Milliseconds from the injection to the first failed probe"`
	HealMS      *int       `json:"healMs,omitempty" doc:"Milliseconds from the injection until all checks passed again"`
	InjectedAt  *time.Time `json:"injectedAt,omitempty" doc:"Time of the injection; omitted if nothing was injected"`
	EndedAt     *time.Time `json:"endedAt,omitempty" doc:"Time at which the run ended"`
	ReplayOf    string     `json:"replayOf,omitempty" doc:"ID of the run that this one repeats"`
}

// RecentChaos is the event log, newest first.
type RecentChaos struct {
	Events []ChaosEvent `json:"events" doc:"Latest runs, newest first, at most 50"`
}

// NewChaos is a request to inject a fault.
type NewChaos struct {
	Type   string `json:"type" doc:"Name of a fault, from getChaosTarget" maxLength:"100"`
	Source string `json:"source" doc:"Where the run is requested, for example dashboard" minLength:"1" maxLength:"40" pattern:"^[a-z0-9][a-z0-9_-]*$" patternDescription:"small letters, digits, - and _"`
}

// ChaosStarted is a run that was stored.
type ChaosStarted struct {
	ChaosEvent
	Event   ChaosEvent `json:"event" doc:"The run; its fields are repeated beside this one"`
	Success bool       `json:"success" doc:"Always true"`
	Message string     `json:"message" doc:"Confirmation to show to the user"`
}

// ChaosRuns is a page of runs.
type ChaosRuns struct {
	Runs       []ChaosEvent       `json:"runs" doc:"Runs, newest first"`
	Pagination httpapi.Pagination `json:"pagination" doc:"Position of this page in the whole list"`
}

// ChaosRun is a chaos run in full.
type ChaosRun struct {
	Event    ChaosEvent      `json:"event" doc:"The run's summary"`
	LeaseMS  int             `json:"leaseMs" doc:"Maximum duration of the fault in milliseconds; then it is reverted"`
	Timeline []ChaosMoment   `json:"timeline" doc:"Events of the run, oldest first"`
	Probes   ProbeList       `json:"probes" doc:"Probes of the chaos target"`
	Incident *Incident       `json:"incident,omitempty" doc:"Incident that the healer handled during the run; omitted if there was none"`
	Replays  []string        `json:"replays" doc:"IDs of runs that repeat this one, newest first"`
	Check    *HistoryCheck   `json:"check,omitempty" doc:"Latest replay check of the run's history"`
	Captures []TargetCapture `json:"captures" doc:"Screenshots of the chaos target before the fault, during it and after healing"`
}

// ChaosMoment is an entry of a run's timeline.
type ChaosMoment struct {
	At   time.Time `json:"at" doc:"Time of the event"`
	MS   *int      `json:"ms,omitempty" doc:"Milliseconds since the injection; negative before it"`
	Kind string    `json:"kind" doc:"Kind of event" enum:"requested,injected,detected,unhealthy,repaired,repair_failed,alarm,healed,lease_ended,ended"`
	Text string    `json:"text" doc:"Human-readable description"`
}

// ProbeList holds the results of a run's probes, one about every 250 ms.
type ProbeList struct {
	Checks  []string `json:"checks" doc:"Names of the checks; samples refer to them by index"`
	Samples []Probe  `json:"samples" doc:"Probes, oldest first, about one every 250 ms"`
}

// Probe is the result of one probe.
type Probe struct {
	MS      int   `json:"ms" doc:"Milliseconds since the injection, or since the first probe if nothing was injected; negative before it"`
	TookMS  int   `json:"tookMs" doc:"Duration of the probe in milliseconds"`
	Failing []int `json:"failing" doc:"Indexes of failed checks; empty if the chaos target was healthy"`
	Process int   `json:"process" doc:"Process ID of the chaos target; 0 if it was not running"`
}

// HistoryCheck reports whether a stored history replays with the current code.
type HistoryCheck struct {
	Passed    bool      `json:"passed" doc:"True if the history replays with this build's code"`
	Events    int       `json:"events" doc:"Number of events in the history"`
	Message   string    `json:"message,omitempty" doc:"Reason why the check failed"`
	Build     string    `json:"build" doc:"Build whose code was checked"`
	CheckedAt time.Time `json:"checkedAt" doc:"Time of the check"`
}

// ChaosScore is the resilience score of the last 30 days.
type ChaosScore struct {
	Since   time.Time    `json:"since" doc:"Start of the 30 days"`
	Score   *float64     `json:"score,omitempty" doc:"Score from 0 to 100; omitted if no run has a verdict"`
	Formula string       `json:"formula" doc:"Human-readable formula of the score"`
	Runs    int          `json:"runs" doc:"Number of runs, without aborted ones"`
	Faults  []FaultScore `json:"faults" doc:"Results for each fault"`
}

// FaultScore holds the counts of one fault's runs.
type FaultScore struct {
	Type        string   `json:"type" doc:"Name of the fault"`
	Title       string   `json:"title" doc:"Title of the fault"`
	Weight      int      `json:"weight" doc:"Weight of the fault in the score"`
	PromiseMS   int      `json:"promiseMs" doc:"Time to heal that counts as in time, in milliseconds"`
	Runs        int      `json:"runs" doc:"Number of runs, without aborted ones"`
	Healed      int      `json:"healed" doc:"Runs that healed in time"`
	HealedLate  int      `json:"healedLate" doc:"Runs that healed too late"`
	Failed      int      `json:"failed" doc:"Runs that did not heal before the fault was reverted"`
	Aborted     int      `json:"aborted" doc:"Runs without a verdict on the healer"`
	HealedShare *float64 `json:"healedShare,omitempty" doc:"Runs that healed in time plus half of those that healed late, divided by all runs, from 0 to 1"`
	DetectP50MS *int     `json:"detectP50Ms,omitempty" doc:"Median time to detect in milliseconds"`
	DetectP95MS *int     `json:"detectP95Ms,omitempty" doc:"95th percentile of the time to detect in milliseconds"`
	HealP50MS   *int     `json:"healP50Ms,omitempty" doc:"Median time to heal in milliseconds"`
	HealP95MS   *int     `json:"healP95Ms,omitempty" doc:"95th percentile of the time to heal in milliseconds"`
}

// Incidents is a page of incidents, newest first.
type Incidents struct {
	Incidents  []Incident         `json:"incidents" doc:"Incidents, newest first"`
	Pagination httpapi.Pagination `json:"pagination" doc:"Position of this page in the whole list"`
}

// Incident is a period in which the chaos target was unhealthy.
type Incident struct {
	httpapi.RunRef
	ID          string     `json:"id" doc:"Incident ID"`
	OpenedAt    time.Time  `json:"openedAt" doc:"Time of the first failed probe"`
	UnhealthyAt time.Time  `json:"unhealthyAt" doc:"Time at which the healer acted: two of three probes had failed"`
	EndedAt     *time.Time `json:"endedAt,omitempty" doc:"Time at which the target was healthy again; omitted while the incident is open"`
	Failing     []string   `json:"failing" doc:"Checks that failed during the incident"`
	Steps       []Repaired `json:"steps" doc:"Repair steps, oldest first"`
	Alarm       string     `json:"alarm,omitempty" doc:"Reason why the healer needs help; omitted if it does not"`
	ChaosID     string     `json:"chaosId,omitempty" doc:"ID of the chaos run that overlapped in time"`
}

// Repaired is one repair by the healer.
type Repaired struct {
	Kind  heal.Kind `json:"kind" doc:"Kind of repair" enum:"restore_files,restore_database,restart"`
	Files []string  `json:"files,omitempty" doc:"Restored files"`
	At    time.Time `json:"at" doc:"Time at which the step started"`
	MS    int       `json:"ms" doc:"Duration in milliseconds"`
	Error string    `json:"error,omitempty" doc:"Reason why the step failed; only founders see the details"`
}

// TargetReport is the state of the chaos target as of the last probe.
type TargetReport struct {
	Status    string       `json:"status" enum:"healthy,broken,unseen" doc:"Health of the chaos target; unseen if there was no probe in the last 10 seconds"`
	URL       string       `json:"url" doc:"Public URL of the chaos target; empty if there is none"`
	SeenAt    *time.Time   `json:"seenAt,omitempty" doc:"Time of the last probe"`
	Failing   []string     `json:"failing" doc:"Checks that failed in the last probe"`
	Process   int          `json:"process" doc:"Process ID of the chaos target; 0 if it was not running"`
	StartedAt *time.Time   `json:"startedAt,omitempty" doc:"Time at which that process started"`
	Files     []TargetFile `json:"files" doc:"Critical files of the chaos target"`
	Manifest  string       `json:"manifest" doc:"Signed manifest that lists the files"`
	Verifier  string       `json:"verifier" doc:"Public key that verifies the manifest"`
	Faults    []ChaosFault `json:"faults" doc:"Faults that can be injected"`
	Running   *ChaosEvent  `json:"running,omitempty" doc:"The running chaos run; omitted if there is none"`
	Incident  *Incident    `json:"incident,omitempty" doc:"The open incident; omitted if there is none"`
	Switch    ChaosSwitch  `json:"switch" doc:"State of the kill switch"`
	Limits    ChaosLimits  `json:"limits" doc:"Chaos runs allowed per hour"`
}

// TargetFile is a file of the manifest, and whether it is intact.
type TargetFile struct {
	Name   string `json:"name" doc:"Path of the file"`
	Size   int64  `json:"size" doc:"Size in bytes"`
	SHA256 string `json:"sha256" doc:"SHA-256 checksum in hexadecimal"`
	OK     bool   `json:"ok" doc:"True if the file matches the manifest"`
}

// ChaosFault is a way to break the chaos target.
type ChaosFault struct {
	Type      string `json:"type" doc:"Name of the fault, for startChaos"`
	Title     string `json:"title" doc:"Title of the fault"`
	About     string `json:"about" doc:"Effect of the fault"`
	PromiseMS int    `json:"promiseMs" doc:"Time to heal that counts as in time, in milliseconds"`
	Weight    int    `json:"weight" doc:"Weight of the fault in the score"`
}

// ChaosSwitch is the state of the founders' kill switch.
type ChaosSwitch struct {
	On     bool       `json:"on" doc:"True if chaos runs may start"`
	By     string     `json:"by,omitempty" doc:"Founder who last used the switch"`
	Reason string     `json:"reason,omitempty" doc:"Public reason for switching chaos off"`
	At     *time.Time `json:"at,omitempty" doc:"Time of the last use"`
}

// ChaosSwitchChange turns chaos on or off.
type ChaosSwitchChange struct {
	On     bool   `json:"on" doc:"True to allow chaos runs, false to stop them"`
	Reason string `json:"reason,omitempty" maxLength:"200" doc:"Public reason for switching chaos off"`
}

// ChaosLimits are the numbers of runs allowed per hour.
type ChaosLimits struct {
	PerVisitor int `json:"perVisitor" doc:"Runs per hour from one network"`
	Overall    int `json:"overall" doc:"Runs per hour from all callers together"`
}

type listChaosRunsRequest struct {
	Fault   string `query:"type" maxLength:"100" doc:"Return only runs of this fault"`
	Verdict string `query:"verdict" doc:"Return only runs with this verdict" enum:"healed,healed_late,failed,aborted"`
	httpapi.PageQuery
}

// TargetCapture is a screenshot of the chaos target in a chaos run.
type TargetCapture struct {
	Moment  string    `json:"moment" doc:"When the screenshot was taken" enum:"before,broken,healed"`
	Path    string    `json:"path" doc:"Path of the chaos target's page"`
	Picture string    `json:"picture,omitempty" doc:"Path of the screenshot; omitted if there is none"`
	Width   int       `json:"width" doc:"Width in pixels"`
	Height  int       `json:"height" doc:"Height in pixels"`
	Error   string    `json:"error,omitempty" doc:"Reason why there is no screenshot"`
	Failing []string  `json:"failing" doc:"Checks that failed at that moment"`
	Steady  bool      `json:"steady" doc:"True if the same checks failed, or none, before and after the screenshot. Otherwise it may show another state than its moment, and does not count for getAgreement"`
	Opinion string    `json:"opinion" enum:"healthy,broken,unclear" doc:"Judgment of the AI review, from the screenshot alone"`
	Review  string    `json:"review" doc:"Text of the AI review"`
	Analyst string    `json:"analyst" doc:"Author of the AI review: built-in or a model's name"`
	TakenAt time.Time `json:"takenAt" doc:"Time of the screenshot"`
}
