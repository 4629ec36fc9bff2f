package posts

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/proof/crash/rig"
)

// inspect gathers all evidence, when everything is quiet.
func (w *world) inspect(ctx context.Context) (evidence, error) {
	found, err := readFacts(ctx, w.DB.Books())
	e := evidence{
		facts: found, tweets: w.x.Tweets(), written: w.ledger.written, strange: w.ledger.strange, stuck: w.settled.stuck,
	}
	if err != nil {
		return e, err
	}
	for _, p := range w.plan.posts {
		e.planned = append(e.planned, p.text)
	}
	waiting := len(e.in(post.StatusFailed)) + len(e.in(post.StatusUnknown))
	e.runs, err = w.readRuns(ctx, waiting)
	return e, err
}

// report holds the evidence against every promise.
func (w *world) report(e evidence) rig.Report {
	r := rig.Report{Figures: w.figures(e)}
	for _, i := range invariants {
		r.Verdicts = append(r.Verdicts, rig.Verdict{Promise: i.promise, Breaches: i.broken(e)})
	}
	return r
}

func (w *world) figures(e evidence) []rig.Figure {
	count := func(s post.Status) string { return strconv.Itoa(len(e.in(s))) }
	attempts := 0
	for _, n := range e.attempts {
		attempts += n
	}
	lines := []rig.Figure{
		{Name: "posts", Value: fmt.Sprintf("%d (%d calls repeated, %d rows too many)", len(e.posts), w.ledger.twice, len(e.posts)-len(e.planned))},
		{Name: "published", Value: count(post.StatusPublished)},
		{Name: "failed", Value: count(post.StatusFailed)},
		{Name: "unknown", Value: fmt.Sprintf("%s (%d before they were tried again)", count(post.StatusUnknown), w.settled.unknown)},
		{Name: "cancelled", Value: count(post.StatusCancelled)},
		{Name: "orders", Value: e.orders()},
		{Name: "attempts", Value: strconv.Itoa(attempts)},
		{Name: "unclear attempts", Value: strconv.Itoa(e.unclear())},
		{Name: "safety reads", Value: strconv.Itoa(e.safety)},
	}
	for _, kind := range slices.Sorted(maps.Keys(w.settled.faults)) {
		lines = append(lines, rig.Figure{Name: "fault on " + kind, Value: strconv.Itoa(w.settled.faults[kind])})
	}
	return lines
}

// unclear counts attempts that had to be looked for. Those that were found bear X's time,
// which has no fractions of a second.
func (e evidence) unclear() int {
	n := e.attempts[string(post.OutcomeAbsent)] + e.attempts[string(post.OutcomeUnclear)] + e.attempts[string(post.OutcomePending)]
	for _, r := range e.in(post.StatusPublished) {
		if r.publishedAt.Equal(r.publishedAt.Truncate(time.Second)) {
			n++
		}
	}
	return n
}

// orders counts what became of orders, as "edit 12/3/1": success, refused, unclear.
func (e evidence) orders() string {
	counts := map[orderKind]map[rig.Outcome]int{edit: {}, reschedule: {}, cancelling: {}, retry: {}}
	for _, w := range e.written {
		for _, o := range w.orders {
			counts[o.kind][o.answer.Outcome]++
		}
	}
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		c := counts[kind]
		words = append(words, fmt.Sprintf("%s %d/%d/%d", kind, c[rig.Success], c[rig.Refused], c[rig.Unclear]))
	}
	return strings.Join(words, ", ") + "  (done/refused/unclear)"
}
