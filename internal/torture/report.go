package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"customerzero/internal/post"
)

// report is what is printed of one database.
type report struct {
	kind     string
	evidence evidence
	world    *world
	elapsed  time.Duration
}

// inspect gathers all evidence, when everything is quiet.
func (w *world) inspect(ctx context.Context) (*report, error) {
	found, err := readFacts(ctx, w.db.books())
	if err != nil {
		return nil, err
	}
	e := evidence{
		facts: found, tweets: w.x.Tweets(), written: w.ledger.written, strange: w.ledger.strange, stuck: w.settled.stuck,
	}
	for _, p := range w.plan.posts {
		e.planned = append(e.planned, p.text)
	}
	waiting := len(e.in(post.StatusFailed)) + len(e.in(post.StatusUnknown))
	if e.runs, err = w.readRuns(ctx, waiting); err != nil {
		return nil, err
	}
	return &report{kind: w.kind, evidence: e, world: w}, nil
}

// print writes the table, and says whether every promise was kept.
func (r *report) print(out io.Writer) bool {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	say(table, "\n%s", strings.ToUpper(r.kind))
	for _, line := range r.figures() {
		say(table, "  %s\t%s", line[0], line[1])
	}
	kept := true
	for _, i := range invariants {
		breaches := i.broken(r.evidence)
		verdict := "ok"
		if len(breaches) > 0 {
			kept, verdict = false, fmt.Sprintf("BREACH (%d)", len(breaches))
		}
		say(table, "  %s\t%s", i.promise, verdict)
		for _, breach := range breaches[:min(len(breaches), 10)] {
			say(table, "    %s", breach) // no cell: it must not widen the column
		}
	}
	_ = table.Flush()
	return kept
}

func (r *report) figures() [][2]string {
	e, w := r.evidence, r.world
	count := func(s post.Status) string { return fmt.Sprint(len(e.in(s))) }
	attempts := 0
	for _, n := range e.attempts {
		attempts += n
	}
	lines := [][2]string{
		{"posts", fmt.Sprintf("%d (%d calls repeated, %d rows too many)", len(e.posts), w.ledger.twice, len(e.posts)-len(e.planned))},
		{"published", count(post.StatusPublished)},
		{"failed", count(post.StatusFailed)},
		{"unknown", fmt.Sprintf("%s (%d before they were tried again)", count(post.StatusUnknown), w.settled.unknown)},
		{"cancelled", count(post.StatusCancelled)},
		{"orders", e.orders()},
		{"kills", fmt.Sprintf("worker %d, api %d (other ends: %d, %d)", w.worker.kills, w.api.kills, w.worker.falls, w.api.falls)},
		{"database cuts", fmt.Sprint(w.cuts)},
		{"attempts", fmt.Sprint(attempts)},
		{"unclear attempts", fmt.Sprint(e.unclear())},
		{"safety reads", fmt.Sprint(e.safety)},
	}
	for _, kind := range slices.Sorted(maps.Keys(w.settled.faults)) {
		lines = append(lines, [2]string{"fault on " + kind, fmt.Sprint(w.settled.faults[kind])})
	}
	return append(lines, [2]string{"elapsed", r.elapsed.Round(time.Second).String()})
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
	counts := map[orderKind]map[outcome]int{edit: {}, reschedule: {}, cancelling: {}, retry: {}}
	for _, w := range e.written {
		for _, o := range w.orders {
			counts[o.kind][o.answer.outcome]++
		}
	}
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		c := counts[kind]
		words = append(words, fmt.Sprintf("%s %d/%d/%d", kind, c[success], c[refused], c[unclear]))
	}
	return strings.Join(words, ", ") + "  (done/refused/unclear)"
}
