package stripe

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"

	"customerzero/internal/platform/testwait"
)

// keyed is an offer with an idempotency key.
func (w *world) keyed(key string) *stripego.CheckoutSessionParams {
	params := w.offer("")
	params.SetIdempotencyKey(key)
	return params
}

// Proves: F2
func TestAKeyGivesTheSameAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, err := w.api.CheckoutSessions.New(w.keyed("k"))
	require.NoError(t, err)
	require.Empty(t, first.LastResponse.Header.Get("Idempotent-Replayed"))
	w.pay(first.ID, goodCard, buyer)
	again, err := w.api.CheckoutSessions.New(w.keyed("k"))
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
	require.Equal(t, stripego.CheckoutSessionStatusOpen, again.Status, "as it was then")
	require.Equal(t, "true", again.LastResponse.Header.Get("Idempotent-Replayed"))
	require.Equal(t, "k", again.LastResponse.Header.Get("Idempotency-Key"))
	require.Len(t, w.sandbox.Sessions(), 1)
}

func TestAKeyBelongsToItsParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := w.keyed("k")
	_, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	params.ExpiresAt = stripego.Int64(*params.ExpiresAt + 1)
	_, err = w.api.CheckoutSessions.New(params)
	require.Equal(t, stripego.ErrorTypeIdempotency, refused(t, err).Type)
	require.Equal(t, http.StatusBadRequest, refused(t, err).HTTPStatusCode)
	other := w.couponParams("cz-1", 25)
	other.SetIdempotencyKey("k")
	_, err = w.api.Coupons.New(other)
	require.Equal(t, stripego.ErrorTypeIdempotency, refused(t, err).Type, "and to its call")
}

func TestAKeyIsForgottenAfterADay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := w.keyed("k")
	params.ExpiresAt = nil
	first, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	w.clock.advance(24*time.Hour - time.Second)
	again, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
	w.clock.advance(time.Second)
	later, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.NotEqual(t, first.ID, later.ID)
}

func TestWhatNeverBeganLeavesTheKeyFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := w.keyed("k")
	params.Mode = stripego.String("other")
	_, err := w.api.CheckoutSessions.New(params)
	require.Error(t, err)
	_, err = w.api.CheckoutSessions.New(w.keyed("k"))
	require.NoError(t, err)
}

func TestARefusalIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := w.offer("cz-1")
	params.SetIdempotencyKey("k")
	for range 2 {
		_, err := w.api.CheckoutSessions.New(params)
		require.Equal(t, stripego.ErrorCodeResourceMissing, refused(t, err).Code)
		if len(w.sandbox.Coupons()) == 0 {
			w.coupon("cz-1", 25)
		}
	}
}

func TestARefusalChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	half := endpoint{serve: func(c *call) (any, *refusal) {
		c.putCoupon(Coupon{Serial: "half"})
		return nil, refuse("", "", "Only half of it can be done.")
	}}
	w.sandbox.perform(half, request{key: "k", fields: &fields{}}, Rule{})
	require.Empty(t, w.sandbox.Coupons())
	_, kept := w.sandbox.state.replyTo("k")
	require.True(t, kept)
}

// Proves: F19
func TestAFailureIsKeptToo(t *testing.T) {
	t.Parallel()
	for fault, sessions := range map[Fault]int{Broken: 0, BrokenAfter: 1} {
		w := newWorld(t)
		w.fault(Rule{On: OnSessionCreate, Fault: fault, Times: 1})
		for range 2 {
			_, err := w.api.CheckoutSessions.New(w.keyed("k"))
			require.Equal(t, http.StatusInternalServerError, refused(t, err).HTTPStatusCode)
			require.Equal(t, stripego.ErrorTypeAPI, refused(t, err).Type)
			require.Len(t, w.sandbox.Sessions(), sessions)
		}
		_, err := w.api.CheckoutSessions.New(w.keyed("another"))
		require.NoError(t, err)
	}
}

// Proves: F19
func TestAKeyInUseIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnSessionCreate, Fault: Slow, Times: 1, Delay: 300 * time.Millisecond})
	params := w.keyed("k")
	done := make(chan *stripego.CheckoutSession, 1)
	go func() {
		session, _ := w.api.CheckoutSessions.New(params)
		done <- session
	}()
	require.Eventually(t, func() bool { return !w.sandbox.inUse.free("k") }, testwait.Limit, time.Millisecond)
	_, err := w.api.CheckoutSessions.New(params)
	require.Equal(t, http.StatusConflict, refused(t, err).HTTPStatusCode)
	require.Equal(t, stripego.ErrorCodeIdempotencyKeyInUse, refused(t, err).Code)
	require.Empty(t, w.sandbox.Sessions(), "it is done later")
	first := <-done
	again, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
}

// free says whether nobody uses the key.
func (k *keysInUse) free(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, taken := k.keys[key]
	return !taken
}

// Proves: F2
func TestOneOfManyCallsIsDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := w.keyed("k")
	done := make(chan error, 20)
	for range cap(done) {
		go func() {
			_, err := w.api.CheckoutSessions.New(params)
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			require.Equal(t, stripego.ErrorCodeIdempotencyKeyInUse, refused(t, err).Code)
		}
	}
	require.Len(t, w.sandbox.Sessions(), 1)
}

func TestALongKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	form := url.Values{"percent_off": {"10"}}.Encode()
	for length, want := range map[int]int{255: http.StatusOK, 256: http.StatusBadRequest} {
		key := strings.Repeat("k", length)
		require.Equal(t, want, w.call(http.MethodPost, "/v1/coupons", form, "Idempotency-Key", key).status)
	}
}
