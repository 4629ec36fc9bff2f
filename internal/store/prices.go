package store

import (
	"context"
	"errors"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/pricing"
)

// discountMonth is what a month's discounts come to, held for offers or given.
type discountMonth struct {
	Month       post.Month `gorm:"primaryKey"`
	HeldCents   int
	BudgetCents int
}

// knownDecision gives the visitor's personal price for as long as it is valid, locked; nil:
// there is none.
func knownDecision(tx *gorm.DB, a checkout.Request, at time.Time) (*pricing.Decision, error) {
	if !a.Personal || a.Visitor == nil {
		return nil, nil //nolint:nilnil // having none is an ordinary answer
	}
	d, err := readFirst[pricing.Decision](tx.Clauses(forUpdate).Where("open_key = ?", *a.Visitor))
	if err != nil || d == nil || d.ValidUntil.After(at) {
		return d, err
	}
	return nil, mustChange(tx.Model(d).Update("open_key", nil))
}

// newDecision stores a price. The list price is decided at once.
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

// DecidePrice makes the price of a proposal, once, and holds its discount against the
// month's budget. The call that made the proposal, if any, is kept with it.
func (s *Checkouts) DecidePrice(
	ctx context.Context, decisionID string, p pricing.Proposal, b checkout.Budget, at time.Time,
) (pricing.Decision, error) {
	at = stamp(at)
	var d pricing.Decision
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := tx.Clauses(forUpdate).Where("id = ?", decisionID).Take(&d).Error; err != nil {
			return asProblem(err, "price")
		}
		if d.State != pricing.Pending {
			return nil
		}
		limits := pricing.Limits{ListCents: d.ListCents, FloorCents: b.FloorCents, RoomCents: d.ListCents}
		if d.Demo {
			d.Settle(p, limits, at)
			return mustChange(tx.Select("*").Updates(&d))
		}
		month, err := lockDiscounts(tx, post.MonthOf(at), b.MonthCents, at)
		if err != nil {
			return err
		}
		limits.RoomCents = month.BudgetCents - month.HeldCents
		d.Settle(p, limits, at)
		return reserveDiscount(tx, &d, month)
	})
	return d, err
}

// lockDiscounts opens the month's budget if need be, locks it, and frees what lapsed
// decisions hold.
func lockDiscounts(tx *gorm.DB, month post.Month, budget int, at time.Time) (discountMonth, error) {
	m := discountMonth{Month: month, BudgetCents: budget}
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&m).Error; err != nil {
		return m, err
	}
	if err := tx.Clauses(forUpdate).Where("month = ?", month).Take(&m).Error; err != nil {
		return m, err
	}
	freed, err := lapse(tx, month, at)
	m.HeldCents -= freed
	m.BudgetCents = max(budget, m.HeldCents) // what was promised stays promised when the budget is lowered
	return m, err
}

// lapse ends the decisions whose day, and the last page opened on it, is over.
func lapse(tx *gorm.DB, month post.Month, at time.Time) (freedCents int, err error) {
	var over []pricing.Decision
	err = tx.Clauses(skipLocked).Where("month = ? AND state = ? AND valid_until <= ?", month, pricing.Decided, at.Add(-2*checkout.OfferLife)).
		Limit(500).Find(&over).Error
	for i := range over {
		freedCents += over[i].HeldCents
		over[i].HeldCents, over[i].State = 0, pricing.Lapsed
		if err == nil {
			err = mustChange(tx.Select("*").Updates(&over[i]))
		}
	}
	return freedCents, err
}

// reserveDiscount takes the decision's discount from the month, which is locked.
func reserveDiscount(tx *gorm.DB, d *pricing.Decision, month discountMonth) error {
	d.HeldCents = d.ListCents - d.FinalCents
	name := string(month.Month)
	d.Month = &name
	month.HeldCents += d.HeldCents
	month.BudgetCents = max(month.BudgetCents, month.HeldCents)
	if err := mustChange(tx.Select("*").Updates(&month)); err != nil {
		return err
	}
	return mustChange(tx.Select("*").Updates(d))
}

// spendDecision marks a decision's price as paid. What a lapsed one no longer holds is counted
// again: it was given.
func spendDecision(tx *gorm.DB, id string) error {
	var d pricing.Decision
	if err := tx.Clauses(forUpdate).Where("id = ?", id).Take(&d).Error; err != nil {
		return err
	}
	if d.State == pricing.Spent {
		return nil
	}
	lapsed := d.State == pricing.Lapsed
	d.State = pricing.Spent
	if !lapsed || d.Month == nil {
		return mustChange(tx.Select("*").Updates(&d))
	}
	month := discountMonth{}
	if err := tx.Clauses(forUpdate).Where("month = ?", *d.Month).Take(&month).Error; err != nil {
		return err
	}
	return reserveDiscount(tx, &d, month)
}

// Visitors stores what visitors did who let us count them.
type Visitors struct{ db *DB }

// NoteVisit counts an event of a visitor, and creates the visitor at the first one.
func (s *Visitors) NoteVisit(ctx context.Context, id string, e pricing.VisitEvent, at time.Time) (pricing.Visitor, error) {
	at = stamp(at)
	var v pricing.Visitor
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		fresh := pricing.FirstVisit(id, at)
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&fresh).Error; err != nil {
			return err
		}
		if err := tx.Clauses(forUpdate).Where("id = ?", id).Take(&v).Error; err != nil {
			return err
		}
		v.Note(e, at)
		return mustChange(tx.Select("*").Updates(&v))
	})
	return v, err
}

// Visitor finds a visitor; nil: none.
func (s *Visitors) Visitor(ctx context.Context, id string) (*pricing.Visitor, error) {
	v, err := readOne[pricing.Visitor](s.db.on(ctx).Where("id = ?", id))
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil, nil //nolint:nilnil // not being counted is an ordinary answer
	}
	return &v, err
}

// ForgetVisitor deletes a visitor, and removes them from their prices.
func (s *Visitors) ForgetVisitor(ctx context.Context, id string) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error { return forgetVisitor(tx, id) })
}

func forgetVisitor(tx *gorm.DB, id string) error {
	if err := tx.Model(&pricing.Decision{}).Where("visitor = ?", id).Updates(nobodys).Error; err != nil {
		return err
	}
	return tx.Where("id = ?", id).Delete(&pricing.Visitor{}).Error
}

// nobodys is a price that nobody can be found by.
var nobodys = map[string]any{"visitor": nil, "open_key": nil}
