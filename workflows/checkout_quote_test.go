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

// What a buyer waits for is said while they wait.
func TestCheckoutQuotesAPrice(t *testing.T) {
	t.Parallel()
	s := newShop(t)
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

// quotes asks for the quote after a while, and gives what was answered.
func (s *shop) quotes(t *testing.T, after time.Duration) func() activities.CheckoutState {
	var r *reply
	s.after(after, func() { r = s.order(workflows.UpdateQuote) })
	return func() activities.CheckoutState {
		require.NoError(t, r.err)
		require.IsType(t, activities.CheckoutState{}, r.answer)
		return r.answer.(activities.CheckoutState)
	}
}

// always is what a call of the payment service meets.
func always(call string, err error) func(*testing.T, *shop) {
	return func(_ *testing.T, s *shop) { s.bank.always[call] = err }
}

// late is a service that does what it does not answer.
func late(_ *testing.T, s *shop) { s.bank.late = true }

// Proves: F19
func TestCheckoutQuoteFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before  func(*testing.T, *shop)
		calls   []string // of the bank
		patient time.Duration
	}{
		"the coupon is refused: tried once":             {before: always("coupon", bankRefuses), calls: []string{"coupon 1", "coupon", "delete coupon"}},
		"the page is refused: the coupon is taken back": {before: always("page", bankRefuses), calls: []string{"coupon 1", "coupon", "page 1", "page", "delete coupon"}},
		"our key is not taken":                          {before: always("coupon", bankForbids), calls: []string{"coupon 1", "coupon", "delete coupon"}},
		"the service is broken: three tries, each with a key of its own": {
			before: always("coupon", bankBroken), calls: []string{"coupon 1", "coupon", "coupon 2", "coupon", "coupon 3", "coupon", "delete coupon"},
		},
		"broken at the page: the same": {
			before: always("page", bankBroken), calls: []string{"coupon 1", "coupon", "page 1", "page", "page 2", "page", "page 3", "page", "delete coupon"},
		},
		"the service is away: not for longer than somebody waits": {before: always("coupon", bankAway), patient: 10 * time.Second},
		"away at the page: the same":                              {before: always("page", bankAway), patient: 10 * time.Second},
		"a coupon that was made without an answer is taken back":  {before: andThen(always("coupon", bankAway), late), patient: 10 * time.Second},
		"taken back also when the service is away for a while yet": {
			before: andThen(always("coupon", bankAway), late, fails("delete coupon", bankAway, bankBusy, bankAway, bankAway)), patient: 2 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var quoted func() activities.CheckoutState
			sale{before: func(t *testing.T, s *shop) {
				c.before(t, s)
				quoted = s.quotes(t, 0)
			}, state: checkout.Failed, code: checkout.CodeNoPage, check: func(t *testing.T, s *shop) {
				require.Equal(t, checkout.Failed, quoted().State, "the buyer is told")
				require.Contains(t, s.row.Reason, "Nothing was charged")
				require.LessOrEqual(t, s.env.Now().Sub(opening), c.patient+5*time.Second)
				if c.calls != nil {
					require.Equal(t, c.calls, s.bank.calls)
				}
				require.Equal(t, 135, s.row.Decision.HeldCents, "the price stands for a day all the same")
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
		"broken twice at the coupon":      {coupon: []error{bankBroken, bankBroken}, pageURL: "1"},
		"broken twice at the page":        {page: []error{bankBroken, bankBroken}, pageURL: "3"},
		"away for a moment, at both":      {coupon: []error{bankAway, bankBusy}, page: []error{bankAway}, pageURL: "1"},
		"broken, then away, then at hand": {page: []error{bankBroken, bankAway}, pageURL: "2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := andThen(fails("coupon", c.coupon...), fails("page", c.page...))
			sale{before: before, at: time.Minute, during: paidAndTold, state: checkout.Paid, check: func(t *testing.T, s *shop) {
				require.Equal(t, "https://checkout.stripe.com/cs_"+s.row.ID+c.pageURL, s.row.PaymentURL)
				require.Equal(t, 765, s.row.PaidCents)
			}}.play(t)
		})
	}
}

// Proves: F20
func TestCheckoutPrices(t *testing.T) {
	t.Parallel()
	says := func(answer string) oracle { return oracle{says: answer} }
	always := func(outcome model.Outcome, retry bool) oracle {
		return oracle{always: &model.Error{Outcome: outcome, Message: "It did not answer.", Retry: retry}}
	}
	patient := always(model.OutOfQuota, true)
	patient.always = &model.Error{Outcome: model.OutOfQuota, Retry: true, RetryAfter: time.Hour}
	for name, c := range map[string]struct {
		oracle   oracle
		percent  int
		clamps   string
		fallback string // empty: the model decided
		asked    int
	}{
		"as the model says":                           {says(fifteen), 15, "", "", 1},
		"nothing off, as the model says":              {says(`{"discount_percent":0,"reason":"a"}`), 0, "", "", 1},
		"the model says 500: 30":                      {says(`{"discount_percent":500,"reason":"a"}`), 30, "above_maximum", "", 1},
		"the model says -5: the list price":           {says(`{"discount_percent":-5,"reason":"a"}`), 0, "below_zero", "", 1},
		"it fails once: asked again":                  {oracle{says: fifteen, fails: []error{&model.Error{Outcome: model.Failed, Retry: true}}}, 15, "", "", 2},
		"it fails twice: the rules":                   {always(model.Failed, true), 15, "", "failed", 2},
		"it is slow: the rules":                       {always(model.TimedOut, true), 15, "", "timed_out", 2},
		"it talks nonsense: the rules, at once":       {always(model.Malformed, false), 15, "", "malformed", 1},
		"it talks without end: the rules":             {always(model.Overlong, false), 15, "", "overlong", 1},
		"it does not take our key: the rules":         {always(model.Forbidden, false), 15, "", "forbidden", 1},
		"we have used it up: the rules":               {always(model.OutOfQuota, false), 15, "", "quota", 1},
		"it wants us to wait longer than people do":   {patient, 15, "", "quota", 1},
		"what it says cannot be read after all":       {says(`{"discount_percent":"25","reason":"a"}`), 15, "", "failed", 2},
		"a trouble of ours: the rules, and no secret": {oracle{always: errors.New("dial tcp 10.0.0.1: key sk_live")}, 15, "", "failed", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sale{before: func(_ *testing.T, s *shop) {
				s.oracle = &c.oracle
				s.again(opening)
			}, at: time.Minute, during: paidAndTold, state: checkout.Paid, check: func(t *testing.T, s *shop) {
				d, source := s.row.Decision, map[bool]pricing.Source{true: pricing.ByModel, false: pricing.ByRules}[c.fallback == ""]
				require.Equal(t, []any{c.percent, c.clamps, source, c.fallback}, []any{d.DiscountPercent, d.Clamps, d.Source, d.FallbackReason})
				require.Equal(t, c.asked, len(c.oracle.asked), "each call costs") //nolint:testifylint // Len would print the prompts
				require.LessOrEqual(t, c.oracle.left, pricing.ModelPatience, "somebody waits")
				require.Equal(t, pricing.Cents(900, c.percent), s.row.PaidCents)
				require.Equal(t, source == pricing.ByModel, d.CallID != nil)
				require.Equal(t, c.percent > 0, s.bank.count("coupon") == 1, "nothing off needs no coupon")
			}}.play(t)
		})
	}
}

// A model is told the five facts, and nothing else.
// Proves: F21, LLM01
func TestPriceModelGetsOnlyFiveFacts(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.run(t)
	require.Len(t, s.oracle.asked, 1)
	require.Contains(t, s.oracle.asked[0].Text,
		`<task>{"task":"price","input":{"visits":2,"time_on_site":95,"viewed_pricing":true,"added_to_cart":false,"user_type":"returning_visitor"}}</task>`)
	require.NotContains(t, s.oracle.asked[0].Text, "a digest")
	call := must(s.db.ModelCalls.Call(t.Context(), *s.row.Decision.CallID))
	require.Equal(t, "oracle-1", call.Model)
	require.Equal(t, "price.v1", call.Prompt)
}

// byRules sees that our rules decided, and why.
func byRules(why string) func(*testing.T, *shop) {
	return func(t *testing.T, s *shop) {
		require.Equal(t, pricing.ByRules, s.row.Decision.Source)
		require.Equal(t, why, s.row.Decision.FallbackReason)
	}
}

// A price comes also without a model, and the receipt says why in words that we know.
// Proves: F20, V16.5.2, LLM03, LLM06
func TestCheckoutFallsBackToRules(t *testing.T) {
	t.Parallel()
	sell(t, map[string]sale{
		"a model's server that hangs does not keep a buyer waiting, whatever its client does": {
			before: func(t *testing.T, s *shop) {
				s.oracle.hangs = make(chan struct{})
				s.after(0, func() { givenUp(t, s) })
			}, state: checkout.Cancelled, check: func(t *testing.T, s *shop) {
				close(s.oracle.hangs)
				byRules("timed_out")(t, s)
			},
		},
		"an error of ours, which has a type as well by the time it has come through Temporal": {
			before: func(_ *testing.T, s *shop) {
				s.env.OnActivity("ProposePrice", mock.Anything, mock.Anything).
					Return(activities.CheckoutState{}, temporal.NewApplicationError("the step failed", "errorString"))
			}, state: checkout.Expired, check: byRules("failed"),
		},
		"models priced enough for a day, however many buyers there are": {
			before: func(t *testing.T, s *shop) {
				for range account.PricesByModels.Most {
					require.NoError(t, s.db.Limits.Consume(t.Context(), account.PricesByModels, "all", opening))
				}
			}, state: checkout.Expired, check: func(t *testing.T, s *shop) {
				require.Empty(t, s.oracle.asked)
				byRules("quota")(t, s)
			},
		},
	})
}

func TestCheckoutCancelledDuringQuote(t *testing.T) {
	t.Parallel()
	noModel := func(_ *testing.T, s *shop) { s.oracle.always = &model.Error{Outcome: model.Failed} }
	for name, c := range map[string]struct {
		while   string // the call that is under way; empty: none yet
		before  func(*testing.T, *shop)
		byBuyer bool
		deletes int // of the coupon
	}{
		"at once":                               {},
		"while a model is asked":                {while: "model", before: noModel},
		"while the coupon is made":              {while: "coupon", before: fails("coupon", bankAway), deletes: 1},
		"while it is made without an answer":    {while: "coupon", before: andThen(fails("coupon", bankAway), late), deletes: 1},
		"while the page is made":                {while: "page", before: fails("page", bankAway), deletes: 1},
		"by the buyer: when there is a page":    {while: "page", byBuyer: true, deletes: 1},
		"by the buyer, before there is a price": {while: "model", byBuyer: true, deletes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var quote *reply
			sale{before: func(t *testing.T, s *shop) {
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
					s.oracle.during = cancel
				default:
					s.bank.during[c.while] = cancel
				}
				s.after(0, func() { quote = s.order(workflows.UpdateQuote) })
			}, state: checkout.Cancelled, check: func(t *testing.T, s *shop) {
				require.Equal(t, c.byBuyer, s.row.SessionID != nil)
				require.Less(t, s.env.Now().Sub(opening), time.Minute)
				require.Contains(t, s.row.Reason, "cancelled")
				require.Equal(t, c.deletes, s.bank.count("delete coupon"))
				require.True(t, quote.done, "whoever waits for a quote hears of it")
			}}.play(t)
		})
	}
}
