package stripe

import (
	"slices"
	"sync"
	"time"

	"customerzero/internal/sandbox/journal"
)

// change is the result of one call. It is applied completely, as one line of the journal.
type change struct {
	Coupons    []Coupon   `json:"coupons,omitempty"`
	Sessions   []Session  `json:"sessions,omitempty"`
	Payments   []Payment  `json:"payments,omitempty"`
	Refunds    []Refund   `json:"refunds,omitempty"`
	Disputes   []Dispute  `json:"disputes,omitempty"`
	Events     []Event    `json:"events,omitempty"`
	Deliveries []Delivery `json:"deliveries,omitempty"`
	Replies    []reply    `json:"replies,omitempty"`
}

func (c change) empty() bool {
	return len(c.Coupons)+len(c.Sessions)+len(c.Payments)+len(c.Refunds)+len(c.Disputes)+len(c.Events)+len(c.Deliveries)+len(c.Replies) == 0
}

// state is Stripe's state. Changes are written to the journal before they are applied.
type state struct {
	now      func() time.Time
	pagesURL string
	shortest time.Duration // session
	notify   func(change)  // called after every change; must not call back

	mu         sync.Mutex
	journal    *journal.Journal
	coupons    *table[Coupon]
	sessions   *table[Session]
	payments   *table[Payment]
	refunds    *table[Refund]
	disputes   *table[Dispute]
	events     *table[Event]
	deliveries *table[Delivery]
	replies    map[string]reply    // by idempotency key
	open       map[string]struct{} // sessions
}

// newState replays the journal.
func newState(config Config, notify func(change)) (*state, error) {
	st := &state{
		now: config.Now, pagesURL: config.PagesURL, shortest: config.LeastTime, notify: notify,
		coupons: newTable[Coupon](), sessions: newTable[Session](), payments: newTable[Payment](),
		refunds: newTable[Refund](), disputes: newTable[Dispute](), events: newTable[Event](), deliveries: newTable[Delivery](),
		replies: map[string]reply{}, open: map[string]struct{}{},
	}
	var err error
	st.journal, err = journal.Open(config.File, config.Log, func(c change) error {
		st.apply(c)
		return nil
	})
	return st, err
}

func (st *state) apply(c change) {
	st.coupons.put(c.Coupons...)
	st.sessions.put(c.Sessions...)
	st.payments.put(c.Payments...)
	st.refunds.put(c.Refunds...)
	st.disputes.put(c.Disputes...)
	st.events.put(c.Events...)
	st.deliveries.put(c.Deliveries...)
	for _, e := range c.Events {
		st.deliveries.put(Delivery{Event: e.ID, Type: e.Type, Status: Pending})
	}
	for _, r := range c.Replies {
		st.replies[r.Key] = r
	}
	for _, s := range c.Sessions {
		delete(st.open, s.ID)
		if s.Status == Open {
			st.open[s.ID] = struct{}{}
		}
	}
}

// do runs a transaction and commits its changes if run returns nil. It first expires sessions that are due.
func (st *state) do(run func(*tx) error) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	now := st.now().UTC()
	expired := &tx{st: st, now: now}
	expired.expireDue()
	if err := st.commit(expired.change); err != nil {
		return err
	}
	t := &tx{st: st, now: now}
	if err := run(t); err != nil {
		return err
	}
	return st.commit(t.change)
}

func (st *state) commit(c change) error {
	if c.empty() {
		return nil
	}
	if err := st.journal.Append(c); err != nil {
		return err
	}
	st.apply(c)
	st.notify(c)
	return nil
}

// undelivered returns the events with pending webhooks, oldest first.
func (st *state) undelivered() []Event {
	var waiting []Event
	for _, id := range st.events.order {
		if st.deliveries.byID[id].Status == Pending {
			waiting = append(waiting, st.events.byID[id])
		}
	}
	return waiting
}

func (st *state) close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.journal.Close()
}

// object is a stored object with a unique key.
type object interface{ key() string }

// table stores objects of one kind in insertion order.
type table[T object] struct {
	byID  map[string]T
	order []string
}

func newTable[T object]() *table[T] { return &table[T]{byID: map[string]T{}} }

// put adds or replaces objects.
func (t *table[T]) put(objects ...T) {
	for _, o := range objects {
		if _, known := t.byID[o.key()]; !known {
			t.order = append(t.order, o.key())
		}
		t.byID[o.key()] = o
	}
}

// all returns all objects, newest first.
func (t *table[T]) all() []T {
	objects := make([]T, 0, len(t.order))
	for _, id := range slices.Backward(t.order) {
		objects = append(objects, t.byID[id])
	}
	return objects
}

// find returns an object including the changes, the last of which counts.
func find[T object](changed []T, kept *table[T], id string) (T, bool) {
	for _, o := range slices.Backward(changed) {
		if o.key() == id {
			return o, true
		}
	}
	o, found := kept.byID[id]
	return o, found
}

// tx is a transaction. It sees its own changes; others see them after its commit.
type tx struct {
	st     *state
	now    time.Time
	change change
}

// coupon returns the coupon that currently has the ID.
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

// expireDue expires the sessions that are due.
func (t *tx) expireDue() {
	for id := range t.st.open {
		if s := t.st.sessions.byID[id]; !t.now.Before(s.ExpiresAt) {
			t.expire(s)
		}
	}
}

// expire expires an open session and cancels its declined payment.
func (t *tx) expire(s Session) Session {
	s.Status = Expired
	t.putSession(s)
	if p, tried := t.payment(s.Payment); tried {
		p.Status = Cancelled
		t.putPayment(p)
	}
	t.emit("checkout.session.expired", s.ID, t.sessionJSON(s, false))
	return s
}
