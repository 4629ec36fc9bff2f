package stripe

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

const newCoupon = "id=cz-1&percent_off=25"

// start reads a coupon, or makes one, in a call that may get no answer, and waits until the fault hit it.
func (w *world) start(call func() error, coupons int) <-chan error {
	w.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	require.Eventually(w.t, func() bool {
		_, rules := w.sandbox.faults.List()
		return rules[0].Fired == 1 && len(w.sandbox.Coupons()) == coupons
	}, testwait.Limit, time.Millisecond)
	return ended
}

func TestFaultsThatAnswer(t *testing.T) {
	t.Parallel()
	for fault, tt := range map[Fault]struct {
		status int
		part   string
		done   int
	}{
		Broken:      {http.StatusInternalServerError, `"type":"api_error"`, 0},
		BrokenAfter: {http.StatusInternalServerError, `"type":"api_error"`, 1},
		RateLimit:   {http.StatusTooManyRequests, `"code":"rate_limit"`, 0},
		Conflict:    {http.StatusConflict, `"code":"idempotency_key_in_use"`, 0},
		Slow:        {http.StatusOK, `"object":"coupon"`, 1},
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(Rule{On: OnCouponCreate, Fault: fault, Times: 1, Delay: 3 * time.Second / 100})
			got := w.call(http.MethodPost, "/v1/coupons", newCoupon, "Idempotency-Key", "k")
			require.Equal(t, tt.status, got.status)
			require.Contains(t, got.body, tt.part)
			require.Len(t, w.sandbox.Coupons(), tt.done)
			if fault == RateLimit {
				require.Equal(t, "1", got.header.Get("Retry-After"))
			}
			if fault == RateLimit || fault == Conflict {
				require.Equal(t, http.StatusOK, w.call(http.MethodPost, "/v1/coupons", newCoupon, "Idempotency-Key", "k").status, "the key is free")
			}
		})
	}
}

func TestAHangEndsWhenTheSandboxCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnAny, Fault: HangBefore})
	ended := w.start(func() error {
		_, err := w.api.Coupons.Get("cz-1", nil)
		return err
	}, 0)
	require.NoError(t, w.sandbox.Close())
	require.Error(t, <-ended)
}

func TestRulesHitTheirTargets(t *testing.T) {
	t.Parallel()
	calls := map[[2]string]Target{
		{http.MethodPost, "/v1/coupons"}: OnCouponCreate, {http.MethodPost, "/v1/checkout/sessions"}: OnSessionCreate,
		{http.MethodGet, "/v1/coupons/c"}: "", {http.MethodDelete, "/v1/coupons/c"}: "", {http.MethodGet, "/v1/checkout/sessions/c"}: "",
		{http.MethodPost, "/v1/checkout/sessions/c/expire"}: "", {http.MethodPost, "/v1/refunds"}: "", {http.MethodGet, "/v1/events"}: "",
	}
	require.Len(t, calls, len(endpoints()))
	w := newWorld(t)
	for _, on := range []Target{OnCouponCreate, OnSessionCreate, OnWebhook, OnAny} {
		fault := RateLimit
		if on == OnWebhook {
			fault = Lose
		}
		w.fault(Rule{On: on, Fault: fault})
		for call, target := range calls {
			hit := w.call(call[0], call[1], "").status == http.StatusTooManyRequests
			require.Equal(t, on == OnAny || on == target, hit, "%s %s", on, call)
		}
	}
	require.Equal(t, http.StatusOK, w.send(http.MethodGet, root, "").status, "our own pages are never hit")
}

func TestRulesOverHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	put := func(rule string) answer { return w.send(http.MethodPut, root+"/faults", `{"rules":[`+rule+`]}`) }
	for target, faults := range faultsOn {
		for _, fault := range faults {
			answer := put(`{"on":"` + string(target) + `","fault":"` + string(fault) + `"}`)
			require.Equal(t, http.StatusOK, answer.status, answer.body)
		}
	}
	w.fault(Rule{On: OnAny, Fault: RateLimit})
	for name, rule := range map[string]string{
		"an unknown fault":       `{"on":"any","fault":"explode"}`,
		"an unknown target":      `{"on":"events","fault":"slow"}`,
		"a webhook that breaks":  `{"on":"webhook","fault":"broken"}`,
		"a call that is doubled": `{"on":"any","fault":"duplicate"}`,
		"a negative delay":       `{"on":"any","fault":"slow","delay":"-5s"}`,
	} {
		require.Equal(t, http.StatusBadRequest, put(rule).status, name)
		require.Equal(t, http.StatusTooManyRequests, w.call(http.MethodGet, "/v1/events", "").status, "the old ones stay")
	}
}
