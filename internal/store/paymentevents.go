package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/checkout"
)

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
func (s *Checkouts) NoteEvent(ctx context.Context, e checkout.Event, at time.Time) (checkoutID string, heeded bool, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		about, err := checkoutOf(tx, e)
		if err != nil {
			return err
		}
		row := paymentEvent{ID: e.ID, Type: e.Type, CheckoutID: about, CreatedAt: stamp(e.CreatedAt), ReceivedAt: stamp(at)}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error; err != nil {
			return err
		}
		if err := tx.Where("id = ?", e.ID).Take(&row).Error; err != nil {
			return err
		}
		if about != nil {
			checkoutID = *about
		}
		heeded = row.HandledAt != nil
		return nil
	})
	return checkoutID, heeded, err
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
	row := reconciliation{ID: 1, SearchedUntil: stamp(until)}
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&row).Error
	})
}
