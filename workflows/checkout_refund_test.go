package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/checkout"
	"customerzero/workflows"
)

// newSold is a shop whose checkout ada has paid.
func newSold(t *testing.T) *shop {
	t.Helper()
	s := newShop(t)
	s.stands(t, checkout.Paid)
	s.again(opening.Add(24 * time.Hour))
	return s
}

// refund runs a refund to its end, and reads the checkout's row.
func (s *shop) refund(t *testing.T, send bool) checkout.State {
	t.Helper()
	s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: send})
	require.NoError(t, s.env.GetWorkflowError())
	var result workflows.RefundResult
	require.NoError(t, s.env.GetWorkflowResult(&result))
	require.Equal(t, s.read(t).State, result.State, "the row and the run tell the same")
	return result.State
}

// gone says how much of the payment went back, as the payment service has it.
func (s *shop) gone(t *testing.T, cents int) {
	s.bank.pages[*s.read(t).SessionID].RefundedCents = cents
}

func TestRefundEndings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		send   bool
		before func(t *testing.T, s *shop)
		state  checkout.State
		cents  int // that went back
		sent   int // calls that send
	}{
		"a founder sends it: back, and the seat is frozen":      {send: true, state: checkout.Refunded, cents: 765, sent: 1},
		"news that all went back: the seat is frozen":           {before: wentBack(765), state: checkout.Refunded, cents: 765},
		"news that a part went back: the seat stays":            {before: wentBack(100), state: checkout.Paid, cents: 100},
		"news of nothing: the seat stays":                       {state: checkout.Paid},
		"it went back already: not sent again, and booked":      {send: true, before: wentBack(765), state: checkout.Refunded, cents: 765, sent: 1},
		"the answer is lost: sent again, and it is sent once":   {send: true, before: loses("RefundPayment"), state: checkout.Refunded, cents: 765, sent: 3},
		"the booking's answer is lost: booked once":             {send: true, before: loses("RecordRefund"), state: checkout.Refunded, cents: 765, sent: 1},
		"the service is away: waited for":                       {send: true, before: fails("refund", bankAway, bankBusy), state: checkout.Refunded, cents: 765, sent: 3},
		"the service is broken: tried until it works":           {send: true, before: fails("refund", bankBroken, bankBroken), state: checkout.Refunded, cents: 765, sent: 3},
		"the service is broken when it is asked: asked again":   {send: true, before: fails("look", bankBroken, bankBroken), state: checkout.Refunded, cents: 765, sent: 1},
		"news overtakes the answer: sent once, and booked once": {send: true, before: overtaken, state: checkout.Refunded, cents: 765, sent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSold(t)
			if tt.before != nil {
				tt.before(t, s)
			}
			require.Equal(t, tt.state, s.refund(t, tt.send))
			require.Equal(t, tt.cents, s.row.RefundedCents)
			require.Equal(t, tt.sent, s.bank.count("refund"))
			seats, credits := s.members(t)
			if tt.state == checkout.Refunded {
				require.Equal(t, 0, seats+credits)
				require.Equal(t, []string{"receipt to " + ada, "refund to " + ada, "welcome to " + ada}, s.letters(t))
				return
			}
			require.Equal(t, 1, seats)
			require.Equal(t, 90, credits)
			require.NotContains(t, s.letters(t), "refund to "+ada)
		})
	}
}

func wentBack(cents int) func(*testing.T, *shop) {
	return func(t *testing.T, s *shop) { s.gone(t, cents) }
}

func loses(step string) func(*testing.T, *shop) {
	return func(_ *testing.T, s *shop) { s.network.loses, s.network.times = step, 2 }
}

func fails(call string, script ...error) func(*testing.T, *shop) {
	return func(_ *testing.T, s *shop) { s.bank.fails[call] = script }
}

// overtaken loses the answer of the first try, and books the refund before the second.
func overtaken(t *testing.T, s *shop) {
	s.network.loses, s.network.times = "RefundPayment", 1
	s.bank.during["refund"] = func() {
		_, err := s.db.Checkouts.RefundCheckout(t.Context(), s.row.ID, 765, map[string]string{}, s.env.Now())
		require.NoError(t, err)
	}
}

func TestRefundThatTheServiceRefusesSaysSo(t *testing.T) {
	t.Parallel()
	s := newSold(t)
	s.bank.always["refund"] = bankRefuses
	s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: true})
	require.Equal(t, "stripe_refused", typeOf(s.env.GetWorkflowError()))
	require.Equal(t, checkout.Paid, s.read(t).State)
}

func TestRefundOfACheckoutThatIsNotPaid(t *testing.T) {
	t.Parallel()
	for _, state := range []checkout.State{checkout.Quoting, checkout.Open, checkout.Expired} {
		for _, send := range []bool{true, false} {
			s := newShop(t)
			s.stands(t, state)
			s.env.ExecuteWorkflow(workflows.Refund, workflows.RefundInput{CheckoutID: s.row.ID, Send: send})
			if send {
				require.Equal(t, "conflict", typeOf(s.env.GetWorkflowError()))
			} else {
				require.NoError(t, s.env.GetWorkflowError())
			}
			require.Equal(t, state, s.read(t).State)
			require.Zero(t, s.bank.count("refund"))
		}
	}
}

// News that comes while the last is booked is looked at, too.
func TestRefundHeedsNewsThatComesDuringIt(t *testing.T) {
	t.Parallel()
	s := newSold(t)
	s.gone(t, 100)
	page := s.bank.pages[*s.row.SessionID]
	s.bank.during["look"] = func() {
		s.env.SignalWorkflow(workflows.SignalRefunded, nil)
		s.bank.during["look"] = func() { page.RefundedCents = 765 }
	}
	require.Equal(t, checkout.Refunded, s.refund(t, false))
	require.Equal(t, 765, s.row.RefundedCents)
	require.Equal(t, 2, s.bank.count("look"))
}
