package checkouts

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"customerzero/internal/domain/checkout"
	"customerzero/proof/crash/rig"
)

// facts are what the product's tables say.
type facts struct {
	checkouts []row
	decisions []decision
	months    []month
	members   map[string]string // status by id
	owners    map[string]string // address by member
	entries   []entry
	heeded    map[string]bool // the payment service's events that reached us, by id
	letters   []letter
}

type row struct {
	id, decisionID, sessionID string
	state                     checkout.State
	code, runID, memberID     string
	paidCents, refundedCents  int
	endedAt                   time.Time // zero: not yet
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

type entry struct {
	memberID, reason, key string
	seq, delta, balance   int
}

type letter struct{ id, fact, state string }

func readFacts(ctx context.Context, db *sql.DB) (facts, error) {
	f := facts{members: map[string]string{}, owners: map[string]string{}, heeded: map[string]bool{}}
	return f, errors.Join(f.readCheckouts(ctx, db), f.readPrices(ctx, db), f.readMembers(ctx, db), f.readNews(ctx, db))
}

func (f *facts) readCheckouts(ctx context.Context, db *sql.DB) error {
	const query = `SELECT id, decision_id, coalesce(session_id, ''), state, code, run_id, coalesce(member_id, ''),
		paid_cents, refunded_cents, ended_at FROM checkouts ORDER BY created_at, id`
	return rig.Each(ctx, db, query, func(scan rig.Scanner) error {
		var r row
		var ended sql.NullTime
		err := scan(&r.id, &r.decisionID, &r.sessionID, &r.state, &r.code, &r.runID, &r.memberID, &r.paidCents, &r.refundedCents, &ended)
		r.endedAt = ended.Time
		f.checkouts = append(f.checkouts, r)
		return err
	})
}

func (f *facts) readPrices(ctx context.Context, db *sql.DB) error {
	const query = `SELECT id, coalesce(visitor, ''), coalesce(month, ''), personal, discount_percent, final_cents, held_cents
		FROM decisions ORDER BY id`
	return errors.Join(
		rig.Each(ctx, db, query, func(scan rig.Scanner) error {
			var d decision
			err := scan(&d.id, &d.visitor, &d.month, &d.personal, &d.percent, &d.finalCents, &d.heldCents)
			f.decisions = append(f.decisions, d)
			return err
		}),
		rig.Each(ctx, db, "SELECT month, held_cents, budget_cents FROM discount_months", func(scan rig.Scanner) error {
			var m month
			err := scan(&m.name, &m.heldCents, &m.ofCents)
			f.months = append(f.months, m)
			return err
		}))
}

func (f *facts) readMembers(ctx context.Context, db *sql.DB) error {
	return errors.Join(
		rig.Each(ctx, db, "SELECT id, status FROM members", func(scan rig.Scanner) error {
			var id, status string
			err := scan(&id, &status)
			f.members[id] = status
			return err
		}),
		rig.Each(ctx, db, "SELECT member_id, coalesce(email, '') FROM accounts WHERE member_id IS NOT NULL", func(scan rig.Scanner) error {
			var id, email string
			err := scan(&id, &email)
			f.owners[id] = email
			return err
		}),
		rig.Each(ctx, db, "SELECT member_id, reason, entry_key, seq, delta, balance FROM credit_entries ORDER BY member_id, seq",
			func(scan rig.Scanner) error {
				var e entry
				err := scan(&e.memberID, &e.reason, &e.key, &e.seq, &e.delta, &e.balance)
				f.entries = append(f.entries, e)
				return err
			}))
}

func (f *facts) readNews(ctx context.Context, db *sql.DB) error {
	return errors.Join(
		rig.Each(ctx, db, "SELECT id, heeded_at FROM payment_events", func(scan rig.Scanner) error {
			var id string
			var heeded sql.NullTime
			err := scan(&id, &heeded)
			f.heeded[id] = heeded.Valid
			return err
		}),
		rig.Each(ctx, db, "SELECT id, fact_key, state FROM letters", func(scan rig.Scanner) error {
			var l letter
			err := scan(&l.id, &l.fact, &l.state)
			f.letters = append(f.letters, l)
			return err
		}))
}

// bySession finds the checkout of a payment page; nil: there is none.
func (f facts) bySession(id string) *row {
	return find(f.checkouts, func(r row) bool { return r.sessionID == id })
}

func (f facts) byID(id string) *row { return find(f.checkouts, func(r row) bool { return r.id == id }) }

func (f facts) decision(id string) *decision {
	return find(f.decisions, func(d decision) bool { return d.id == id })
}

func find[T any](list []T, is func(T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return &list[i]
	}
	return nil
}
