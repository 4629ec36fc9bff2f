package stripe

import (
	"slices"
	"time"
)

// tx is a transaction: it sees its own changes, and others see them after it.
type tx struct {
	st     *state
	now    time.Time
	change change
}

// coupon gives the coupon that has the ID now.
func (t *tx) coupon(id string) (Coupon, bool) {
	for _, c := range t.st.coupons.all() {
		if c.ID == id && !c.Deleted {
			return c, true
		}
	}
	return Coupon{}, false
}

func (t *tx) couponOf(serial string) (Coupon, bool) {
	return find(t.change.Coupons, t.st.coupons, serial)
}

func (t *tx) session(id string) (Session, bool) {
	return find(t.change.Sessions, t.st.sessions, id)
}

func (t *tx) payment(id string) (Payment, bool) {
	return find(t.change.Payments, t.st.payments, id)
}

func (t *tx) putCoupon(c Coupon)   { t.change.Coupons = append(t.change.Coupons, c) }
func (t *tx) putSession(s Session) { t.change.Sessions = append(t.change.Sessions, s) }
func (t *tx) putPayment(p Payment) { t.change.Payments = append(t.change.Payments, p) }

// expireDue ends the sessions whose time has come.
func (t *tx) expireDue() {
	for _, id := range t.openSessions() {
		if s, _ := t.session(id); !t.now.Before(s.ExpiresAt) {
			t.expire(s)
		}
	}
}

// openSessions lists the open ones, those that end first in front.
func (t *tx) openSessions() []string {
	open := make([]string, 0, len(t.st.open))
	for id := range t.st.open {
		open = append(open, id)
	}
	slices.SortFunc(open, func(a, b string) int {
		return t.st.sessions.byID[a].ExpiresAt.Compare(t.st.sessions.byID[b].ExpiresAt)
	})
	return open
}

// expire ends an open session; a payment that was declined ends with it.
func (t *tx) expire(s Session) Session {
	s.Status = Expired
	t.putSession(s)
	if p, tried := t.payment(s.Payment); tried {
		p.Status = Cancelled
		t.putPayment(p)
	}
	t.emit("checkout.session.expired", s.ID, t.sessionJSON(s, nil))
	return s
}
