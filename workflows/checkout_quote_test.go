package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/pricing"
	"customerzero/workflows"
)

func TestCheckoutQuotesAPrice(t *testing.T) {
	t.Parallel()
	s := newCheckoutWorld(t)
	early, late := s.quotes(t, 0), s.quotes(t, time.Minute)
	s.run(t)
	for _, quote := range []func() activities.CheckoutState{early, late} {
		quoted := quote()
		require.Equal(t, checkout.Open, quoted.State)
		require.Equal(t, 15, quoted.DiscountPercent)
		require.WithinDuration(t, opening.Add(checkout.OfferLife), *quoted.ExpiresAt, 5*time.Second)
	}
	require.Equal(t, "https://checkout.stripe.com/cs_"+s.row.ID+"1", s.row.PaymentURL)
}

// quotes requests the quote after a while, and returns a function for its answer.
func (s *checkoutWorld) quotes(t *testing.T, after time.Duration) func() activities.CheckoutState {
	var r *reply
	s.after(after, func() { r = s.order(workflows.UpdateQuote) })
	return func() activities.CheckoutState {
		require.NoError(t, r.err)
		require.IsType(t, activities.CheckoutState{}, r.answer)
		return r.answer.(activities.CheckoutState)
	}
}

// always makes every call of a kind fail.
func always(call string, err error) func(*testing.T, *checkoutWorld) {
	return func(_ *testing.T, s *checkoutWorld) { s.bank.always[call] = err }
}

// late makes the service complete calls without an answer.
func late(_ *testing.T, s *checkoutWorld) { s.bank.late = true }

// Proves: F19
func TestCheckoutQuoteFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before  func(*testing.T, *checkoutWorld)
		calls   []string // of the payment service
		patient time.Duration
	}{
		"the coupon is rejected: one attempt":         {before: always("coupon", bankRefuses), calls: []string{"coupon 1", "coupon", "delete coupon"}},
		"the page is rejected: the coupon is deleted": {before: always("page", bankRefuses), calls: []string{"coupon 1", "coupon", "page 1", "page", "delete coupon"}},
		"the API key is rejected":                     {before: always("coupon", bankForbids), calls: []string{"coupon 1", "coupon", "delete coupon"}},
		"the service is broken: three attempts, each with a new key": {
			before: always("coupon", bankBroken), calls: []string{"coupon 1", "coupon", "coupon 2", "coupon", "coupon 3", "coupon", "delete coupon"},
		},
		"broken at the page: the same": {
			before: always("page", bankBroken), calls: []string{"coupon 1", "coupon", "page 1", "page", "page 2", "page", "page 3", "page", "delete coupon"},
		},
		"the service is unavailable: retried while the buyer waits": {before: always("coupon", bankAway), patient: 10 * time.Second},
		"unavailable at the page: the same":                         {before: always("page", bankAway), patient: 10 * time.Second},
		"a coupon created without an answer is deleted":             {before: andThen(always("coupon", bankAway), late), patient: 10 * time.Second},
		"deleted although the service is unavailable for a while": {
			before: andThen(always("coupon", bankAway), late, fails("delete coupon", bankAway, bankBusy, bankAway, bankAway)), patient: 2 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var quoted func() activities.CheckoutState
			sale{before: func(t *testing.T, s *checkoutWorld) {
				c.before(t, s)
				quoted = s.quotes(t, 0)
			}, state: checkout.Failed, code: checkout.CodeNoPage, check: func(t *testing.T, s *checkoutWorld) {
				require.Equal(t, checkout.Failed, quoted().State, "the buyer sees the failure")
				require.Contains(t, s.row.Reason, "nothing was charged")
				require.LessOrEqual(t, s.env.Now().Sub(opening), c.patient+5*time.Second)
				if c.calls != nil {
					require.Equal(t, c.calls, s.bank.calls)
				}
				require.Equal(t, []int{765, 0}, []int{s.row.Decision.FinalCents, s.row.Decision.HeldCents}, "the price stays, and holds nothing")
			}}.play(t)
		})
	}
}

// Proves: F19
func TestCheckoutQuoteAfterRetries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		coupon, page []error
		pageURL      string
	}{
		"broken twice at the coupon":               {coupon: []error{bankBroken, bankBroken}, pageURL: "1"},
		"broken twice at the page":                 {page: []error{bankBroken, bankBroken}, pageURL: "3"},
		"briefly unavailable at both":              {coupon: []error{bankAway, bankBusy}, page: []error{bankAway}, pageURL: "1"},
		"broken, then unavailable, then available": {page: []error{bankBroken, bankAway}, pageURL: "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := andThen(fails("coupon", c.coupon...), fails("page", c.page...))
			sale{before: before, at: time.Minute, during: paidAndTold, state: checkout.Paid, check: func(t *testing.T, s *checkoutWorld) {
				require.Equal(t, "https://checkout.stripe.com/cs_"+s.row.ID+c.pageURL, s.row.PaymentURL)
				require.Equal(t, 765, s.row.PaidCents)
			}}.play(t)
		})
	}
}

// Proves: F20
func TestCheckoutPrices(t *testing.T) {
	t.Parallel()
	says := func(answer string) fakeModel { return fakeModel{says: answer} }
	always := func(outcome model.Outcome, retry bool) fakeModel {
		return fakeModel{always: &model.Error{Outcome: outcome, Message: "It did not answer.", Retry: retry}}
	}
	patient := always(model.OutOfQuota, true)
	patient.always = &model.Error{Outcome: model.OutOfQuota, Retry: true, RetryAfter: time.Hour}
	for name, c := range map[string]struct {
		fakeModel fakeModel
		percent   int
		clamps    string
		fallback  string // empty if the model decided
		asked     int
	}{
		"the model's discount":                         {says(fifteen), 15, "", "", 1},
		"the model's 0: the list price":                {says(`{"discount_percent":0,"reason":"a"}`), 0, "", "", 1},
		"the model says 500: 30":                       {says(`{"discount_percent":500,"reason":"a"}`), 30, "above_maximum", "", 1},
		"the model says -5: the list price":            {says(`{"discount_percent":-5,"reason":"a"}`), 0, "below_zero", "", 1},
		"it fails once: retried":                       {fakeModel{says: fifteen, fails: []error{&model.Error{Outcome: model.Failed, Retry: true}}}, 15, "", "", 2},
		"it fails twice: the rules":                    {always(model.Failed, true), 14, "", "failed", 2},
		"it is slow: the rules":                        {always(model.TimedOut, true), 14, "", "timed_out", 2},
		"malformed answer: the rules, without a retry": {always(model.Malformed, false), 14, "", "malformed", 1},
		"overlong answer: the rules":                   {always(model.Overlong, false), 14, "", "overlong", 1},
		"API key rejected: the rules":                  {always(model.Forbidden, false), 14, "", "forbidden", 1},
		"quota used up: the rules":                     {always(model.OutOfQuota, false), 14, "", "quota", 1},
		"it requires a longer wait than a buyer's":     {patient, 14, "", "quota", 1},
		"the answer can't be parsed":                   {says(`{"discount_percent":"25","reason":"a"}`), 14, "", "failed", 2},
		"an internal error: the rules, and no secret":  {fakeModel{always: errors.New("dial tcp 10.0.0.1: key sk_live")}, 14, "", "failed", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sale{before: func(_ *testing.T, s *checkoutWorld) {
				s.fakeModel = &c.fakeModel
				s.again(opening)
			}, at: time.Minute, during: paidAndTold, state: checkout.Paid, check: func(t *testing.T, s *checkoutWorld) {
				d, source := s.row.Decision, map[bool]pricing.Source{true: pricing.ByModel, false: pricing.ByRules}[c.fallback == ""]
				require.Equal(t, []any{c.percent, c.clamps, source, c.fallback}, []any{d.DiscountPercent, d.Clamps, d.Source, d.FallbackReason})
				require.Equal(t, c.asked, len(c.fakeModel.asked), "each call costs") //nolint:testifylint // Len would print the prompts
				require.LessOrEqual(t, c.fakeModel.left, pricing.ModelPatience, "somebody waits")
				require.Equal(t, pricing.Cents(900, c.percent), s.row.PaidCents)
				require.Equal(t, source == pricing.ByModel, d.CallID != nil)
				require.Equal(t, c.percent > 0, s.bank.count("coupon") == 1, "nothing off needs no coupon")
			}}.play(t)
		})
	}
}

// Proves: F21, LLM01
func TestPriceModelGetsOnlyFiveFacts(t *testing.T) {
	t.Parallel()
	s := newCheckoutWorld(t)
	s.run(t)
	require.Len(t, s.fakeModel.asked, 1)
	require.Contains(t, s.fakeModel.asked[0].Text,
		`<task>{"task":"price","input":{"visits":2,"time_on_site":95,"viewed_pricing":true,"added_to_cart":false,"user_type":"returning_visitor"}}</task>`)
	require.NotContains(t, s.fakeModel.asked[0].Text, "a digest")
	call := must(s.db.ModelCalls.Call(t.Context(), *s.row.Decision.CallID))
	require.Equal(t, "oracle-1", call.Model)
	require.Equal(t, "price.v1", call.Prompt)
}

// byRules checks that the rules decided, with this reason.
func byRules(why string) func(*testing.T, *checkoutWorld) {
	return func(t *testing.T, s *checkoutWorld) {
		require.Equal(t, pricing.ByRules, s.row.Decision.Source)
		require.Equal(t, why, s.row.Decision.FallbackReason)
	}
}

// TestCheckoutFallsBackToRules checks that there is a price without a model, with a known reason in the
// receipt.
// Proves: F20, V16.5.2, LLM03, LLM06
func TestCheckoutFallsBackToRules(t *testing.T) {
	t.Parallel()
	play(t, map[string]sale{
		"no model is configured, so none is named as the reason": {
			before: func(_ *testing.T, s *checkoutWorld) {
				s.fakeModel = nil
				s.again(opening)
				s.env.OnActivity("ProposePrice", mock.Anything, mock.Anything).Return(activities.CheckoutState{}, errors.New("there is none"))
			}, state: checkout.Expired,
			check: func(t *testing.T, s *checkoutWorld) {
				byRules("")(t, s)
				d := s.row.Decision
				require.Equal(t, []any{"", "", (*string)(nil), 14}, []any{d.Model, d.Prompt, d.CallID, d.DiscountPercent})
				require.Equal(t, "Our fixed rules counted that you viewed the price and you have visited 2 times.", d.Reason)
			},
		},
		"a hanging model server does not delay a buyer": {
			before: func(t *testing.T, s *checkoutWorld) {
				s.fakeModel.hangs = make(chan struct{})
				s.after(0, func() { givenUp(t, s) })
			}, state: checkout.Cancelled, check: func(t *testing.T, s *checkoutWorld) {
				close(s.fakeModel.hangs)
				byRules("timed_out")(t, s)
			},
		},
		"an internal error, which gets a type from Temporal": {
			before: func(_ *testing.T, s *checkoutWorld) {
				s.env.OnActivity("ProposePrice", mock.Anything, mock.Anything).
					Return(activities.CheckoutState{}, temporal.NewApplicationError("the step failed", "errorString"))
			}, state: checkout.Expired, check: byRules("failed"),
		},
		"the daily limit of model prices is reached": {
			before: func(t *testing.T, s *checkoutWorld) {
				for range account.PricesByModels.Most {
					require.NoError(t, s.db.Limits.Consume(t.Context(), account.PricesByModels, "all", opening))
				}
			}, state: checkout.Expired, check: func(t *testing.T, s *checkoutWorld) {
				require.Empty(t, s.fakeModel.asked)
				byRules("quota")(t, s)
			},
		},
	})
}

func TestCheckoutCancelledDuringQuote(t *testing.T) {
	t.Parallel()
	noModel := func(_ *testing.T, s *checkoutWorld) { s.fakeModel.always = &model.Error{Outcome: model.Failed} }
	for name, c := range map[string]struct {
		while   string // the running call; empty before the first
		before  func(*testing.T, *checkoutWorld)
		byBuyer bool
		deletes int // coupon deletions
	}{
		"at once":                               {},
		"during the model call":                 {while: "model", before: noModel},
		"while the coupon is created":           {while: "coupon", before: fails("coupon", bankAway), deletes: 1},
		"while it is created without an answer": {while: "coupon", before: andThen(fails("coupon", bankAway), late), deletes: 1},
		"while the page is created":             {while: "page", before: fails("page", bankAway), deletes: 1},
		"by the buyer: when there is a page":    {while: "page", byBuyer: true, deletes: 1},
		"by the buyer, before there is a price": {while: "model", byBuyer: true, deletes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var quote *reply
			sale{before: func(t *testing.T, s *checkoutWorld) {
				if c.before != nil {
					c.before(t, s)
				}
				cancel := s.env.CancelWorkflow
				if c.byBuyer {
					cancel = func() { givenUp(t, s) }
				}
				switch c.while {
				case "":
					s.after(0, cancel)
				case "model":
					s.fakeModel.during = cancel
				default:
					s.bank.during[c.while] = cancel
				}
				s.after(0, func() { quote = s.order(workflows.UpdateQuote) })
			}, state: checkout.Cancelled, check: func(t *testing.T, s *checkoutWorld) {
				require.Equal(t, c.byBuyer, s.row.SessionID != nil)
				require.Less(t, s.env.Now().Sub(opening), time.Minute)
				require.Contains(t, s.row.Reason, "cancelled")
				require.Equal(t, c.deletes, s.bank.count("delete coupon"))
				require.True(t, quote.done, "the quote is answered")
			}}.play(t)
		})
	}
}
