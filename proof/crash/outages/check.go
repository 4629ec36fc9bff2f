package outages

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

const (
	// inTime is the longest allowed response time during any outage. The product's deadlines are 20 s; the rest
	// is for a busy machine.
	inTime = 2 * time.Minute
	// recovery is the timeout for readiness after an outage.
	recovery = 5 * time.Minute
	// few is the allowed growth of goroutines and open files.
	few = 30
)

type observed struct {
	outage
	from, until time.Time
}

func (w *world) report(ctx context.Context) (rig.Report, error) {
	votes, err := readVotes(ctx, w.DB.SQL())
	if err != nil {
		return rig.Report{}, err
	}
	posts, err := rig.Pairs[int](ctx, w.DB.SQL(), "SELECT text, count(*) FROM posts GROUP BY text")
	if err != nil {
		return rig.Report{}, err
	}
	r := rig.Report{Counts: w.counts(), Verdicts: []rig.Verdict{
		{Promise: "an acknowledged vote is stored", Breaches: w.lostVotes(votes)},
		{Promise: "an acknowledged post is stored once", Breaches: w.lostPosts(posts)},
		{Promise: "the vote count that is shown equals the rows", Breaches: w.miscounted(ctx, votes)},
		{Promise: "no permitted call was refused or failed with an internal error", Breaches: w.refused()},
		{Promise: "every call was answered in time", Breaches: w.late()},
		{Promise: "readiness reported each outage of the database and its end", Breaches: w.unready()},
		{Promise: "no process exited by itself", Breaches: w.fallen()},
		{Promise: "the API holds no more goroutines and files than before", Breaches: w.held(ctx)},
	}}
	return r, nil
}

// castVote is a row with the time of the call that wrote it.
type castVote struct {
	value int
	at    time.Time
}

func (w *world) lostVotes(rows map[string]castVote) (b rig.Breaches) {
	for _, v := range w.voters {
		row, there := rows[v.memberID]
		if breach := lost(v.calls.All(), row, there); breach != "" {
			b.Add("%s %s", v.memberID, breach)
		}
	}
	return b
}

// lost compares a row with its voter's calls. It must be written by the last call that succeeded or by one with
// an unclear outcome.
func lost(all []call, row castVote, there bool) string {
	var last *call
	for i, c := range all {
		switch {
		case c.vote == 0:
		case c.Outcome == rig.Success:
			last = &all[i]
		case c.Outcome == rig.Unclear && there && c.wrote(row):
			return ""
		}
	}
	switch {
	case last == nil:
		return ""
	case !there:
		return "has no vote, but one was acknowledged"
	case !last.wrote(row):
		return fmt.Sprintf("has a vote %d of %s, acknowledged was %d at %s", row.value, clock(row.at), last.vote, clock(last.until))
	}
	return ""
}

func (c call) wrote(row castVote) bool {
	const step = time.Millisecond // a database may truncate times
	return c.vote == row.value && !row.at.Before(c.from.Add(-step)) && !row.at.After(c.until.Add(step))
}

func (w *world) lostPosts(rows map[string]int) (b rig.Breaches) {
	for _, c := range w.author.calls.All() {
		n := rows[c.text]
		b.If(c.Outcome == rig.Success && n != 1 || n > 1, "%q was answered %s and is stored %d times", c.text, c.Answer, n)
	}
	return b
}

func (w *world) miscounted(ctx context.Context, rows map[string]castVote) (b rig.Breaches) {
	up := 0
	for _, row := range rows {
		if row.value == 1 {
			up++
		}
	}
	var shown struct {
		Upvotes   int `json:"upvotes"`
		Downvotes int `json:"downvotes"`
	}
	a := w.Founder().Call(ctx, http.MethodGet, "/api/experiments/"+experimentID, nil, &shown)
	b.If(a.Outcome != rig.Success || shown.Upvotes != up || shown.Downvotes != len(rows)-up,
		"%s: +%d -%d is shown; there are +%d of %d", a, shown.Upvotes, shown.Downvotes, up, len(rows))
	return b
}

// refused lists calls that should have succeeded. Too few successful calls are a violation as well.
func (w *world) refused() (b rig.Breaches) {
	done := 0
	for _, c := range w.allCalls() {
		switch c.Outcome {
		case rig.Success:
			done++
		case rig.Refused:
			b.Add("called at %s: %s", clock(c.from), c.Answer)
		case rig.Unclear:
			b.If(c.Code == problem.Internal, "called at %s: internal error", clock(c.from))
		}
	}
	b.If(done < len(w.plan)*callers, "only %d calls succeeded", done)
	return b
}

func (w *world) late() (b rig.Breaches) {
	for _, c := range w.allCalls() {
		b.If(c.took() > inTime, "called at %s: %s after %s", clock(c.from), c.Answer, c.took().Round(time.Millisecond))
	}
	if slowest := w.monitor.slowest(); slowest > inTime {
		b.Add("readiness was returned after %s", slowest.String())
	}
	return b
}

func (w *world) allCalls() (all []call) {
	for _, v := range w.voters {
		all = append(all, v.calls.All()...)
	}
	return append(all, w.author.calls.All()...)
}

func (w *world) unready() (b rig.Breaches) {
	for _, o := range w.seen {
		b.If(o.affectsReadiness() && !w.monitor.reportedUnready(o.from, o.until), "at %s the %s: not reported", clock(o.from), o.kind)
		b.If(!w.monitor.readySince(o.until), "at %s the outage was over: not reported", clock(o.until))
	}
	b.If(len(w.seen) < len(w.plan), "it did not become ready again")
	return b
}

func (w *world) fallen() (b rig.Breaches) {
	for _, p := range append(append(rig.Group{}, w.APIs...), w.Workers...) {
		if _, falls := p.Deaths(); falls > 0 {
			b.Add("%s ended by itself, %s times", p.Name(), strconv.Itoa(falls))
		}
	}
	return b
}

// held retries for a while: connections of callers that left are released with a delay.
func (w *world) held(ctx context.Context) (b rig.Breaches) {
	var now resources
	var err error
	cluster.Until(ctx, 10*time.Second, func() bool {
		now, err = w.resources(ctx)
		return err == nil && now.goroutines <= w.before.goroutines+few && now.files <= w.before.files+few
	})
	b.If(err != nil || now.goroutines > w.before.goroutines+few || now.files > w.before.files+few,
		"%+v before, %+v after (%v)", w.before, now, err)
	return b
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

func readVotes(ctx context.Context, db *sql.DB) (map[string]castVote, error) {
	type row struct {
		id string
		castVote
	}
	rows, err := rig.Rows(ctx, db, "SELECT member_id, value, updated_at FROM experiment_votes WHERE experiment_id = '"+experimentID+"'",
		func(r *row) []any { return []any{&r.id, &r.value, &r.at} })
	votes := map[string]castVote{}
	for _, r := range rows {
		votes[r.id] = r.castVote
	}
	return votes, err
}

func (w *world) counts() rig.Counts {
	counts := rig.Counts{}
	for _, c := range w.allCalls() {
		counts["calls "+c.String()]++
		counts["longest wait in seconds"] = max(counts["longest wait in seconds"], int(c.took().Seconds()))
	}
	return counts
}
