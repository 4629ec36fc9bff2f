package store

import (
	"context"
	"maps"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
)

// paymentTx is the transaction that records a payment or a refund.
type paymentTx struct {
	store *DB
	tx    *gorm.DB
	at    time.Time
}

// PayCheckout records a payment and makes the buyer a member, exactly once, in any state of the
// checkout. If the address already belongs to a member, it sets a code and the payment is refunded.
func (s *Checkouts) PayCheckout(
	ctx context.Context, id string, page checkout.Session, b checkout.Buyer, at time.Time,
) (checkout.Checkout, error) {
	at = stamp(at)
	return s.changeCheckout(ctx, id, at, func(tx *gorm.DB, c *checkout.Checkout) error {
		if c.State.Settled() {
			return nil
		}
		c.State, c.OpenKey, c.PaidAt, c.EndedAt, c.Code, c.Reason = checkout.Paid, nil, &at, &at, "", ""
		c.SessionID, c.PaidCents, c.FeeCents = &page.ID, page.TotalCents, page.FeeCents
		if page.PaymentIntent != "" {
			c.PaymentIntent = &page.PaymentIntent
		}
		if err := spendDecision(tx, c.DecisionID); err != nil || c.Demo {
			return err
		}
		return paymentTx{s.db, tx, at}.admit(c, b)
	})
}

func (p paymentTx) admit(c *checkout.Checkout, b checkout.Buyer) error {
	if b.Welcome == nil {
		c.Code, c.Reason = checkout.CodeNoAddress, "The payment has no email address. A founder will add it."
		return p.enter(c, b)
	}
	known, err := accountOf(p.tx, b.Welcome.Email, p.at)
	if err != nil {
		return err
	}
	if known.MemberID == nil {
		if err := p.enter(c, b); err != nil {
			return err
		}
		known.MemberID = c.MemberID
		if err := save(p.tx, &known); err != nil {
			return err
		}
		return p.write(c, known, b)
	}
	m, err := lockByID[member.Member](p.tx, "member", *known.MemberID)
	if err != nil {
		return err
	}
	if m.Status != member.StatusFrozen {
		c.Code, c.Reason = checkout.CodeAlreadyMember, "This email address already belongs to a member, so the payment is refunded."
		return p.notify(email.PaidTwice, "paid_twice:"+c.ID, known, b.Receipt)
	}
	if err := p.readmit(c, m); err != nil {
		return err
	}
	return p.write(c, known, b)
}

func (p paymentTx) enter(c *checkout.Checkout, b checkout.Buyer) error {
	m := member.Member{
		ID: b.MemberID, Username: b.Username, UsernameKey: member.Key(b.Username), Status: member.StatusActive,
		PaymentCents: c.PaidCents, JoinedAt: p.at,
	}
	c.MemberID = &m.ID
	return addMember(p.tx, m, member.ReasonFoundingFee, foundingKey(*c))
}

// readmit reactivates a member who was frozen by a refund.
func (p paymentTx) readmit(c *checkout.Checkout, m member.Member) error {
	m.Status, m.PaymentCents = member.StatusActive, c.PaidCents
	c.MemberID = &m.ID
	if err := save(p.tx, &m); err != nil {
		return err
	}
	return addCredits(p.tx, member.CreditEntry{
		MemberID: m.ID, Delta: member.FoundingCredits, Reason: member.ReasonFoundingFee, EntryKey: foundingKey(*c), CreatedAt: p.at,
	})
}

// foundingKey is the idempotency key of the credits of one payment.
func foundingKey(c checkout.Checkout) string { return "founding_fee:" + *c.SessionID }

// write puts the welcome email and the receipt into the outbox.
func (p paymentTx) write(c *checkout.Checkout, a account.Account, b checkout.Buyer) error {
	if err := p.store.Accounts.welcome(p.tx, a, *b.Welcome, "welcome:"+c.ID, p.at); err != nil {
		return err
	}
	return p.notify(email.Receipt, "receipt:"+c.ID, a, b.Receipt)
}

func (p paymentTx) notify(kind email.Kind, factKey string, a account.Account, facts map[string]string) error {
	_, err := p.store.Emails.write(p.tx, kind, factKey, &a.ID, email.Content{To: *a.Email, Facts: facts}, p.at)
	return err
}

// RefundRequested reports whether the audit log has a founder's request to refund the checkout.
func (s *Checkouts) RefundRequested(ctx context.Context, id string) (bool, error) {
	requests, err := countOf[audit.Entry](s.db.on(ctx).Where("action = ? AND outcome = ? AND workflow_id = ?", audit.Refund, audit.Begun, checkout.RefundRun(id)))
	return requests > 0, err
}

// RefundCheckout records how much of a payment was refunded. When all of it was, the remaining credits of
// the fee are taken back, once, and the membership is frozen unless it was paid for again.
func (s *Checkouts) RefundCheckout(ctx context.Context, id string, refundedCents int, facts map[string]string, at time.Time) (checkout.Checkout, error) {
	at = stamp(at)
	return s.changeCheckout(ctx, id, at, func(tx *gorm.DB, c *checkout.Checkout) error {
		if c.State != checkout.Paid || refundedCents <= c.RefundedCents {
			return nil
		}
		c.RefundedCents = min(refundedCents, c.PaidCents)
		if c.RefundedCents < c.PaidCents {
			return nil
		}
		c.State = checkout.Refunded
		if c.MemberID == nil {
			return nil
		}
		return paymentTx{s.db, tx, at}.revoke(c, facts)
	})
}

// revoke takes back the membership and credits of a refunded payment.
func (p paymentTx) revoke(c *checkout.Checkout, facts map[string]string) error {
	status, err := p.freeze(c)
	if err != nil {
		return err
	}
	if err := revokeCredits(p.tx, *c.MemberID, "refund:"+c.ID, p.at); err != nil {
		return err
	}
	content := map[string]string{}
	maps.Copy(content, facts)
	switch status {
	case member.StatusActive:
		content["Seat"] = "stays"
	case member.StatusRemoved: // a new payment does not restore it
		content["Seat"] = "gone"
	case member.StatusFrozen:
	}
	owners, err := readAll[account.Account](p.tx.Where("member_id = ? AND email IS NOT NULL", *c.MemberID))
	if err != nil {
		return err
	}
	for _, a := range owners { // at most one
		if err := p.notify(email.Refund, "refund:"+c.ID, a, content); err != nil {
			return err
		}
	}
	return nil
}

// freeze freezes the membership of a refunded payment and returns its status. A membership that was paid
// for again stays active.
func (p paymentTx) freeze(c *checkout.Checkout) (member.Status, error) {
	m, err := lockByID[member.Member](p.tx, "member", *c.MemberID)
	if err != nil {
		return "", err
	}
	others, err := countOf[checkout.Checkout](p.tx.Where("member_id = ? AND state = ? AND id <> ?", m.ID, checkout.Paid, c.ID))
	if err != nil || m.Status != member.StatusActive || others > 0 {
		return m.Status, err
	}
	m.Status = member.StatusFrozen
	return m.Status, save(p.tx, &m)
}

// paymentEvent is an event of Stripe. Its payload is not stored, because it holds the buyer's address.
type paymentEvent struct {
	ID         string
	Type       string
	CheckoutID *string
	CreatedAt  time.Time
	ReceivedAt time.Time
	HandledAt  *time.Time
}

// reconciliation stores until when Stripe's events were searched.
type reconciliation struct {
	ID            int
	SearchedUntil time.Time
}

func (reconciliation) TableName() string { return "payment_reconciliations" }

// NoteEvent stores an event before it is handled. It returns the event's checkout, empty if unknown, and
// whether it was already handled.
func (s *Checkouts) NoteEvent(ctx context.Context, e checkout.Event, at time.Time) (checkoutID string, handled bool, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		about, err := checkoutOf(tx, e)
		if err != nil {
			return err
		}
		row := paymentEvent{ID: e.ID, Type: e.Type, CheckoutID: about, CreatedAt: stamp(e.CreatedAt), ReceivedAt: stamp(at)}
		if err := tx.Clauses(onceOnly).Create(&row).Error; err != nil {
			return err
		}
		if err := tx.Where("id = ?", e.ID).Take(&row).Error; err != nil {
			return err
		}
		if about != nil {
			checkoutID = *about
		}
		handled = row.HandledAt != nil
		return nil
	})
	return checkoutID, handled, err
}

// checkoutOf returns the ID of an event's checkout, or nil if it is unknown.
func checkoutOf(tx *gorm.DB, e checkout.Event) (*string, error) {
	query := tx.Select("id")
	switch {
	case e.SessionID != "":
		// A page may be paid before the row has its session ID, so the page carries the checkout ID.
		query = query.Where("session_id = ? OR (id = ? AND session_id IS NULL)", e.SessionID, e.CheckoutID)
	case e.PaymentIntent != "":
		query = query.Where("payment_intent = ?", e.PaymentIntent)
	default:
		return nil, nil //nolint:nilnil // an unrelated event is not an error
	}
	found, err := readFirst[checkout.Checkout](query)
	if err != nil || found == nil {
		return nil, err
	}
	return &found.ID, nil
}

// MarkEventHandled stores that an event was handled.
func (s *Checkouts) MarkEventHandled(ctx context.Context, id string, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Model(&paymentEvent{}).Where("id = ? AND handled_at IS NULL", id).Update("handled_at", stamp(at)).Error
	})
}

// EventsSearchedUntil returns until when events were searched, or nil if never.
func (s *Checkouts) EventsSearchedUntil(ctx context.Context) (*time.Time, error) {
	last, err := readFirst[reconciliation](s.db.on(ctx).Where("id = 1"))
	if err != nil || last == nil {
		return nil, err
	}
	return &last.SearchedUntil, nil
}

// SetEventsSearchedUntil stores that all events before a time were searched.
func (s *Checkouts) SetEventsSearchedUntil(ctx context.Context, until time.Time) error {
	return s.db.insert(ctx, &reconciliation{ID: 1, SearchedUntil: stamp(until)}, clause.OnConflict{UpdateAll: true})
}
