package stripe

import (
	"net/http"
	"net/mail"
	"strings"
)

// The test cards of the payment page, by their last digits.
const (
	goodCard = "4242"
	badCard  = "0002"
)

const maxEmail = 254

// payView is the data of pay.html.
type payView struct {
	Title    string
	Seller   string
	Session  Session // zero: not found
	Subtotal string
	Discount string // empty: no discount
	Total    string
	Email    string // as entered
	Card     string // as selected
	Wrong    string // error of the email address
	Failed   string // error of the payment
}

// Open reports whether the session can be paid.
func (v payView) Open() bool { return v.Session.Status == Open }

// Complete reports whether the session was paid.
func (v payView) Complete() bool { return v.Session.Status == Complete }

func (s *Server) showPay(w http.ResponseWriter, r *http.Request) {
	var session Session
	err := s.state.do(func(t *tx) error {
		session, _ = t.session(r.PathValue("id"))
		return nil
	})
	if err != nil {
		s.storageFailed(w, err)
		return
	}
	s.renderPay(w, http.StatusOK, s.payView(session))
}

// payView returns the data of a session's page.
func (s *Server) payView(session Session) payView {
	v := payView{
		Title: "Pay " + s.config.Product + " · Stripe sandbox", Seller: s.config.Product, Session: session, Card: goodCard,
		Subtotal: dollars(session.Subtotal), Total: dollars(session.Total),
	}
	if session.Coupon != "" {
		v.Discount = dollars(session.Total - session.Subtotal)
	}
	return v
}

func (s *Server) renderPay(w http.ResponseWriter, status int, v payView) {
	switch v.Session.Status {
	case Open:
		s.render(w, status, "pay.html", "'self' "+originOf(v.Session.SuccessURL), v)
	case Complete, Expired:
		v.Title = "This page is closed · Stripe sandbox"
		s.render(w, http.StatusGone, "pay.html", "", v)
	default:
		v.Title = "Nothing to pay here · Stripe sandbox"
		s.render(w, http.StatusNotFound, "pay.html", "", v)
	}
}

// submitPay handles the payment form. A second submission finds the session complete.
func (s *Server) submitPay(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	email, card := strings.TrimSpace(r.PostFormValue("email")), r.PostFormValue("card")
	var session Session
	var failed string
	valid := validEmail(email)
	err := s.state.do(func(t *tx) error {
		var found bool
		if session, found = t.session(r.PathValue("id")); found && session.Status == Open && valid {
			session, failed = t.pay(session, email, card)
		}
		return nil
	})
	v := s.payView(session)
	v.Email, v.Card, v.Failed = email, card, failed
	switch {
	case err != nil:
		s.storageFailed(w, err)
	case v.Open() && !valid:
		v.Wrong = "Enter an email address such as name@example.com."
		s.renderPay(w, http.StatusBadRequest, v)
	case v.Open():
		s.renderPay(w, http.StatusPaymentRequired, v)
	case v.Complete() && session.Email == email && valid:
		http.Redirect(w, r, strings.ReplaceAll(session.SuccessURL, "{CHECKOUT_SESSION_ID}", session.ID), http.StatusSeeOther)
	default:
		s.renderPay(w, http.StatusGone, v)
	}
}

// pay attempts to pay an open session and returns the error for the buyer.
func (t *tx) pay(session Session, email, card string) (Session, string) {
	coupon, discounted := t.couponOf(session.CouponSerial)
	switch {
	case discounted && !coupon.Deleted && !coupon.valid(t.now):
		return session, "This discount was already used or has expired. You were not charged."
	case session.Total > 0 && card != goodCard:
		session = t.decline(session)
		return session, declinedMessage + " You were not charged. Choose another card."
	}
	if discounted {
		coupon.TimesRedeemed++
		t.putCoupon(coupon)
	}
	t.charge(&session)
	session.Status, session.Email = Complete, email
	t.putSession(session)
	t.emit("checkout.session.completed", session.ID, t.sessionJSON(session, false))
	if p, charged := t.payment(session.Payment); charged {
		t.emit("charge.succeeded", p.Charge, chargeJSON(p, false))
		t.emit("payment_intent.succeeded", p.ID, paymentJSON(p, false))
	}
	return session, ""
}

func validEmail(email string) bool {
	address, err := mail.ParseAddress(email)
	return err == nil && address.Address == email && len(email) <= maxEmail
}

func (s *Server) storageFailed(w http.ResponseWriter, err error) {
	s.config.Log.Error("stripe sandbox: the state could not be written", "error", err)
	http.Error(w, "The payment could not be stored. You were not charged.", http.StatusServiceUnavailable)
}
