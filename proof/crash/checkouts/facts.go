package checkouts

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"customerzero/internal/domain/checkout"
	"customerzero/proof/crash/rig"
	"customerzero/workflows"
)

type facts struct {
	checkouts []row
	decisions []decision
	months    []month
	members   map[string]string // status by id
	owners    map[string]string // e-mail address by member
	entries   []rig.CreditEntry
	handled   map[string]bool // stored events, by ID: whether they were handled
	emails    []outboxEmail
}

type row struct {
	id, decisionID, sessionID string
	state                     checkout.State
	code, runID, memberID     string
	paidCents, refundedCents  int
	endedAt                   sql.NullTime
}

type decision struct {
	id, visitor, month string
	personal           bool
	percent            int
	finalCents         int
	heldCents          int
}

type month struct {
	name               string
	heldCents, ofCents int
}

type outboxEmail struct{ id, fact, state string }

func readFacts(ctx context.Context, db *sql.DB) (f facts, err error) {
	var errs [8]error
	f.checkouts, errs[0] = rig.Rows(ctx, db, `SELECT id, decision_id, coalesce(session_id, ''), state, code, run_id, coalesce(member_id, ''),
		paid_cents, refunded_cents, ended_at FROM checkouts ORDER BY created_at, id`, func(r *row) []any {
		return []any{&r.id, &r.decisionID, &r.sessionID, &r.state, &r.code, &r.runID, &r.memberID, &r.paidCents, &r.refundedCents, &r.endedAt}
	})
	f.decisions, errs[1] = rig.Rows(ctx, db, `SELECT id, coalesce(visitor, ''), coalesce(month, ''), personal, discount_percent, final_cents, held_cents
		FROM price_decisions ORDER BY id`, func(d *decision) []any {
		return []any{&d.id, &d.visitor, &d.month, &d.personal, &d.percent, &d.finalCents, &d.heldCents}
	})
	f.months, errs[2] = rig.Rows(ctx, db, "SELECT month, held_cents, budget_cents FROM discount_months",
		func(m *month) []any { return []any{&m.name, &m.heldCents, &m.ofCents} })
	f.members, errs[3] = rig.Pairs[string](ctx, db, "SELECT id, status FROM members")
	f.owners, errs[4] = rig.Pairs[string](ctx, db, "SELECT member_id, coalesce(email, '') FROM accounts WHERE member_id IS NOT NULL")
	f.entries, errs[5] = rig.ReadCredits(ctx, db)
	f.handled, errs[6] = rig.Pairs[bool](ctx, db, "SELECT id, handled_at IS NOT NULL FROM payment_events")
	f.emails, errs[7] = rig.Rows(ctx, db, "SELECT id, idempotency_key, state FROM emails", func(l *outboxEmail) []any { return []any{&l.id, &l.fact, &l.state} })
	return f, errors.Join(errs[:]...)
}

func (f facts) bySession(id string) *row {
	return rig.Find(f.checkouts, func(r row) bool { return r.sessionID == id })
}

func (f facts) byID(id string) *row {
	return rig.Find(f.checkouts, func(r row) bool { return r.id == id })
}

func (f facts) decision(id string) *decision {
	return rig.Find(f.decisions, func(d decision) bool { return d.id == id })
}

type flow = rig.Ended[workflows.CheckoutResult]

// readFailures lists the runs of every workflow that did not complete. Endless ones that continued as new do
// not count.
func (w *world) readFailures(ctx context.Context) ([]string, error) {
	listed, err := w.ListRuns(ctx, "ExecutionStatus IN ('Failed', 'Canceled', 'Terminated', 'TimedOut')")
	var failed []string
	for _, r := range listed {
		if !strings.HasPrefix(r.WorkflowID, "canary:") {
			failed = append(failed, r.WorkflowID+" "+strings.ToLower(r.Status.String())+" (run "+r.RunID+")")
		}
	}
	return failed, err
}
