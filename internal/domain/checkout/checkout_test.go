package checkout

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/member"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func TestDollars(t *testing.T) {
	t.Parallel()
	for cents, want := range map[int]string{0: "$0.00", 5: "$0.05", 99: "$0.99", 630: "$6.30", 900: "$9.00", 123456: "$1234.56"} {
		require.Equal(t, want, Dollars(cents))
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	for state, tt := range map[State]struct{ live, settled bool }{
		Quoting: {live: true}, Open: {live: true},
		Paid: {settled: true}, Refunded: {settled: true},
		Expired: {}, Cancelled: {}, Failed: {},
	} {
		require.Equal(t, tt.live, state.Live(), state)
		require.Equal(t, tt.settled, state.Settled(), state)
	}
}

func TestEventKinds(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]EventKind{
		"checkout.session.completed":               Payment,
		"checkout.session.expired":                 Payment,
		"checkout.session.async_payment_succeeded": Payment,
		"checkout.session.async_payment_failed":    OtherEvent,
		"charge.refunded":                          Refund,
		"charge.refund.updated":                    Refund,
		"refund.created":                           Refund,
		"refund.updated":                           Refund,
		"refund.failed":                            Refund,
		"charge.dispute.created":                   Refund,
		"charge.dispute.updated":                   Refund,
		"charge.dispute.closed":                    Refund,
		"charge.dispute.funds_withdrawn":           Refund,
		"charge.dispute.funds_reinstated":          Refund,
		"charge.succeeded":                         OtherEvent,
		"payment_intent.succeeded":                 OtherEvent,
		"":                                         OtherEvent,
	} {
		require.Equal(t, want, Event{Type: kind, SessionID: "cs_1", PaymentIntent: "pi_1"}.Kind(), kind)
	}
}

func TestLiveKeys(t *testing.T) {
	t.Parallel()
	require.Nil(t, Request{Personal: true}.OpenKey(), "untracked visitors may have any number")
	ada, bea := "ada", "bea"
	keys := map[string]bool{}
	for _, a := range []Request{{Visitor: &ada}, {Visitor: &ada, Personal: true}, {Visitor: &bea}, {Visitor: &bea, Personal: true}} {
		keys[*a.OpenKey()] = true
	}
	require.Len(t, keys, 4, "one page of a kind for each visitor")
}

func TestPagesThatAreWorthShowing(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state State
		left  time.Duration
		want  bool
	}{
		"open, with half an hour to go":     {Open, 30 * time.Minute, true},
		"open, with a little over two":      {Open, 2*time.Minute + time.Second, true},
		"open, with two minutes to go: not": {Open, 2 * time.Minute, false},
		"open, and over: not":               {Open, -time.Second, false},
		"paid: not":                         {Paid, time.Hour, false},
		"cancelled: not":                    {Cancelled, time.Hour, false},
		"failed: not":                       {Failed, time.Hour, false},
	} {
		t.Run(name, func(t *testing.T) {
			ends := noon.Add(tt.left)
			require.Equal(t, tt.want, Checkout{State: tt.state, ExpiresAt: &ends}.Payable(noon))
		})
	}
	ends := noon.Add(30 * time.Second)
	short := Checkout{State: Open, CreatedAt: noon, ExpiresAt: &ends}
	require.True(t, short.Payable(ends.Add(-3*time.Second)), "a short page needs less time")
	require.False(t, short.Payable(ends.Add(-2*time.Second)))
	require.True(t, Checkout{State: Quoting}.Payable(noon), "its page is being made")
	require.False(t, Checkout{State: Open}.Payable(noon))
}

func TestNamesThatAreMadeUp(t *testing.T) {
	t.Parallel()
	id := regexp.MustCompile(`^[a-z2-7]{26}$`)
	ids, names := map[string]bool{}, map[string]bool{}
	for range 1000 {
		ids[NewID()] = true
		require.Regexp(t, id, NewID())
		name := NewUsername()
		names[name] = true
		parsed, err := member.ParseUsername(name)
		require.NoError(t, err, "it is a valid username")
		require.Equal(t, name, parsed)
		require.Equal(t, name, member.Key(name))
	}
	require.Len(t, ids, 1000)
	require.Len(t, names, 1000)
	require.Equal(t, "cz-abc", CouponID("abc"), "known before there is one")
}
