// Package checkout serves prices, payments, refunds and the treasury.
package checkout

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/pricing"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// API implements the operations of this feature.
type API struct{ httpapi.Deps }

// NewPayment is a request for a payment page.
type NewPayment struct {
	Service        string       `json:"service" maxLength:"60" doc:"Product to buy; only founding_membership is sold"`
	AmountOverride *int         `json:"amount_override,omitempty" doc:"Price in cents; only the list price is accepted"`
	UserContext    *UserContext `json:"user_context,omitempty" doc:"Where the purchase started; it does not affect the price"`
	FullPrice      bool         `json:"full_price,omitempty" doc:"True to pay the list price instead of a personal one. Default: false"`
}

// UserContext describes the origin of a request. It does not affect the price.
type UserContext struct {
	Type      string `json:"type,omitempty" doc:"Free text, not used" maxLength:"60"`
	Source    string `json:"source,omitempty" doc:"Free text, not used" maxLength:"60"`
	Timestamp string `json:"timestamp,omitempty" doc:"Free text, not used" maxLength:"60"`
}

// PaymentStarted is a payment page. Without pricing_details the price is the list price.
type PaymentStarted struct {
	Success        bool            `json:"success" doc:"Always true" enum:"true"`
	CheckoutID     string          `json:"checkout_id" doc:"Checkout ID, for getReceipt"`
	PaymentURL     string          `json:"payment_url" doc:"URL of the Stripe payment page"`
	ReceiptURL     string          `json:"receipt_url" doc:"URL of the receipt page"`
	ExpiresAt      time.Time       `json:"expires_at" doc:"Time at which the payment page expires"`
	PricingDetails *PricingDetails `json:"pricing_details,omitempty" doc:"Calculation of the price; omitted if the full price was requested"`
}

// PricingDetails is a price with its reason. Amounts are in cents.
type PricingDetails struct {
	OriginalPrice   int    `json:"original_price" doc:"List price in cents"`
	DiscountPercent int    `json:"discount_percent" doc:"Discount in percent"`
	DiscountAmount  int    `json:"discount_amount" doc:"Discount in cents"`
	FinalPrice      int    `json:"final_price" doc:"Price to pay in cents"`
	AIReasoning     string `json:"ai_reasoning" doc:"Human-readable reason for the price"`
	Source          string `json:"source" enum:"model,rules,list" doc:"Whether a model, fixed rules or the list price decided"`
	Personal        bool   `json:"personal" doc:"True if the price is based on the visitor's page views"`
	Disclosure      string `json:"disclosure,omitempty" doc:"Legal notice that must be shown next to a personal price"`
}

func (a *API) StartPayment(ctx context.Context, req *httpapi.Body[NewPayment]) (PaymentStarted, error) {
	if err := a.checkOrder(ctx, req.Body); err != nil {
		return PaymentStarted{}, err
	}
	request, err := a.quoteRequest(ctx, req.Body.FullPrice)
	if err != nil {
		return PaymentStarted{}, err
	}
	r, err := a.quote(ctx, request)
	if err != nil {
		return PaymentStarted{}, err
	}
	started := PaymentStarted{
		Success: true, CheckoutID: r.ID, PaymentURL: r.PaymentURL, ReceiptURL: a.receiptURL(r.ID), ExpiresAt: *r.ExpiresAt,
	}
	if !req.Body.FullPrice {
		started.PricingDetails = showPrice(r.Decision)
	}
	return started, nil
}

// checkOrder refuses an unknown service, another price, existing members, and callers above the rate limit.
func (a *API) checkOrder(ctx context.Context, n NewPayment) error {
	who := httpapi.CallerOf(ctx)
	switch {
	case n.Service != checkout.Service:
		return problem.New(problem.ServiceUnknown, "Unknown service. The only one for sale is founding_membership.")
	case n.AmountOverride != nil && *n.AmountOverride != pricing.ListCents:
		return problem.New(problem.AmountWrong, "The server sets the price. Omit `amount_override`, or set it to the list price in cents: %d.", pricing.ListCents)
	case who.Login != nil && who.Login.MemberActive:
		return problem.New(problem.MemberExists, "You are already a founding member, so nothing was charged.")
	}
	return a.consumeQuote(ctx, who)
}

func (a *API) consumeQuote(ctx context.Context, who httpapi.Caller) error {
	uses := append(who.Asker(a.Marks).By(account.QuotesPerNetwork), account.Use{Limit: account.QuotesOverall})
	return a.Limits.ConsumeAll(ctx, uses, a.Now())
}

// quoteRequest collects what is known about the buyer. This request counts for their next price, not for this one.
func (a *API) quoteRequest(ctx context.Context, fullPrice bool) (checkout.Request, error) {
	v, why, err := a.knownVisitor(ctx)
	if err != nil {
		return checkout.Request{}, err
	}
	request := checkout.Request{ID: checkout.NewID(), Why: why, Personal: why == pricing.Personal && !fullPrice}
	if fullPrice && why == pricing.Personal {
		request.Why = pricing.Chosen
	}
	if v == nil {
		return request, nil
	}
	request.Visitor, request.Behaviour = &v.ID, v.Behaviour()
	_, err = a.Visitors.RecordVisit(ctx, v.ID, pricing.CartViewed, a.Now())
	return request, err
}

func (a *API) quote(ctx context.Context, request checkout.Request) (r checkout.Receipt, err error) {
	r, err = a.Checkouts.BeginCheckout(ctx, request, a.Now())
	if err != nil || r.State == checkout.Open {
		return r, err
	}
	began := time.Now()
	defer func() { a.Meters.Quoted(began, err) }()
	if err = a.Runs.Quote(ctx, r.ID); err != nil {
		return r, err
	}
	r, err = a.Checkouts.Receipt(ctx, r.ID)
	if err == nil && r.State != checkout.Open {
		err = problem.New(problem.PaymentUnavailable, "The payment service cannot be reached right now. Nothing was charged.")
	}
	return r, err
}

func showPrice(d pricing.Decision) *PricingDetails {
	shown := &PricingDetails{
		OriginalPrice: d.ListCents, DiscountPercent: d.DiscountPercent, DiscountAmount: d.ListCents - d.FinalCents,
		FinalPrice: d.FinalCents, AIReasoning: reasonOf(d), Source: string(d.Source), Personal: d.Personal,
	}
	if d.Personal {
		shown.Disclosure = pricing.Disclosure
	}
	return shown
}

// reasonOf returns why the price is what it is. The reason of a proposal that was lowered to nothing would be about a
// discount that the buyer does not get.
func reasonOf(d pricing.Decision) string {
	lowered := d.DiscountPercent == 0 && d.ProposedPercent > 0
	switch clamps := d.ClampList(); {
	case lowered && slices.Contains(clamps, pricing.BelowFloor):
		return "You pay the full price, because it is the lowest price at the moment."
	case lowered && slices.Contains(clamps, pricing.OverBudget):
		return "You pay the full price, because this month's budget for discounts is used up."
	}
	return cmp.Or(listPriceReasons[d.ListPriceReason], d.Reason)
}

var listPriceReasons = map[pricing.Why]string{
	pricing.GPC:        "Your browser sends Global Privacy Control, so nothing about you was used. You pay the full price.",
	pricing.DoNotTrack: "Your browser asks not to be tracked, so nothing about you was used. You pay the full price.",
	pricing.Chosen:     "You chose the full price. Nothing about you was used.",
	pricing.Unknown:    "We have no data about your visit, so there is no personal price. You pay the full price.",
	pricing.UsedUp:     "Your personal price was already used. This is the full price.",
}

func (a *API) receiptURL(id string) string { return a.Site.PublicURL + "/receipts/" + id }

type checkoutPath struct {
	ID string `path:"id" doc:"Checkout ID" maxLength:"60"`
}

func (a *API) RefreshCheckout(ctx context.Context, req *checkoutPath) (httpapi.Done, error) {
	r, err := a.Checkouts.Receipt(ctx, req.ID)
	if err == nil && !r.State.Settled() {
		if err = a.Limits.ConsumeAll(ctx, httpapi.CallerOf(ctx).Asker(a.Marks).By(account.QuotesPerNetwork), a.Now()); err == nil {
			err = a.Runs.NotifyPayment(ctx, r.ID, checkout.Payment)
		}
	}
	return httpapi.Done{Success: true}, err
}

func (a *API) CancelCheckout(ctx context.Context, req *checkoutPath) (httpapi.Done, error) {
	r, err := a.Checkouts.Receipt(ctx, req.ID)
	if err == nil && r.State.Live() {
		err = a.Runs.CancelCheckout(ctx, r.ID)
	}
	return httpapi.Done{Success: true}, err
}

// refund starts a refund and checks that it happened: the call may have joined a run that only reconciles.
func (a *API) refund(ctx context.Context, id string) error {
	if err := a.Runs.RefundCheckout(ctx, id); err != nil {
		return err
	}
	after, err := a.Checkouts.Receipt(ctx, id)
	if err == nil && after.State != checkout.Refunded {
		err = problem.New(problem.Unavailable, "The refund hasn't completed yet. Try again in a moment.")
	}
	return err
}

func (a *API) RefundCheckout(ctx context.Context, req *checkoutPath) (Receipt, error) {
	r, err := a.Checkouts.Receipt(ctx, req.ID)
	if err != nil {
		return Receipt{}, err
	}
	if !r.Refundable() {
		return Receipt{}, r.Unrefundable()
	}
	began := httpapi.Entry(ctx, a.Now(), audit.Refund, audit.Begun, "Checkout "+r.ID+" is refunded.")
	began.WorkflowID = workflows.RefundID(r.ID)
	if err := a.Audits.Audit(ctx, began); err != nil {
		return Receipt{}, err
	}
	outcome, detail := audit.Done, "Checkout "+r.ID+" was refunded."
	refunded := a.refund(ctx, r.ID)
	if refunded != nil {
		outcome, detail = audit.Refused, "Checkout "+r.ID+" could not be refunded yet."
		slog.WarnContext(ctx, "refund not completed", "checkout_id", r.ID, "error", refunded)
	}
	if err := a.Audits.Audit(ctx, httpapi.Entry(ctx, a.Now(), audit.Refund, outcome, detail)); err != nil {
		return Receipt{}, err
	}
	if refunded != nil {
		return Receipt{}, refunded
	}
	return a.GetReceipt(ctx, req)
}

type webhookRequest struct {
	Signature string `header:"Stripe-Signature" doc:"Stripe's signature of the body" maxLength:"4096"`
	RawBody   []byte `contentType:"application/json"`
}

// StripeWebhook stores an event before handling it. Stripe retries events without a 2xx reply; duplicates and
// reordering are safe.
func (a *API) StripeWebhook(ctx context.Context, req *webhookRequest) (httpapi.Done, error) {
	e, err := a.Webhooks.ReadEvent(req.RawBody, req.Signature, a.Now())
	if err != nil {
		slog.WarnContext(ctx, "webhook refused", "why", err)
		if problem.CodeOf(err) == problem.Invalid { // the signature is valid, the event is not
			return httpapi.Done{}, err
		}
		return httpapi.Done{}, problem.New(problem.SignatureInvalid, "Invalid webhook signature, or its timestamp is too old.")
	}
	if e.Kind() == checkout.OtherEvent {
		slog.InfoContext(ctx, "webhook of an unused type ignored", "event_id", e.ID, "type", e.Type)
		return httpapi.Done{Success: true, Message: "Event ignored."}, nil
	}
	id, handled, err := a.Checkouts.NoteEvent(ctx, e, a.Now())
	if err != nil || handled {
		return httpapi.Done{Success: true}, err
	}
	if id == "" { // an unknown payment, or one not stored yet: the next reconciliation finds it
		slog.InfoContext(ctx, "webhook of an unknown payment ignored", "event_id", e.ID, "type", e.Type)
		return httpapi.Done{Success: true}, nil
	}
	if err := a.Runs.NotifyPayment(ctx, id, e.Kind()); err != nil {
		return httpapi.Done{}, err
	}
	return httpapi.Done{Success: true}, a.Checkouts.MarkEventHandled(ctx, e.ID, a.Now())
}
