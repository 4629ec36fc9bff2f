package stripe

import (
	"net/http"

	"customerzero/internal/sandbox/pages"
)

// shownCoupon is a coupon as state.json tells it.
type shownCoupon struct {
	Coupon
	Valid bool `json:"valid"`
}

// stateJSON tells programs what the sandbox knows, oldest first, without the buyers'
// addresses.
func (s *Server) stateJSON(w http.ResponseWriter, _ *http.Request) {
	sessions := s.Sessions()
	for i := range sessions {
		sessions[i].Email = ""
	}
	coupons := []shownCoupon{}
	for _, c := range s.Coupons() {
		coupons = append(coupons, shownCoupon{Coupon: c, Valid: c.valid(s.config.Now())})
	}
	pages.WriteJSON(w, http.StatusOK, map[string]any{
		"sandbox": true, "sessions": sessions, "coupons": coupons, "payments": s.Payments(), "refunds": s.Refunds(),
		"deliveries": s.Deliveries(),
	})
}
