package stripe

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/domain/checkout"
)

// OpenSession opens a payment page for the offer. The coupon may be empty.
func (c *Client) OpenSession(ctx context.Context, offer checkout.Offer, couponID string) (checkout.Session, error) {
	if offer.Demo && c.Live() {
		return checkout.Session{}, saying(checkout.PaymentRefused, codeLiveDemo)
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

// membership is the one thing on the page, at list price: the coupon shows the discount.
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

// Session reads a payment page, and what came of its payment.
func (c *Client) Session(ctx context.Context, id string) (checkout.Session, error) {
	return c.session(c.sessions.Get(id, &stripe.CheckoutSessionParams{
		Params: stripe.Params{Context: ctx},
		Expand: stripe.StringSlice([]string{"payment_intent.latest_charge.balance_transaction"}),
	}))
}

// ExpireSession closes a payment page and gives it as it stands afterwards: one that was paid
// before is complete, and that is no error.
func (c *Client) ExpireSession(ctx context.Context, id string) (checkout.Session, error) {
	closed, err := c.session(c.sessions.Expire(id, &stripe.CheckoutSessionExpireParams{Params: stripe.Params{Context: ctx}}))
	failed, ok := errors.AsType[*checkout.PaymentError](err)
	if !ok || failed.Class != checkout.PaymentRefused {
		return closed, err
	}
	// Only an open page can be closed, and Stripe has no code for telling so.
	stands, err := c.Session(ctx, id)
	if err == nil && stands.Status == checkout.SessionOpen {
		return checkout.Session{}, failed
	}
	return stands, err
}

// Refund returns back all that is left of a payment. One that was refunded already is fine.
// What the key was used for once happens once.
func (c *Client) Refund(ctx context.Context, paymentIntent, key string) error {
	done, err := c.refunds.New(&stripe.RefundParams{
		Params:        stripe.Params{Context: ctx, IdempotencyKey: &key},
		PaymentIntent: &paymentIntent,
	})
	if said, ok := errors.AsType[*stripe.Error](err); ok && said.Code == stripe.ErrorCodeChargeAlreadyRefunded {
		return nil
	}
	if err == nil && (done.Status == stripe.RefundStatusFailed || done.Status == stripe.RefundStatusCanceled) {
		return saying(checkout.PaymentRefused, codeNoRefund)
	}
	return failure(err)
}

// CreateCoupon makes the coupon that gives the offer its discount: for one payment, until the
// offer ends. The same one from an earlier try will do.
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
	if said, ok := errors.AsType[*stripe.Error](err); ok && said.Code == stripe.ErrorCodeResourceAlreadyExists {
		err = c.sameCoupon(ctx, id, offer.DiscountPercent, err)
	}
	if err != nil {
		return "", failure(err)
	}
	return id, nil
}

// sameCoupon sees whether the coupon that stands in the way is the one that was wanted. If
// not, the refusal stands.
func (c *Client) sameCoupon(ctx context.Context, id string, percent int, refusal error) error {
	there, err := c.coupons.Get(id, &stripe.CouponParams{Params: stripe.Params{Context: ctx}})
	if err != nil {
		return err
	}
	if there.PercentOff != float64(percent) {
		return refusal
	}
	return nil
}

// DeleteCoupon takes a coupon back. One that is gone is fine.
func (c *Client) DeleteCoupon(ctx context.Context, couponID string) error {
	_, err := c.coupons.Del(couponID, &stripe.CouponParams{Params: stripe.Params{Context: ctx}})
	err = failure(err)
	if failed, ok := errors.AsType[*checkout.PaymentError](err); ok && failed.Class == checkout.PaymentGone {
		return nil
	}
	return err
}

// session reads the library's payment page, or error, as one of ours.
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
			return checkout.Session{}, saying(checkout.PaymentRefused, codeStrangeURL)
		}
		s.URL = page.URL
	}
	return s, nil
}

// moment is a time as Stripe writes it, within what can be written down: of a year with four digits.
func moment(seconds int64) time.Time {
	const last = 253402300799 // of the year 9999
	return time.Unix(min(max(seconds, 0), last), 0).UTC()
}

// isPaid asks for both: a page where nothing is due says so from the start, but its buyer has
// agreed to nothing yet, and a complete page may still wait for its money.
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

// mayPayAt reports whether a buyer may be sent to a payment page. A host in other letters is none of
// ours, though some of them become ours when they are folded; and no address holds control
// characters, which a fragment might.
func (c *Client) mayPayAt(page string) bool {
	u, err := url.Parse(page)
	if err != nil || strings.ContainsFunc(page, unicode.IsControl) {
		return false
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool { return r > unicode.MaxASCII }) || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return false
	}
	return slices.ContainsFunc(c.config.PayHosts, func(host string) bool {
		return host != "" && (strings.EqualFold(host, u.Host) || strings.EqualFold(host, u.Hostname()))
	})
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
