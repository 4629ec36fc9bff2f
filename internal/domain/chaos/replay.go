package chaos

import "time"

// Replay is a new run with the same input.
func (r Run) Replay(id, source string, by Asker, at time.Time) Run {
	return Run{
		ID: id, Fault: r.Fault, Source: source, RequestedBy: by, ReplayOf: &r.ID,
		Stage: Requested, PromiseMS: r.PromiseMS, LeaseMS: r.LeaseMS, RequestedAt: at,
	}
}
