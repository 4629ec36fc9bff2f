package store

import (
	"context"
	"maps"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
)

// paymentTx is the transaction in which money that came in, or went back, is booked.
type paymentTx struct {
	store *DB
	tx    *gorm.DB
	at    time.Time
}

// PayCheckout records a payment and makes the buyer a member, exactly once, whatever state the checkout is
// in. If the address already belongs to a member, the code says so and the payment is refunded.
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

// admit makes the buyer a member.
func (p paymentTx) admit(c *checkout.Checkout, b checkout.Buyer) error {
	if b.Welcome == nil {
		c.Code, c.Reason = checkout.CodeNoAddress, "The buyer left no address that we can write to. A founder enters it for them."
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
		c.Code, c.Reason = checkout.CodeAlreadyMember, "Somebody with this address is a member already, so the money goes back."
		return p.notify(email.PaidTwice, "paid_twice:"+c.ID, known, b.Receipt)
	}
	if err := p.readmit(c, m); err != nil {
		return err
	}
	return p.write(c, known, b)
}

// enter writes a new member into the registry.
func (p paymentTx) enter(c *checkout.Checkout, b checkout.Buyer) error {
	m := member.Member{
		ID: b.MemberID, Username: b.Username, UsernameKey: member.Key(b.Username), Status: member.StatusActive,
		PaymentCents: c.PaidCents, JoinedAt: p.at,
	}
	c.MemberID = &m.ID
	return addMember(p.tx, m, foundingKey(*c))
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

// foundingKey books the credits of a payment page once.
func foundingKey(c checkout.Checkout) string { return "founding_fee:" + *c.SessionID }

// write puts the welcome and the receipt into the outbox.
func (p paymentTx) write(c *checkout.Checkout, a account.Account, b checkout.Buyer) error {
	if err := p.store.Accounts.welcome(p.tx, a, *b.Welcome, "welcome:"+c.ID, p.at); err != nil {
		return err
	}
	return p.notify(email.Receipt, "receipt:"+c.ID, a, b.Receipt)
}

// notify puts an e-mail to the owner of an account into the outbox.
func (p paymentTx) notify(kind email.Kind, factKey string, a account.Account, facts map[string]string) error {
	_, err := p.store.Emails.write(p.tx, kind, factKey, &a.ID, email.Content{To: *a.Email, Facts: facts}, p.at)
	return err
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

// revoke takes back what a refunded payment had bought.
func (p paymentTx) revoke(c *checkout.Checkout, facts map[string]string) error {
	seat, err := p.freeze(c)
	if err != nil {
		return err
	}
	if err := revokeCredits(p.tx, *c.MemberID, "refund:"+c.ID, p.at); err != nil {
		return err
	}
	content := map[string]string{}
	maps.Copy(content, facts)
	switch seat {
	case member.StatusActive:
		content["Seat"] = "stays"
	case member.StatusRemoved: // paying again would not bring it back
		content["Seat"] = "gone"
	case member.StatusFrozen:
	}
	owners, err := readAll[account.Account](p.tx.Where("member_id = ? AND email IS NOT NULL", *c.MemberID))
	if err != nil {
		return err
	}
	for _, a := range owners { // one at most
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
	again, err := countOf[checkout.Checkout](p.tx.Where("member_id = ? AND state = ? AND id <> ?", m.ID, checkout.Paid, c.ID))
	if err != nil || m.Status != member.StatusActive || again > 0 {
		return m.Status, err
	}
	m.Status = member.StatusFrozen
	return m.Status, save(p.tx, &m)
}

// paymentEvent is an event of the payment service. Its text is not stored, because it holds the buyer's
// address.
type paymentEvent struct {
	ID         string
	Type       string
	CheckoutID *string
	CreatedAt  time.Time
	ReceivedAt time.Time
	HandledAt  *time.Time
}

// reconciliation is until when the payment service's events were looked through.
type reconciliation struct {
	ID            int
	SearchedUntil time.Time
}

func (reconciliation) TableName() string { return "payment_reconciliations" }

// NoteEvent writes an event down before it is acted on, and says whose checkout it is about
// (empty: none of ours) and whether it was acted on already.
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

// checkoutOf finds the checkout that an event is about; nil: none of ours.
func checkoutOf(tx *gorm.DB, e checkout.Event) (*string, error) {
	query := tx.Select("id")
	switch {
	case e.SessionID != "":
		// A page may be paid before its row says which page it is: the page carries our ID.
		query = query.Where("session_id = ? OR (id = ? AND session_id IS NULL)", e.SessionID, e.CheckoutID)
	case e.PaymentIntent != "":
		query = query.Where("payment_intent = ?", e.PaymentIntent)
	default:
		return nil, nil //nolint:nilnil // an event about something else is an ordinary one
	}
	found, err := readFirst[checkout.Checkout](query)
	if err != nil || found == nil {
		return nil, err
	}
	return &found.ID, nil
}

// MarkEventHandled notes that an event was acted on.
func (s *Checkouts) MarkEventHandled(ctx context.Context, id string, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Model(&paymentEvent{}).Where("id = ? AND handled_at IS NULL", id).Update("handled_at", stamp(at)).Error
	})
}

// EventsSearchedUntil says until when the events were looked through; nil: never.
func (s *Checkouts) EventsSearchedUntil(ctx context.Context) (*time.Time, error) {
	last, err := readFirst[reconciliation](s.db.on(ctx).Where("id = 1"))
	if err != nil || last == nil {
		return nil, err
	}
	return &last.SearchedUntil, nil
}

// SetEventsSearchedUntil notes that all events before then were looked at.
func (s *Checkouts) SetEventsSearchedUntil(ctx context.Context, until time.Time) error {
	return s.db.insert(ctx, &reconciliation{ID: 1, SearchedUntil: stamp(until)}, clause.OnConflict{UpdateAll: true})
}
