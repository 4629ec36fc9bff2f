package stripe

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/clients/egress"
	"customerzero/internal/domain/checkout"
)

// OpenSession opens a payment page for the offer. couponID may be empty.
func (c *Client) OpenSession(ctx context.Context, offer checkout.Offer, couponID string) (checkout.Session, error) {
	if offer.Demo && c.Live() {
		return checkout.Session{}, errorOf(checkout.PaymentRefused, codeLiveDemo)
	}
	params := &stripe.CheckoutSessionParams{
		Params:             once(ctx, offer, "session"),
		Mode:               stripe.String(string(stripe.CheckoutSessionModePayment)),
		PaymentMethodTypes: stripe.StringSlice([]string{"card"}), // others may settle days later
		LineItems:          []*stripe.CheckoutSessionLineItemParams{c.membership(offer)},
		ClientReferenceID:  &offer.CheckoutID,
		Metadata:           map[string]string{metadataCheckout: offer.CheckoutID},
		ExpiresAt:          stripe.Int64(offer.ExpiresAt.Unix()),
		SuccessURL:         &offer.SuccessURL,
		CancelURL:          &offer.CancelURL,
	}
	if couponID != "" {
		params.Discounts = []*stripe.CheckoutSessionDiscountParams{{Coupon: &couponID}}
	}
	return c.session(c.sessions.New(params))
}

// membership is the only line item, at list price: the coupon shows the discount.
func (c *Client) membership(offer checkout.Offer) *stripe.CheckoutSessionLineItemParams {
	return &stripe.CheckoutSessionLineItemParams{
		Quantity: stripe.Int64(1),
		PriceData: &stripe.CheckoutSessionLineItemPriceDataParams{
			Currency:    stripe.String(string(stripe.CurrencyUSD)),
			UnitAmount:  stripe.Int64(int64(offer.ListCents)),
			ProductData: &stripe.CheckoutSessionLineItemPriceDataProductDataParams{Name: &c.config.Product},
		},
	}
}

// Session returns a payment page and the state of its payment, with its refunds and disputes.
func (c *Client) Session(ctx context.Context, id string) (checkout.Session, error) {
	page, err := c.sessions.Get(id, &stripe.CheckoutSessionParams{
		Params: stripe.Params{Context: ctx},
		Expand: stripe.StringSlice([]string{"payment_intent.latest_charge.balance_transaction"}),
	})
	s, err := c.session(page, err)
	if err != nil || s.PaymentIntent == "" || page.PaymentIntent.LatestCharge == nil {
		return s, err
	}
	if s.RefundedCents > 0 {
		s.RefundedCents, err = c.refunded(ctx, s.PaymentIntent)
	}
	if err == nil && page.PaymentIntent.LatestCharge.Disputed {
		err = c.addDisputes(ctx, &s)
	}
	return s, err
}

// refunded sums the refunds of a payment that have not failed.
func (c *Client) refunded(ctx context.Context, paymentIntent string) (cents int, err error) {
	list := c.refunds.List(&stripe.RefundListParams{
		ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(longestPage)}, PaymentIntent: &paymentIntent,
	})
	for list.Next() {
		if r := list.Refund(); r.Status != stripe.RefundStatusFailed && r.Status != stripe.RefundStatusCanceled {
			cents += int(r.Amount)
		}
	}
	return cents, failure(list.Err())
}

// disputeStates maps Stripe's statuses. An inquiry (warning_…) withdraws no money, so it is no dispute.
var disputeStates = map[stripe.DisputeStatus]checkout.DisputeState{
	stripe.DisputeStatusNeedsResponse: checkout.DisputeOpen, stripe.DisputeStatusUnderReview: checkout.DisputeOpen,
	stripe.DisputeStatusLost: checkout.DisputeLost, stripe.DisputeStatusWon: checkout.DisputeWon,
}

// addDisputes reads the disputes of a payment. Of several, one that takes the money decides.
func (c *Client) addDisputes(ctx context.Context, s *checkout.Session) error {
	list := c.disputes.List(&stripe.DisputeListParams{
		ListParams: stripe.ListParams{Context: ctx, Limit: stripe.Int64(longestPage)}, PaymentIntent: &s.PaymentIntent,
	})
	for list.Next() {
		d := list.Dispute()
		if state := disputeStates[d.Status]; !s.Dispute.TakesMoney() || state == checkout.DisputeOpen {
			s.Dispute = cmp.Or(state, s.Dispute)
		}
		for _, move := range d.BalanceTransactions {
			s.DisputedCents -= int(move.Amount)
			s.DisputeFeeCents += int(move.Fee)
		}
	}
	s.DisputedCents, s.DisputeFeeCents = max(0, s.DisputedCents), max(0, s.DisputeFeeCents)
	return failure(list.Err())
}

// ExpireSession closes a payment page and returns its final state. A page that was paid before is complete,
// which is not an error.
func (c *Client) ExpireSession(ctx context.Context, id string) (checkout.Session, error) {
	closed, err := c.session(c.sessions.Expire(id, &stripe.CheckoutSessionExpireParams{Params: stripe.Params{Context: ctx}}))
	failed, ok := errors.AsType[*checkout.PaymentError](err)
	if !ok || failed.Class != checkout.PaymentRefused {
		return closed, err
	}
	// Stripe has no error code for a page that is no longer open.
	current, err := c.Session(ctx, id)
	if err == nil && current.Status == checkout.SessionOpen {
		return checkout.Session{}, failed
	}
	return current, err
}

// Refund refunds the rest of a payment. A payment that was already refunded is not an error. key is the
// idempotency key.
func (c *Client) Refund(ctx context.Context, paymentIntent, key string) error {
	done, err := c.refunds.New(&stripe.RefundParams{
		Params:        stripe.Params{Context: ctx, IdempotencyKey: &key},
		PaymentIntent: &paymentIntent,
	})
	if refused, ok := errors.AsType[*stripe.Error](err); ok && refused.Code == stripe.ErrorCodeChargeAlreadyRefunded {
		return nil
	}
	if err == nil && (done.Status == stripe.RefundStatusFailed || done.Status == stripe.RefundStatusCanceled) {
		return errorOf(checkout.PaymentRefused, codeNoRefund)
	}
	return failure(err)
}

// CreateCoupon creates the coupon with the offer's discount, for one payment until the offer ends. An
// identical coupon from an earlier attempt is reused.
func (c *Client) CreateCoupon(ctx context.Context, offer checkout.Offer) (couponID string, err error) {
	id := checkout.CouponID(offer.CheckoutID)
	_, err = c.coupons.New(&stripe.CouponParams{
		Params:         once(ctx, offer, "coupon"),
		ID:             &id,
		Name:           stripe.String("Your personal discount"), // the payment page shows it
		PercentOff:     stripe.Float64(float64(offer.DiscountPercent)),
		Duration:       stripe.String(string(stripe.CouponDurationOnce)),
		MaxRedemptions: stripe.Int64(1),
		RedeemBy:       stripe.Int64(offer.ExpiresAt.Unix()),
		Metadata:       map[string]string{metadataCheckout: offer.CheckoutID},
	})
	if refused, ok := errors.AsType[*stripe.Error](err); ok && refused.Code == stripe.ErrorCodeResourceAlreadyExists {
		err = c.sameCoupon(ctx, id, offer.DiscountPercent, err)
	}
	if err != nil {
		return "", failure(err)
	}
	return id, nil
}

// sameCoupon returns nil if the existing coupon has the wanted discount, else the refusal.
func (c *Client) sameCoupon(ctx context.Context, id string, percent int, refusal error) error {
	existing, err := c.coupons.Get(id, &stripe.CouponParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return err
	}
	if existing.PercentOff != float64(percent) {
		return refusal
	}
	return nil
}

// DeleteCoupon deletes a coupon. A missing one is not an error.
func (c *Client) DeleteCoupon(ctx context.Context, couponID string) error {
	_, err := c.coupons.Del(couponID, &stripe.CouponParams{Params: stripe.Params{Context: ctx}})
	err = failure(err)
	if failed, ok := errors.AsType[*checkout.PaymentError](err); ok && failed.Class == checkout.PaymentGone {
		return nil
	}
	return err
}

// session converts the library's payment page or error.
func (c *Client) session(page *stripe.CheckoutSession, err error) (checkout.Session, error) {
	if err != nil {
		return checkout.Session{}, failure(err)
	}
	status := checkout.SessionStatus(page.Status)
	if page.ID == "" || !slices.Contains([]checkout.SessionStatus{checkout.SessionOpen, checkout.SessionComplete, checkout.SessionExpired}, status) {
		return checkout.Session{}, unclear()
	}
	s := checkout.Session{
		ID: page.ID, Status: status, Paid: isPaid(page), CheckoutID: cmp.Or(page.Metadata[metadataCheckout], page.ClientReferenceID),
		TotalCents: int(page.AmountTotal), Currency: string(page.Currency), ExpiresAt: moment(page.ExpiresAt),
	}
	if page.CustomerDetails != nil {
		s.Email = page.CustomerDetails.Email
	}
	if page.PaymentIntent != nil {
		s.PaymentIntent = page.PaymentIntent.ID
		s.FeeCents, s.RefundedCents = figures(page.PaymentIntent.LatestCharge)
	}
	if status == checkout.SessionOpen {
		if !c.mayPayAt(page.URL) {
			return checkout.Session{}, errorOf(checkout.PaymentRefused, codeStrangeURL)
		}
		s.URL = page.URL
	}
	return s, nil
}

// moment converts a Unix time, limited to years that can be encoded as RFC 3339.
func moment(seconds int64) time.Time {
	const last = 253402300799 // of the year 9999
	return time.Unix(min(max(seconds, 0), last), 0).UTC()
}

// isPaid requires a complete page and a settled payment: if nothing is due, the payment is settled before the
// buyer has agreed, and a complete page may still wait for its money.
func isPaid(page *stripe.CheckoutSession) bool {
	return page.Status == stripe.CheckoutSessionStatusComplete &&
		(page.PaymentStatus == stripe.CheckoutSessionPaymentStatusPaid ||
			page.PaymentStatus == stripe.CheckoutSessionPaymentStatusNoPaymentRequired)
}

func figures(charge *stripe.Charge) (fee, refunded int) {
	if charge == nil {
		return 0, 0
	}
	if charge.BalanceTransaction != nil {
		fee = int(charge.BalanceTransaction.Fee)
	}
	return fee, int(charge.AmountRefunded)
}

// mayPayAt reports whether buyers may be sent to a payment page: an allowed host over https, or http on
// loopback. It rejects hosts with other letters, some of which case folding maps to ASCII, and control
// characters.
func (c *Client) mayPayAt(page string) bool {
	u, err := url.Parse(page)
	if err != nil || strings.ContainsFunc(page, unicode.IsControl) {
		return false
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool { return r > unicode.MaxASCII }) || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !egress.Local(u.Hostname())) {
		return false
	}
	return slices.ContainsFunc(c.config.PayHosts, func(host string) bool {
		return host != "" && (strings.EqualFold(host, u.Host) || strings.EqualFold(host, u.Hostname()))
	})
}
