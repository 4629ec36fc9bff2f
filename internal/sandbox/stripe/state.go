package stripe

import (
	"sync"
	"time"

	journals "customerzero/internal/sandbox/journal"
)

// change is what one call changes: all of it or nothing, as one line of the journal.
type change struct {
	Coupons    []Coupon   `json:"coupons,omitempty"`
	Sessions   []Session  `json:"sessions,omitempty"`
	Payments   []Payment  `json:"payments,omitempty"`
	Refunds    []Refund   `json:"refunds,omitempty"`
	Events     []Event    `json:"events,omitempty"`
	Deliveries []Delivery `json:"deliveries,omitempty"`
	Replies    []reply    `json:"replies,omitempty"`
}

func (c change) empty() bool {
	return len(c.Coupons)+len(c.Sessions)+len(c.Payments)+len(c.Refunds)+len(c.Events)+len(c.Deliveries)+len(c.Replies) == 0
}

// state is what Stripe remembers. What is in it is in the journal too, first.
type state struct {
	now      func() time.Time
	pagesURL string
	shortest time.Duration // session
	notify   func(change)  // told of every change, after it was made; must not call back

	mu         sync.Mutex
	journal    journal
	coupons    *table[Coupon]
	sessions   *table[Session]
	payments   *table[Payment]
	refunds    *table[Refund]
	events     *table[Event]
	deliveries *table[Delivery]
	replies    map[string]reply    // by idempotency key
	open       map[string]struct{} // sessions
}

// journal keeps changes. After an error the change is not kept.
type journal interface {
	Append(e any) error
	Close() error
}

// newState loads the file, and gives the number of torn bytes that were dropped.
func newState(config Config, notify func(change)) (*state, int, error) {
	st := &state{
		now: config.Now, pagesURL: config.PagesURL, shortest: config.LeastTime, notify: notify,
		coupons: newTable[Coupon](), sessions: newTable[Session](), payments: newTable[Payment](),
		refunds: newTable[Refund](), events: newTable[Event](), deliveries: newTable[Delivery](),
		replies: map[string]reply{}, open: map[string]struct{}{},
	}
	kept, torn, err := journals.Open(config.File, func(c change) error {
		st.apply(c)
		return nil
	})
	st.journal = kept
	return st, torn, err
}

func (st *state) apply(c change) {
	st.coupons.put(c.Coupons...)
	st.sessions.put(c.Sessions...)
	st.payments.put(c.Payments...)
	st.refunds.put(c.Refunds...)
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

// do runs one transaction: what it changed is kept when it returns nil. Sessions whose time
// has come have expired before.
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

// undelivered gives the events whose webhooks are still to be sent, oldest first.
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
