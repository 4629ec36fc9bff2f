package store

import (
	"context"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
)

// Checkouts stores prices, checkouts and payments.
type Checkouts struct{ db *DB }

// BeginCheckout returns the visitor's open checkout, or creates one.
func (s *Checkouts) BeginCheckout(ctx context.Context, a checkout.Request, at time.Time) (checkout.Receipt, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (checkout.Receipt, error) {
		if a.Visitor != nil { // two concurrent clicks make one checkout
			if _, err := readAll[pricing.Visitor](tx.Clauses(forUpdate).Where("id = ?", *a.Visitor)); err != nil {
				return checkout.Receipt{}, err
			}
		}
		return begin(tx, a, stamp(at))
	})
}

// begin returns the open checkout of the requested kind, or a new one at the known price or at a new
// price. A personal price is used once: after its payment the list price applies.
func begin(tx *gorm.DB, a checkout.Request, at time.Time) (r checkout.Receipt, err error) {
	found, err := openCheckout(tx, a, at)
	if err != nil || found != nil {
		return receiptOf(tx, found, err)
	}
	known, err := knownDecision(tx, a, at)
	switch {
	case err != nil:
		return r, err
	case known == nil:
		r.Decision, err = newDecision(tx, a, at)
	case known.State == pricing.Used:
		a.Personal, a.Why = false, pricing.UsedUp
		return begin(tx, a, at)
	default:
		r.Decision = *known
	}
	if err != nil {
		return r, err
	}
	r.Checkout = checkout.Checkout{
		ID: a.ID, DecisionID: r.Decision.ID, OpenKey: a.OpenKey(), Demo: a.Demo, State: checkout.Quoting,
		CreatedAt: at, UpdatedAt: at,
	}
	return r, tx.Create(&r.Checkout).Error
}

// openCheckout returns the visitor's open checkout, or nil. It releases the key of one that is about to
// expire.
func openCheckout(tx *gorm.DB, a checkout.Request, at time.Time) (*checkout.Checkout, error) {
	key := a.OpenKey()
	if key == nil {
		return nil, nil //nolint:nilnil // an anonymous visitor has none
	}
	c, err := readFirst[checkout.Checkout](tx.Clauses(forUpdate).Where("open_key = ?", *key))
	if err != nil || c == nil || c.Payable(at) {
		return c, err
	}
	return nil, mustChange(tx.Model(c).Update("open_key", nil))
}

func receiptOf(tx *gorm.DB, c *checkout.Checkout, err error) (r checkout.Receipt, _ error) {
	if err != nil {
		return r, err
	}
	r.Checkout = *c
	r.Decision, err = readOne[pricing.Decision](tx.Where("id = ?", c.DecisionID))
	return r, err
}

// Receipt returns a checkout and its price.
func (s *Checkouts) Receipt(ctx context.Context, id string) (checkout.Receipt, error) {
	c, err := byID[checkout.Checkout](s.db.on(ctx), "receipt", id)
	return receiptOf(s.db.on(ctx), &c, err)
}

// NoteCheckoutRun stores the run of a checkout.
func (s *Checkouts) NoteCheckoutRun(ctx context.Context, id, runID string, at time.Time) (checkout.Receipt, error) {
	c, err := s.changeCheckout(ctx, id, at, func(_ *gorm.DB, c *checkout.Checkout) error {
		c.RunID = runID
		return nil
	})
	return receiptOf(s.db.on(ctx), &c, err)
}

// OpenCheckout stores the payment page of a checkout that was being quoted.
func (s *Checkouts) OpenCheckout(
	ctx context.Context, id, couponID string, page checkout.Session, at time.Time,
) (checkout.Checkout, error) {
	return s.changeCheckout(ctx, id, at, func(_ *gorm.DB, c *checkout.Checkout) error {
		if c.State != checkout.Quoting {
			return nil
		}
		ends := stamp(page.ExpiresAt)
		c.State, c.CouponID, c.SessionID, c.PaymentURL, c.ExpiresAt = checkout.Open, couponID, &page.ID, page.URL, &ends
		return nil
	})
}

// CloseCheckout ends an unpaid checkout as failed, expired or cancelled.
func (s *Checkouts) CloseCheckout(
	ctx context.Context, id string, state checkout.State, code, reason string, at time.Time,
) (checkout.Checkout, error) {
	return s.changeCheckout(ctx, id, at, func(_ *gorm.DB, c *checkout.Checkout) error {
		if !c.State.Live() {
			return nil
		}
		if state.Live() || state.Settled() {
			return problem.New(problem.Conflict, "A checkout without a payment cannot end as %s.", state)
		}
		ended := stamp(at)
		c.State, c.Code, c.Reason, c.OpenKey, c.EndedAt = state, code, reason, nil, &ended
		return nil
	})
}

func (s *Checkouts) changeCheckout(
	ctx context.Context, id string, at time.Time, alter func(*gorm.DB, *checkout.Checkout) error,
) (checkout.Checkout, error) {
	return changeRow(ctx, s.db, "checkout", id, func(tx *gorm.DB, c *checkout.Checkout) error {
		c.UpdatedAt = stamp(at)
		return alter(tx, c)
	})
}

// WaitingCheckouts lists the checkouts without a run or, with all, every one that can still be paid or whose
// payment is still to be refunded, the oldest first.
func (s *Checkouts) WaitingCheckouts(ctx context.Context, all bool, before time.Time) ([]checkout.Checkout, error) {
	query := s.db.on(ctx).Where("state IN ? AND run_id = '' AND created_at <= ?", []checkout.State{checkout.Quoting, checkout.Open}, stamp(before)).Limit(batch)
	if all {
		query = s.db.on(ctx).Where("(state IN ('quoting', 'open') OR (state = 'paid' AND code = 'already_member')) AND created_at <= ?", stamp(before))
	}
	return readAll[checkout.Checkout](query.Order("created_at, id"))
}

// OverdueCheckouts lists the checkouts whose payment page should have expired.
func (s *Checkouts) OverdueCheckouts(ctx context.Context, before time.Time) ([]checkout.Checkout, error) {
	return readAll[checkout.Checkout](s.db.on(ctx).Where("state = ? AND expires_at <= ?", checkout.Open, stamp(before)).Order("created_at, id").Limit(batch))
}

// Checkouts lists checkouts, newest first, with their total.
func (s *Checkouts) Checkouts(ctx context.Context, f checkout.Filter) ([]checkout.Listed, int, error) {
	query, order := s.db.on(ctx).Model(&checkout.Checkout{}), "checkouts.created_at DESC, checkouts.id"
	if f.Paid {
		query, order = query.Where("paid_at IS NOT NULL"), "checkouts.paid_at DESC, checkouts.id"
	}
	total, err := countOf[checkout.Checkout](query.Session(&gorm.Session{}))
	if err != nil {
		return nil, 0, err
	}
	list, err := readAll[checkout.Listed](query.Joins("LEFT JOIN members ON members.id = checkouts.member_id").
		Select("checkouts.*, COALESCE(members.username, '') AS username").Order(order).Limit(f.Limit).Offset(f.Offset))
	return list, total, err
}

// discountMonth sums the discounts that were paid of a month's offers.
type discountMonth struct {
	Month       post.Month `gorm:"primaryKey"`
	HeldCents   int
	BudgetCents int
}

// knownDecision returns the visitor's valid personal price, locked, or nil.
func knownDecision(tx *gorm.DB, a checkout.Request, at time.Time) (*pricing.Decision, error) {
	if !a.Personal || a.Visitor == nil {
		return nil, nil //nolint:nilnil // having none is not an error
	}
	d, err := readFirst[pricing.Decision](tx.Clauses(forUpdate).Where("open_key = ?", *a.Visitor))
	if err != nil || d == nil || d.ValidUntil.After(at) {
		return d, err
	}
	return nil, mustChange(tx.Model(d).Update("open_key", nil))
}

// newDecision stores a price decision. The list price is decided at once.
func newDecision(tx *gorm.DB, a checkout.Request, at time.Time) (pricing.Decision, error) {
	d := pricing.Decision{
		ID: xid.New().String(), Visitor: a.Visitor, Demo: a.Demo, Personal: a.Personal, ListPriceReason: a.Why,
		ListCents: pricing.ListCents, FinalCents: pricing.ListCents,
		State: pricing.Pending, CreatedAt: at, ValidUntil: at.Add(pricing.Sticky),
	}
	if a.Personal {
		d.OpenKey = a.Visitor
		d.SetBehaviour(a.Behaviour)
	} else {
		d.Settle(pricing.Proposal{Source: pricing.ByList}, pricing.Limits{ListCents: d.ListCents, FloorCents: d.ListCents}, at)
	}
	return d, tx.Create(&d).Error
}

// DecidePrice decides the price of a proposal, once. Its discount counts against the month's budget when it is paid:
// if offers did, one visitor could use up the budget with offers.
func (s *Checkouts) DecidePrice(
	ctx context.Context, decisionID string, p pricing.Proposal, b checkout.Budget, at time.Time,
) (pricing.Decision, error) {
	at = stamp(at)
	return changeRow(ctx, s.db, "price", decisionID, func(tx *gorm.DB, d *pricing.Decision) error {
		if d.State != pricing.Pending {
			return nil
		}
		limits := pricing.Limits{ListCents: d.ListCents, FloorCents: b.FloorCents, RoomCents: d.ListCents}
		if d.Demo {
			d.Settle(p, limits, at)
			return nil
		}
		month, err := lockDiscounts(tx, post.MonthOf(at), b.MonthCents)
		if err != nil {
			return err
		}
		name := string(month.Month)
		d.Month, limits.RoomCents = &name, month.BudgetCents-month.HeldCents
		d.Settle(p, limits, at)
		return nil
	})
}

// lockDiscounts locks the month's budget, and creates or changes it if needed. A lowered budget does not revoke
// discounts.
func lockDiscounts(tx *gorm.DB, month post.Month, budget int) (discountMonth, error) {
	m, err := ensureRow(tx, &discountMonth{Month: month, BudgetCents: budget}, "month = ?", month)
	if budget = max(budget, m.HeldCents); err != nil || m.BudgetCents == budget {
		return m, err
	}
	m.BudgetCents = budget
	return m, save(tx, &m)
}

// spendDecision marks a decision as paid, and counts its discount against the month's budget. A price is paid as
// shown, so it may exceed the rest of the budget.
func spendDecision(tx *gorm.DB, id string) error {
	d, err := lockByID[pricing.Decision](tx, "price", id)
	if err != nil || d.State == pricing.Used {
		return err
	}
	if d.Month != nil {
		month, err := readOne[discountMonth](tx.Clauses(forUpdate).Where("month = ?", *d.Month))
		if err != nil {
			return err
		}
		month.HeldCents -= d.HeldCents // by an earlier version
		d.HeldCents = d.ListCents - d.FinalCents
		month.HeldCents += d.HeldCents
		month.BudgetCents = max(month.BudgetCents, month.HeldCents)
		if err := save(tx, &month); err != nil {
			return err
		}
	}
	d.State = pricing.Used
	return save(tx, &d)
}

// Visitors stores the activity of visitors who consented.
type Visitors struct{ db *DB }

// RecordVisit counts an event of a visitor, and creates the visitor at the first.
func (s *Visitors) RecordVisit(ctx context.Context, id string, e pricing.VisitEvent, at time.Time) (pricing.Visitor, error) {
	at = stamp(at)
	return resultOf(ctx, s.db, func(tx *gorm.DB) (pricing.Visitor, error) {
		fresh := pricing.FirstVisit(id, at)
		v, err := ensureRow(tx, &fresh, "id = ?", id)
		if err != nil {
			return v, err
		}
		v.Note(e, at)
		return v, save(tx, &v)
	})
}

// Visitor returns a visitor, or nil.
func (s *Visitors) Visitor(ctx context.Context, id string) (*pricing.Visitor, error) {
	return readFirst[pricing.Visitor](s.db.on(ctx).Where("id = ?", id))
}

// ForgetVisitor deletes a visitor and anonymizes their prices.
func (s *Visitors) ForgetVisitor(ctx context.Context, id string) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error { return forgetVisitor(tx, id) })
}

func forgetVisitor(tx *gorm.DB, id string) error {
	if err := tx.Model(&pricing.Decision{}).Where("visitor = ?", id).Updates(anonymous).Error; err != nil {
		return err
	}
	return tx.Where("id = ?", id).Delete(&pricing.Visitor{}).Error
}

// anonymous removes the visitor from a price.
var anonymous = map[string]any{"visitor": nil, "open_key": nil}
