// Package checkout answers for prices, payments, refunds and the treasury.
package checkout

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/treasury"
)

// API answers every operation of this feature.
type API struct {
	Audits     httpapi.AuditStore
	ModelCalls ModelCallStore
	Checkouts  Store
	Limits     httpapi.Limits
	Marks      httpapi.Marker
	Now        func() time.Time
	Runs       Runs
	Site       httpapi.Site
	Till       Till
	Treasury   TreasuryStore
	Visitors   VisitorStore
	Webhooks   Webhooks
	Meters     *httpapi.Meters
}

// ModelCallStore keeps what models were asked. *store.ModelCalls implements it.
type ModelCallStore interface {
	Call(ctx context.Context, id string) (model.Call, error)
}

// Store keeps prices and checkouts. *store.Checkouts implements it.
type Store interface {
	BeginCheckout(ctx context.Context, a checkout.Request, at time.Time) (checkout.Receipt, error)
	Checkouts(ctx context.Context, f checkout.Filter) ([]checkout.Listed, int, error)
	MarkEventHandled(ctx context.Context, id string, at time.Time) error
	NoteEvent(ctx context.Context, e checkout.Event, at time.Time) (checkoutID string, heeded bool, err error)
	Receipt(ctx context.Context, id string) (checkout.Receipt, error)
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	CancelCheckout(ctx context.Context, checkoutID string) error
	NotifyPayment(ctx context.Context, checkoutID string, m checkout.EventKind) error
	Quote(ctx context.Context, checkoutID string) error
	RefundCheckout(ctx context.Context, checkoutID string) error
}

// TreasuryStore keeps what came in and went out. *store.Treasury implements it.
type TreasuryStore interface {
	Treasury(ctx context.Context, at time.Time) (treasury.Ledger, error)
}

// VisitorStore keeps what visitors who let us count them did. *store.Visitors implements it.
type VisitorStore interface {
	ForgetVisitor(ctx context.Context, id string) error
	NoteVisit(ctx context.Context, id string, e pricing.VisitEvent, at time.Time) (pricing.Visitor, error)
	Visitor(ctx context.Context, id string) (*pricing.Visitor, error)
}

// Webhooks reads what the payment service sends. Its error says whether it was forged.
type Webhooks interface {
	ReadEvent(payload []byte, signature string, at time.Time) (checkout.Event, error)
}

// Till says how payments are taken here.
type Till struct {
	Sandbox     bool // no card is charged
	Demo        bool // the demo has a test mode to work in
	Model       string
	FloorCents  int
	BudgetCents int // all discounts of a month together
}
