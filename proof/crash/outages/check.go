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
	// inTime bounds the wait for an answer, whatever is broken. The product's own deadlines are 20 s;
	// the rest is for a busy machine.
	inTime = 2 * time.Minute
	// recovery bounds the wait for readiness after the database is back.
	recovery = 5 * time.Minute
	// few is by how much what a process holds may differ at any moment.
	few = 30
)

// observed is an outage with its times.
type observed struct {
	outage
	from, until time.Time
}

func (w *world) report(ctx context.Context) (rig.Report, error) {
	votes, err := readVotes(ctx, w.DB.Books())
	if err != nil {
		return rig.Report{}, err
	}
	posts, err := rig.Pairs[int](ctx, w.DB.Books(), "SELECT text, count(*) FROM posts GROUP BY text")
	if err != nil {
		return rig.Report{}, err
	}
	r := rig.Report{Counts: w.counts(), Verdicts: []rig.Verdict{
		{Promise: "a vote that was answered with success is there", Breaches: w.lostVotes(votes)},
		{Promise: "a post that was answered with success is there, once", Breaches: w.lostPosts(posts)},
		{Promise: "the count that is shown is that of the rows", Breaches: w.miscounted(ctx, votes)},
		{Promise: "nobody was refused what they may do, or told of a mistake of ours", Breaches: w.refused()},
		{Promise: "everybody got an answer, in time", Breaches: w.late()},
		{Promise: "readiness said so while the database was away, and again when it was back", Breaches: w.unready()},
		{Promise: "no process fell", Breaches: w.fallen()},
		{Promise: "what the API holds is what it held before", Breaches: w.held(ctx)},
	}}
	return r, nil
}

// castVote is a row, with the time of the request that wrote it.
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

// lost holds a row against what its voter was told. The row has the time of the call that wrote it:
// the last that succeeded, or any that nobody knows of.
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
		return "has no vote, and was told of one"
	case !last.wrote(row):
		return fmt.Sprintf("has a vote %d of %s, and was told of %d at %s", row.value, clock(row.at), last.vote, clock(last.until))
	}
	return ""
}

// wrote says whether the row may be this call's.
func (c call) wrote(row castVote) bool {
	const step = time.Millisecond // that a database may cut off
	return c.vote == row.value && !row.at.Before(c.from.Add(-step)) && !row.at.After(c.until.Add(step))
}

func (w *world) lostPosts(rows map[string]int) (b rig.Breaches) {
	for _, c := range w.author.calls.All() {
		n := rows[c.text]
		b.If(c.Outcome == rig.Success && n != 1 || n > 1, "%q was answered %s, and is there %d times", c.text, c.Answer, n)
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

// refused are calls that should have been taken. If nothing was, nothing was tried.
func (w *world) refused() (b rig.Breaches) {
	done := 0
	for _, c := range w.everything() {
		switch c.Outcome {
		case rig.Success:
			done++
		case rig.Refused:
			b.Add("asked at %s: %s", clock(c.from), c.Answer)
		case rig.Unclear:
			b.If(c.Code == problem.Internal, "asked at %s, and told that it was our mistake", clock(c.from))
		}
	}
	b.If(done < len(w.plan)*callers, "only %d calls succeeded", done)
	return b
}

// late are calls that took too long, whatever came of them.
func (w *world) late() (b rig.Breaches) {
	for _, c := range w.everything() {
		b.If(c.took() > inTime, "asked at %s, and %s after %s", clock(c.from), c.Answer, c.took().Round(time.Millisecond))
	}
	if slowest := w.eye.slowest(); slowest > inTime {
		b.Add("readiness was told after %s", slowest.String())
	}
	return b
}

func (w *world) everything() (all []call) {
	for _, v := range w.voters {
		all = append(all, v.calls.All()...)
	}
	return append(all, w.author.calls.All()...)
}

func (w *world) unready() (b rig.Breaches) {
	for _, o := range w.seen {
		b.If(o.told() && !w.eye.told(o.from, o.until), "at %s the %s, and nobody was told", clock(o.from), o.kind)
		b.If(!w.eye.readySince(o.until), "at %s all was well again, and nobody was told", clock(o.until))
	}
	b.If(len(w.seen) < len(w.plan), "it did not get ready again")
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

// held waits a little: callers who went away are let go of in a moment.
func (w *world) held(ctx context.Context) (b rig.Breaches) {
	var now vitals
	var err error
	cluster.Until(ctx, 10*time.Second, func() bool {
		now, err = w.vitals(ctx)
		return err == nil && now.goroutines <= w.before.goroutines+few && now.files <= w.before.files+few
	})
	b.If(err != nil || now.goroutines > w.before.goroutines+few || now.files > w.before.files+few,
		"%+v before, %+v after (%v)", w.before, now, err)
	return b
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// readVotes reads who has voted what, by member.
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
	for _, c := range w.everything() {
		counts["calls "+c.String()]++
		counts["longest wait in seconds"] = max(counts["longest wait in seconds"], int(c.took().Seconds()))
	}
	return counts
}
