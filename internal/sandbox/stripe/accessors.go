package stripe

import "slices"

// Sessions gives every session, oldest first.
func (s *Server) Sessions() []Session {
	return look(s, func(t *tx) []Session { return t.st.sessions.all() })
}

// Coupons gives every coupon, oldest first; deleted ones as well.
func (s *Server) Coupons() []Coupon {
	return look(s, func(t *tx) []Coupon { return t.st.coupons.all() })
}

// Payments gives every payment, oldest first; declined ones as well.
func (s *Server) Payments() []Payment {
	return look(s, func(t *tx) []Payment { return t.st.payments.all() })
}

// Refunds gives every refund, oldest first.
func (s *Server) Refunds() []Refund {
	return look(s, func(t *tx) []Refund { return t.st.refunds.all() })
}

// Events gives every event, oldest first.
func (s *Server) Events() []Event {
	return look(s, func(t *tx) []Event { return t.st.events.all() })
}

// Deliveries says how each event's webhook fares, oldest first.
func (s *Server) Deliveries() []Delivery {
	return look(s, func(t *tx) []Delivery { return t.st.deliveries.all() })
}

func look[T any](s *Server, newestFirst func(*tx) []T) (objects []T) {
	_ = s.state.do(func(t *tx) error { // after an error, what was known before
		objects = newestFirst(t)
		return nil
	})
	slices.Reverse(objects)
	return objects
}
