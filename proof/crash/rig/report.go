package rig

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// Invariant is a promise of the product. Broken adds a line for each violation found in the evidence of a run.
type Invariant[E any] struct {
	Name    string // for tests
	Promise string
	Broken  func(E, *Breaches)
}

// Breaches are the violations of a promise, one line each.
type Breaches []string

// Add adds a violation.
func (b *Breaches) Add(format string, args ...any) { *b = append(*b, fmt.Sprintf(format, args...)) }

// All adds violations that are already formatted.
func (b *Breaches) All(found []string) { *b = append(*b, found...) }

// If adds a violation if broken is true.
func (b *Breaches) If(broken bool, format string, args ...any) {
	if broken {
		b.Add(format, args...)
	}
}

// Judge checks the evidence against every invariant.
func Judge[E any](invariants []Invariant[E], evidence E) (verdicts []Verdict) {
	for _, i := range invariants {
		v := Verdict{Promise: i.Promise}
		i.Broken(evidence, &v.Breaches)
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// Breached returns the names of the invariants that the evidence violates.
func Breached[E any](invariants []Invariant[E], evidence E) (names []string) {
	for i, v := range Judge(invariants, evidence) {
		if len(v.Breaches) > 0 {
			names = append(names, invariants[i].Name)
		}
	}
	return names
}

// Notes is a list that several goroutines append to.
type Notes[T any] struct {
	mu  sync.Mutex
	all []T
}

// Add appends an element.
func (n *Notes[T]) Add(one T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, one)
}

// All returns a copy of the list.
func (n *Notes[T]) All() []T {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.all)
}

// Find returns the first element for which is returns true, or nil.
func Find[T any](list []T, is func(T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return &list[i]
	}
	return nil
}

// Report is the result on one database.
type Report struct {
	Counts   Counts
	Verdicts []Verdict
}

// Counts are numbers of attempts and results, by name.
type Counts map[string]int

// Verdict is a promise with its violations.
type Verdict struct {
	Promise  string
	Breaches Breaches
}

const breachesShown = 10

// print writes the table and returns whether every promise was kept.
func (r Report) print(out io.Writer, kind string) bool {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	Print(table, "\n%s", strings.ToUpper(kind))
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		Print(table, "  %s\t%d", name, r.Counts[name])
	}
	kept := true
	for _, v := range r.Verdicts {
		verdict := "ok"
		if len(v.Breaches) > 0 {
			kept, verdict = false, fmt.Sprintf("BREACH (%d)", len(v.Breaches))
		}
		Print(table, "  %s\t%s", v.Promise, verdict)
		for _, breach := range v.Breaches[:min(len(v.Breaches), breachesShown)] {
			Print(table, "    %s", breach) // without a tab: it must not widen the column
		}
	}
	_ = table.Flush()
	return kept
}

// Rows returns every row of a query; into returns the scan destinations of one row.
func Rows[T any](ctx context.Context, db *sql.DB, query string, into func(row *T) []any) (all []T, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row T
		if err := rows.Scan(into(&row)...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// Pair is a row of two columns.
type Pair[V any] struct {
	Key   string
	Value V
}

// Pairs returns rows of two columns as a map by the first column.
func Pairs[V any](ctx context.Context, db *sql.DB, query string) (map[string]V, error) {
	rows, err := Rows(ctx, db, query, func(p *Pair[V]) []any { return []any{&p.Key, &p.Value} })
	pairs := map[string]V{}
	for _, p := range rows {
		pairs[p.Key] = p.Value
	}
	return pairs, err
}

// CreditEntry is a row of credit_entries.
type CreditEntry struct {
	MemberID, Key       string
	Seq, Delta, Balance int
}

// ReadCredits returns all entries, ordered by member and sequence number.
func ReadCredits(ctx context.Context, db *sql.DB) ([]CreditEntry, error) {
	return Rows(ctx, db, "SELECT member_id, entry_key, seq, delta, balance FROM credit_entries ORDER BY member_id, seq",
		func(e *CreditEntry) []any { return []any{&e.MemberID, &e.Key, &e.Seq, &e.Delta, &e.Balance} })
}

// SumCredits returns each member's sum and adds a violation for each entry whose balance differs from it or is
// negative.
func SumCredits(entries []CreditEntry, b *Breaches) map[string]int {
	sums := map[string]int{}
	for _, e := range entries {
		sums[e.MemberID] += e.Delta
		b.If(sums[e.MemberID] != e.Balance || e.Balance < 0,
			"entry %d of %s has the balance %d, the sum is %d", e.Seq, e.MemberID, e.Balance, sums[e.MemberID])
	}
	return sums
}
