package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
)

// Checkouts stores prices, checkouts and payments.
type Checkouts struct{ db *DB }

// BeginCheckout gives the visitor's open checkout, or writes a new one down.
func (s *Checkouts) BeginCheckout(ctx context.Context, a checkout.Request, at time.Time) (checkout.Receipt, error) {
	at = stamp(at)
	var r checkout.Receipt
	err := s.db.inTx(ctx, func(tx *gorm.DB) (err error) {
		if a.Visitor != nil { // two clicks at once make one checkout
			var waiting []pricing.Visitor
			if err := tx.Clauses(forUpdate).Where("id = ?", *a.Visitor).Find(&waiting).Error; err != nil {
				return err
			}
		}
		r, err = begin(tx, a, at)
		return err
	})
	return r, err
}

// begin gives an open page of the kind that is asked for, or one at a price that is known, or
// a new one. A personal price that was paid is not given again: from then on it is the list's.
func begin(tx *gorm.DB, a checkout.Request, at time.Time) (r checkout.Receipt, err error) {
	found, err := openCheckout(tx, a, at)
	if err != nil || found != nil {
		return readReceipt(tx, found, err)
	}
	known, err := knownDecision(tx, a, at)
	switch {
	case err != nil:
		return r, err
	case known == nil:
		r.Decision, err = newDecision(tx, a, at)
	case known.State == pricing.Spent:
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

// openCheckout finds the visitor's, and lets go of one that is about to end.
func openCheckout(tx *gorm.DB, a checkout.Request, at time.Time) (*checkout.Checkout, error) {
	key := a.OpenKey()
	if key == nil {
		return nil, nil //nolint:nilnil // who is not known has none
	}
	c, err := readFirst[checkout.Checkout](tx.Clauses(forUpdate).Where("open_key = ?", *key))
	if err != nil || c == nil || c.Payable(at) {
		return c, err
	}
	return nil, mustChange(tx.Model(c).Update("open_key", nil))
}

func readReceipt(tx *gorm.DB, c *checkout.Checkout, err error) (r checkout.Receipt, _ error) {
	if err != nil {
		return r, err
	}
	r.Checkout = *c
	err = tx.Where("id = ?", c.DecisionID).Take(&r.Decision).Error
	return r, err
}

// Receipt finds a checkout and its price.
func (s *Checkouts) Receipt(ctx context.Context, id string) (checkout.Receipt, error) {
	var r checkout.Receipt
	tx := s.db.on(ctx)
	if err := tx.Where("id = ?", id).Take(&r.Checkout).Error; err != nil {
		return r, asProblem(err, "receipt")
	}
	return r, tx.Where("id = ?", r.DecisionID).Take(&r.Decision).Error
}

// NoteCheckoutRun notes the run that carries a checkout.
func (s *Checkouts) NoteCheckoutRun(ctx context.Context, id, runID string, at time.Time) (checkout.Receipt, error) {
	c, err := s.changeCheckout(ctx, id, at, func(_ *gorm.DB, c *checkout.Checkout) error {
		c.RunID = runID
		return nil
	})
	if err != nil {
		return checkout.Receipt{}, err
	}
	r := checkout.Receipt{Checkout: c}
	return r, s.db.on(ctx).Where("id = ?", c.DecisionID).Take(&r.Decision).Error
}

// OpenCheckout notes the payment page of a checkout that was being quoted.
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

// CloseCheckout ends an unpaid checkout.
func (s *Checkouts) CloseCheckout(
	ctx context.Context, id string, state checkout.State, code, reason string, at time.Time,
) (checkout.Checkout, error) {
	return s.changeCheckout(ctx, id, at, func(_ *gorm.DB, c *checkout.Checkout) error {
		if !c.State.Live() {
			return nil
		}
		ended := stamp(at)
		c.State, c.Code, c.Reason, c.OpenKey, c.EndedAt = state, code, reason, nil, &ended
		return nil
	})
}

func (s *Checkouts) changeCheckout(
	ctx context.Context, id string, at time.Time, alter func(*gorm.DB, *checkout.Checkout) error,
) (checkout.Checkout, error) {
	var c checkout.Checkout
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := tx.Clauses(forUpdate).Where("id = ?", id).Take(&c).Error; err != nil {
			return asProblem(err, "checkout")
		}
		if err := alter(tx, &c); err != nil {
			return err
		}
		c.UpdatedAt = stamp(at)
		return mustChange(tx.Select("*").Updates(&c))
	})
	return c, err
}

// WaitingCheckouts lists those that no run carries yet, or all that can still be paid, the
// oldest first.
func (s *Checkouts) WaitingCheckouts(ctx context.Context, all bool, before time.Time) ([]checkout.Checkout, error) {
	query := s.db.on(ctx).Where("state IN ? AND created_at <= ?", []checkout.State{checkout.Quoting, checkout.Open}, stamp(before))
	if !all {
		query = query.Where("run_id = ''")
	}
	return listCheckouts(query)
}

// OverdueCheckouts lists those whose page should have ended long ago.
func (s *Checkouts) OverdueCheckouts(ctx context.Context, before time.Time) ([]checkout.Checkout, error) {
	return listCheckouts(s.db.on(ctx).Where("state = ? AND expires_at <= ?", checkout.Open, stamp(before)))
}

func listCheckouts(query *gorm.DB) ([]checkout.Checkout, error) {
	return readAll[checkout.Checkout](query.Order("created_at, id").Limit(200))
}

// Checkouts lists checkouts, newest first, with their total.
func (s *Checkouts) Checkouts(ctx context.Context, f checkout.Filter) ([]checkout.Listed, int, error) {
	query, order := s.db.on(ctx).Model(&checkout.Checkout{}), "checkouts.created_at DESC, checkouts.id"
	if f.Paid {
		query, order = query.Where("paid_at IS NOT NULL"), "checkouts.paid_at DESC, checkouts.id"
	}
	var total int64
	if err := query.Session(&gorm.Session{}).Count(&total).Error; err != nil {
		return nil, 0, err
	}
	var list []checkout.Listed
	err := query.Joins("LEFT JOIN members ON members.id = checkouts.member_id").
		Select("checkouts.*, COALESCE(members.username, '') AS username").
		Order(order).Limit(f.Limit).Offset(f.Offset).Scan(&list).Error
	return list, int(total), err
}
