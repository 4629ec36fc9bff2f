package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
)

// paymentTx is the transaction that records a payment, a refund or a dispute.
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
	if m.FrozenBy == member.ByFounder {
		c.Code, c.Reason = checkout.CodeAlreadyMember, "A founder froze the membership of this email address, so the payment is refunded."
		return p.notify(email.MembershipChanged, "membership_changed:"+c.ID, known, checkout.RefusedPayment(b.Receipt))
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

// readmit reactivates a member who was frozen by a refund or a dispute.
func (p paymentTx) readmit(c *checkout.Checkout, m member.Member) error {
	m.Status, m.PaymentCents, m.FrozenBy = member.StatusActive, c.PaidCents, ""
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

// ErrStaleRead means that another read of refunds and disputes was recorded in between: read them again.
var ErrStaleRead = errors.New("the payment's refunds and disputes were recorded by another run in between")

// ReconcilePayment records the refunds and disputes of a payment as Stripe reported them in page, which was read
// while the checkout had this version. The membership is frozen and the remaining credits of the fee are taken
// back while no payment for it stands; both are restored when one does again. Safe to repeat.
func (s *Checkouts) ReconcilePayment(
	ctx context.Context, id string, version int, page checkout.Session, receiptURL string, at time.Time,
) (checkout.Checkout, error) {
	at = stamp(at)
	return s.changeCheckout(ctx, id, at, func(tx *gorm.DB, c *checkout.Checkout) error {
		if !c.State.Settled() {
			return nil
		}
		if c.Version != version {
			return ErrStaleRead
		}
		before := *c
		c.Version++
		c.Reconcile(page)
		events := c.EventsSince(before)
		if len(events) == 0 || c.Demo {
			return nil
		}
		return paymentTx{s.db, tx, at}.react(*c, before.Stands(), events, receiptURL)
	})
}

// react brings membership and credits in line with a payment, and notifies the member and the founders.
func (p paymentTx) react(c checkout.Checkout, stood bool, events []checkout.MoneyEvent, receiptURL string) error {
	name, status := "", member.StatusRemoved
	if c.MemberID != nil {
		m, err := p.settleMembership(c)
		if err != nil {
			return err
		}
		name, status = m.Username, m.Status
		if err := p.settleCredits(c, stood); err != nil {
			return err
		}
	}
	for _, event := range events {
		if err := p.notifyMember(c, event, status, receiptURL); err != nil {
			return err
		}
		if err := p.alarm(c, event, name); err != nil {
			return err
		}
	}
	return nil
}

// settleMembership freezes the membership of a payment while no payment for it stands. A membership that was paid
// for again stays active, and one that a founder froze stays frozen.
func (p paymentTx) settleMembership(c checkout.Checkout) (member.Member, error) {
	m, err := lockByID[member.Member](p.tx, "member", *c.MemberID)
	if err != nil || m.Status == member.StatusRemoved || m.FrozenBy == member.ByFounder {
		return m, err
	}
	others, err := standingPayments(p.tx, m.ID, c.ID)
	if err != nil {
		return m, err
	}
	m.Status, m.FrozenBy = member.StatusActive, ""
	if others == 0 && !c.Stands() {
		m.Status, m.FrozenBy = member.StatusFrozen, c.FreezeCause()
	}
	return m, save(p.tx, &m)
}

// standingPayments counts a member's payments that were neither refunded nor charged back, other than one.
func standingPayments(tx *gorm.DB, memberID, except string) (int, error) {
	return countOf[checkout.Checkout](tx.Where("member_id = ? AND id <> ? AND state = ? AND dispute NOT IN ?",
		memberID, except, checkout.Paid, []checkout.DisputeState{checkout.DisputeOpen, checkout.DisputeLost}))
}

// settleCredits takes back the fee's credits when its payment no longer stands, and restores them when it does again.
func (p paymentTx) settleCredits(c checkout.Checkout, stood bool) error {
	if stood == c.Stands() {
		return nil
	}
	key := "refund:" + c.ID
	entries := func() *gorm.DB {
		return p.tx.Model(&member.CreditEntry{}).Where("member_id = ? AND (entry_key = ? OR entry_key LIKE ?)", *c.MemberID, key, key+":%")
	}
	var known struct{ Entries, Sum int }
	if err := entries().Select("COUNT(*) AS entries, COALESCE(SUM(delta), 0) AS sum").Scan(&known).Error; err != nil {
		return err
	}
	if known.Entries > 0 {
		key += ":" + strconv.Itoa(c.Version)
	}
	if stood {
		return revokeCredits(p.tx, *c.MemberID, key, p.at)
	}
	if known.Sum == 0 {
		return nil
	}
	return addCredits(p.tx, member.CreditEntry{
		MemberID: *c.MemberID, Delta: -known.Sum, Reason: member.ReasonRefund, EntryKey: key, CreatedAt: p.at,
	})
}

// notifyMember writes an email about an event to the member of a payment.
func (p paymentTx) notifyMember(c checkout.Checkout, event checkout.MoneyEvent, status member.Status, receiptURL string) error {
	if c.MemberID == nil {
		return nil
	}
	owners, err := readAll[account.Account](p.tx.Where("member_id = ? AND email IS NOT NULL", *c.MemberID))
	if err != nil {
		return err
	}
	kind, facts := event.MemberEmail(c, status, receiptURL)
	for _, a := range owners { // at most one
		key := string(kind) + ":" + c.ID
		if event != checkout.FullyRefunded || c.Version > 1 {
			key += ":" + strconv.Itoa(c.Version) + ":" + string(event)
		}
		if err := p.notify(kind, key, a, facts); err != nil {
			return err
		}
	}
	return nil
}

// alarm writes an email about a loss, or the end of one, to the founders.
func (p paymentTx) alarm(c checkout.Checkout, event checkout.MoneyEvent, username string) error {
	facts := event.Alarm(c, username)
	if facts == nil {
		return nil
	}
	founders, err := p.store.Emails.founders(p.tx)
	if err != nil {
		return err
	}
	key := string(email.PaymentAlarm) + ":" + c.ID + ":" + strconv.Itoa(c.Version) + ":" + string(event)
	return p.store.Emails.notify(p.tx, founders, email.PaymentAlarm, key, facts, p.at)
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
