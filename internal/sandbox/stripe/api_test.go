package stripe

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"

	"customerzero/internal/platform/testwait"
)

func TestOnlyTheRightKeyIsLetIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, authorization := range map[string]string{
		"none": "", "an empty one": "Bearer ", "another": "Bearer sk_test_wrong", "a part of it": "Bearer sk_test_sandbo",
		"another scheme": "Basic c2tfdGVzdF9zYW5kYm94Og==",
	} {
		for _, path := range []string{"/v1/coupons/c", "/v1/events", "/v1/nothing"} {
			got := w.send(http.MethodGet, path, "", "Authorization", authorization)
			require.Equal(t, http.StatusUnauthorized, got.status, name)
			require.NotContains(t, got.body, "sk_test")
			require.Contains(t, got.body, `"type":"invalid_request_error"`)
			require.NotEmpty(t, got.header.Get("Request-Id"))
		}
	}
}

func TestCallsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tt := range map[string]struct {
		got    answer
		status int
		part   string
	}{
		"another path":             {w.call(http.MethodGet, "/v1/customers", ""), http.StatusNotFound, "Unrecognized request URL (GET: /v1/customers)"},
		"another method":           {w.call(http.MethodDelete, "/v1/events", ""), http.StatusNotFound, "Unrecognized request URL"},
		"another version":          {w.call(http.MethodGet, "/v1/events", "", "Stripe-Version", "2024-06-20"), http.StatusBadRequest, "2023-10-16"},
		"a parameter of a list":    {w.call(http.MethodGet, "/v1/events?ending_before=evt_1", ""), http.StatusBadRequest, "parameter_unknown"},
		"a parameter of a read":    {w.call(http.MethodGet, "/v1/coupons/c?limit=1", ""), http.StatusBadRequest, "parameter_unknown"},
		"a page that is too long":  {w.call(http.MethodGet, "/v1/events?limit=101", ""), http.StatusBadRequest, "between 1 and 100"},
		"a number that is none":    {w.call(http.MethodGet, "/v1/events?limit=ten", ""), http.StatusBadRequest, "parameter_invalid_integer"},
		"a page after nothing":     {w.call(http.MethodGet, "/v1/events?starting_after=evt_1", ""), http.StatusBadRequest, "resource_missing"},
		"a body that is no form":   {w.call(http.MethodPost, "/v1/refunds", "%zz"), http.StatusBadRequest, "not form-encoded"},
		"a body that is too large": {w.call(http.MethodPost, "/v1/refunds", "reason="+strings.Repeat("x", maxBody)), http.StatusRequestEntityTooLarge, "too large"},
	} {
		require.Equal(t, tt.status, tt.got.status, name)
		require.Contains(t, tt.got.body, tt.part, name)
	}
}

func TestEventsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.session("") // expires
	w.clock.advance(31 * 60 * 1e9)
	payment := w.paid().PaymentIntent.ID
	_, err := w.refund(payment)
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		change func(*stripego.EventListParams)
		want   []string
	}{
		"all of them": {func(*stripego.EventListParams) {}, []string{"charge.refunded", "checkout.session.completed", "checkout.session.expired"}},
		"one type":    {func(p *stripego.EventListParams) { p.Types = []*string{stripego.String("charge.refunded")} }, []string{"charge.refunded"}},
		"two types": {func(p *stripego.EventListParams) {
			p.Types = []*string{stripego.String("charge.refunded"), stripego.String("checkout.session.expired")}
		}, []string{"charge.refunded", "checkout.session.expired"}},
		"since now": {func(p *stripego.EventListParams) {
			p.CreatedRange = &stripego.RangeQueryParams{GreaterThanOrEqual: w.clock.Now().Unix() + 1}
		}, nil},
	} {
		params := &stripego.EventListParams{}
		params.Limit = stripego.Int64(1) // so that every page but the last has more
		tt.change(params)
		var got []string
		listed := w.api.Events.List(params)
		for listed.Next() {
			got = append(got, string(listed.Event().Type))
		}
		require.NoError(t, listed.Err(), name)
		require.Equal(t, tt.want, got, name)
	}
}

// Proves: F37, V16.2.5
func TestNoSecretAndNoAddressIsLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	w := newWorld(t, logTo(&log), onFile(t))
	w.hook.fail(2)
	w.paid()
	w.hook.await(1)
	w.breakFile()
	require.Equal(t, http.StatusInternalServerError, w.call(http.MethodPost, "/v1/coupons", "percent_off=10").status)
	session := w.sandbox.Sessions()[0].ID
	require.NotEmpty(t, session)
	require.Equal(t, http.StatusConflict, w.send(http.MethodPost, root+"/refund", "session=none").status)
	require.Error(t, w.sandbox.Close(), "the broken file") // nothing is written to the log after it
	require.Contains(t, log.String(), "cannot be written")
	for _, secret := range []string{testKey, testSecret, buyer} {
		require.NotContains(t, log.String(), secret)
	}
}

// keyed is an offer with an idempotency key.
func (w *world) keyed(key string) *stripego.CheckoutSessionParams {
	params := w.offer("")
	params.SetIdempotencyKey(key)
	return params
}

// TestAKeyGivesTheSameAnswer for a day, to the same question.
// Proves: F2
func TestAKeyGivesTheSameAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	params := w.keyed("k")
	params.Mode = stripego.String("other")
	_, err := w.api.CheckoutSessions.New(params)
	require.Error(t, err, "what never began leaves the key free")
	params = w.keyed("k")
	params.ExpiresAt = nil
	first, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Empty(t, first.LastResponse.Header.Get("Idempotent-Replayed"))
	w.pay(first.ID, goodCard, buyer)
	for _, later := range []time.Duration{0, 24*time.Hour - time.Second} {
		w.clock.advance(later)
		again, err := w.api.CheckoutSessions.New(params)
		require.NoError(t, err)
		require.Equal(t, first.ID, again.ID)
		require.Equal(t, stripego.CheckoutSessionStatusOpen, again.Status, "as it was then")
		require.Equal(t, "true", again.LastResponse.Header.Get("Idempotent-Replayed"))
		require.Equal(t, "k", again.LastResponse.Header.Get("Idempotency-Key"))
	}
	require.Len(t, w.sandbox.Sessions(), 1)

	_, err = w.api.CheckoutSessions.New(w.keyed("k"))
	require.Equal(t, stripego.ErrorTypeIdempotency, refused(t, err).Type, "it belongs to its parameters")
	require.Equal(t, http.StatusBadRequest, refused(t, err).HTTPStatusCode)
	other := w.couponParams("cz-1", 25)
	other.SetIdempotencyKey("k")
	_, err = w.api.Coupons.New(other)
	require.Equal(t, stripego.ErrorTypeIdempotency, refused(t, err).Type, "and to its call")

	w.clock.advance(time.Second)
	later, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.NotEqual(t, first.ID, later.ID)
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
	w.fault(Rule{On: OnSessionCreate, Fault: Slow, Times: 1, Delay: time.Hour})
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
	require.NoError(t, w.sandbox.Close()) // which ends the hour
	first := <-done
	again, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
}

// free reports whether nobody uses the key.
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

// Whatever a form says, what is taken out of it keeps to the bounds that were asked for, or the
// form is refused.
func FuzzFields(f *testing.F) {
	for _, form := range []string{
		"", "mode=payment&line_items[0][quantity]=1&metadata[checkout]=chk_1", "list[0]=a&list[1]=b&list[3]=c", "line_items[]=&line_items[0",
		"metadata[]=x", "metadata[a=x", "metadata[a][b]=c", "n=99999999999999999999", "n=-1&n=2", "url=javascript:alert(1)", "url=http://", "%zz=1", "a;b", "[[[]]]=1",
	} {
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, form string) {
		values, err := url.ParseQuery(form)
		if err != nil {
			return
		}
		fields := &fields{values: values}
		fields.unknown([]string{"mode", "n", "url", "metadata", "line_items[][quantity]", "list[]"})
		text, number := fields.required("mode", 10), fields.integer("n", 1, 100)
		address, labels := fields.webURL("url"), fields.metadata()
		require.LessOrEqual(t, len(fields.list("list"))+fields.count("line_items"), 2*len(values))
		if fields.refused != nil {
			require.NotEmpty(t, fields.refused.Error())
			return
		}
		require.LessOrEqual(t, utf8.RuneCountInString(text), 10)
		require.True(t, number >= 1 && number <= 100 || !fields.has("n"))
		require.True(t, address == "" || isWeb(address))
		require.LessOrEqual(t, len(labels), maxLabels)
		for name, value := range labels {
			require.LessOrEqual(t, utf8.RuneCountInString(name), maxLabelName)
			require.LessOrEqual(t, utf8.RuneCountInString(value), maxLabelValue)
		}
	})
}
