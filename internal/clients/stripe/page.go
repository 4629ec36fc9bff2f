package stripe

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/stripe/stripe-go/v76"

	"customerzero/internal/domain/checkout"
)

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

// mayPayAt says whether a buyer may be sent to a payment page. A host in other letters is none of
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
