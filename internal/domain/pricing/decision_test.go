package pricing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func TestDecisionSettle(t *testing.T) {
	t.Parallel()
	call := "call-1"
	seen := Behaviour{Visits: 3, TimeOnSite: 240, ViewedPricing: true, AddedToCart: true, UserType: ReturningVisitor}
	d := Decision{State: Pending, ListCents: 900}
	d.SetBehaviour(seen)
	d.Settle(Proposal{
		DiscountPercent: 500, Reason: "You came back.", Source: ByModel, CallID: &call, Model: "builtin-1", Prompt: "price.v1",
	}, Limits{ListCents: 900, FloorCents: 700, RoomCents: 90}, noon)

	require.Equal(t, seen, d.Behaviour())
	require.Equal(t, Decision{
		Visits: 3, TimeOnSite: 240, ViewedPricing: true, AddedToCart: true, UserType: ReturningVisitor,
		Source: ByModel, CallID: &call, Model: "builtin-1", Prompt: "price.v1",
		ProposedPercent: 500, Reason: "You came back.", Clamps: "above_maximum,below_floor,over_budget",
		ListCents: 900, DiscountPercent: 10, FinalCents: 810, State: Decided, DecidedAt: &noon,
	}, d)
	require.Equal(t, []Clamp{AboveMaximum, BelowFloor, OverBudget}, d.ClampList())
}

func TestDecisionWithinTheLimitsNamesNoClamp(t *testing.T) {
	t.Parallel()
	d := Decision{ListCents: 900}
	d.Settle(Proposal{DiscountPercent: 10, Source: ByRules, Fallback: "timed_out"}, generous, noon)
	require.Empty(t, d.Clamps)
	require.Equal(t, []Clamp{}, d.ClampList(), "a list in JSON, not null")
	require.Equal(t, "timed_out", d.FallbackReason)
}
