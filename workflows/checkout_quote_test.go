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
	var early, late *reply
	s.after(0, func() { early = s.order(t, workflows.UpdateQuote) })
	s.after(time.Minute, func() { late = s.order(t, workflows.UpdateQuote) })
	s.run(t)
	for _, r := range []*reply{early, late} {
		require.NoError(t, r.err)
		quoted, ok := r.answer.(activities.CheckoutState)
		require.True(t, ok)
		require.Equal(t, checkout.Open, quoted.State)
		require.Equal(t, 15, quoted.DiscountPercent)
		require.WithinDuration(t, opening.Add(checkout.OfferLife), *quoted.ExpiresAt, 5*time.Second)
	}
	require.Equal(t, "https://checkout.stripe.com/cs_"+s.row.ID+"1", s.row.PaymentURL)
}

// Proves: F19
func TestCheckoutThatCannotBeQuoted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before  func(s *shop)
		calls   []string // of the bank
		patient time.Duration
	}{
		"the coupon is refused: tried once": {
			before: func(s *shop) { s.bank.always["coupon"] = bankRefuses },
			calls:  []string{"coupon 1", "coupon", "delete coupon"},
		},
		"the page is refused: the coupon is taken back": {
			before: func(s *shop) { s.bank.always["page"] = bankRefuses },
			calls:  []string{"coupon 1", "coupon", "page 1", "page", "delete coupon"},
		},
		"our key is not taken": {
			before: func(s *shop) { s.bank.always["coupon"] = bankForbids },
			calls:  []string{"coupon 1", "coupon", "delete coupon"},
		},
		"the service is broken: three tries, each with a key of its own": {
			before: func(s *shop) { s.bank.always["coupon"] = bankBroken },
			calls:  []string{"coupon 1", "coupon", "coupon 2", "coupon", "coupon 3", "coupon", "delete coupon"},
		},
		"broken at the page: the same": {
			before: func(s *shop) { s.bank.always["page"] = bankBroken },
			calls:  []string{"coupon 1", "coupon", "page 1", "page", "page 2", "page", "page 3", "page", "delete coupon"},
		},
		"the service is away: not for longer than somebody waits":  {before: func(s *shop) { s.bank.always["coupon"] = bankAway }, patient: 10 * time.Second},
		"away at the page: the same":                               {before: func(s *shop) { s.bank.always["page"] = bankAway }, patient: 10 * time.Second},
		"a coupon that was made without an answer is taken back":   {before: func(s *shop) { s.bank.always["coupon"], s.bank.late = bankAway, true }, patient: 10 * time.Second},
		"taken back also when the service is away for a while yet": {before: awayForTheRest, patient: 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			tt.before(s)
			var r *reply
			s.after(0, func() { r = s.order(t, workflows.UpdateQuote) })
			require.Equal(t, workflows.CheckoutResult{State: checkout.Failed, Code: checkout.CodeNoPage}, s.run(t))
			require.NoError(t, r.err)
			quoted, ok := r.answer.(activities.CheckoutState)
			require.True(t, ok)
			require.Equal(t, checkout.Failed, quoted.State, "the buyer is told")
			require.Contains(t, s.row.Reason, "Nothing was charged")
			require.LessOrEqual(t, s.env.Now().Sub(opening), tt.patient+5*time.Second)
			if tt.calls != nil {
				require.Equal(t, tt.calls, s.bank.calls)
			}
			require.Equal(t, 135, s.row.Decision.HeldCents, "the price stands for a day all the same")
		})
	}
}

// awayForTheRest answers again long after the buyer was told.
func awayForTheRest(s *shop) {
	s.bank.always["coupon"], s.bank.late = bankAway, true
	s.bank.fails["delete coupon"] = []error{bankAway, bankBusy, bankAway, bankAway}
}

// Proves: F19
func TestCheckoutThatIsQuotedAfterTrouble(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
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
			s := newShop(t)
			s.bank.fails["coupon"], s.bank.fails["page"] = tt.coupon, tt.page
			s.after(time.Minute, func() { paidAndTold(t, s) })
			require.Equal(t, checkout.Paid, s.run(t).State)
			require.Equal(t, "https://checkout.stripe.com/cs_"+s.row.ID+tt.pageURL, s.row.PaymentURL)
			require.Equal(t, 765, s.row.PaidCents)
		})
	}
}

// Proves: F20
func TestCheckoutPrices(t *testing.T) {
	t.Parallel()
	slow := &model.Error{Outcome: model.TimedOut, Message: "It did not answer in time.", Retry: true}
	for name, tt := range map[string]struct {
		oracle   oracle
		percent  int
		clamps   string
		source   pricing.Source
		fallback string
		asked    int
	}{
		"as the model says":                           {oracle: oracle{says: fifteen}, percent: 15, source: pricing.ByModel, asked: 1},
		"nothing off, as the model says":              {oracle: oracle{says: `{"discount_percent":0,"reason":"a"}`}, source: pricing.ByModel, asked: 1},
		"the model says 500: 30":                      {oracle: oracle{says: `{"discount_percent":500,"reason":"a"}`}, percent: 30, clamps: "above_maximum", source: pricing.ByModel, asked: 1},
		"the model says -5: the list price":           {oracle: oracle{says: `{"discount_percent":-5,"reason":"a"}`}, clamps: "below_zero", source: pricing.ByModel, asked: 1},
		"it fails once: asked again":                  {oracle: oracle{says: fifteen, fails: []error{&model.Error{Outcome: model.Failed, Retry: true}}}, percent: 15, source: pricing.ByModel, asked: 2},
		"it fails twice: the rules":                   {oracle: oracle{always: &model.Error{Outcome: model.Failed, Retry: true}}, percent: 15, source: pricing.ByRules, fallback: "failed", asked: 2},
		"it is slow: the rules":                       {oracle: oracle{always: slow}, percent: 15, source: pricing.ByRules, fallback: "timed_out", asked: 2},
		"it talks nonsense: the rules, at once":       {oracle: oracle{always: &model.Error{Outcome: model.Malformed}}, percent: 15, source: pricing.ByRules, fallback: "malformed", asked: 1},
		"it talks without end: the rules":             {oracle: oracle{always: &model.Error{Outcome: model.Overlong}}, percent: 15, source: pricing.ByRules, fallback: "overlong", asked: 1},
		"it does not take our key: the rules":         {oracle: oracle{always: &model.Error{Outcome: model.Forbidden}}, percent: 15, source: pricing.ByRules, fallback: "forbidden", asked: 1},
		"we have used it up: the rules":               {oracle: oracle{always: &model.Error{Outcome: model.OutOfQuota}}, percent: 15, source: pricing.ByRules, fallback: "quota", asked: 1},
		"it wants us to wait longer than people do":   {oracle: oracle{always: &model.Error{Outcome: model.OutOfQuota, Retry: true, RetryAfter: time.Hour}}, percent: 15, source: pricing.ByRules, fallback: "quota", asked: 1},
		"what it says cannot be read after all":       {oracle: oracle{says: `{"discount_percent":"25","reason":"a"}`}, percent: 15, source: pricing.ByRules, fallback: "failed", asked: 2},
		"a trouble of ours: the rules, and no secret": {oracle: oracle{always: errors.New("dial tcp 10.0.0.1: key sk_live")}, percent: 15, source: pricing.ByRules, fallback: "failed", asked: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.oracle = &tt.oracle
			s.again(opening)
			s.after(time.Minute, func() { paidAndTold(t, s) })
			require.Equal(t, checkout.Paid, s.run(t).State)
			d := s.row.Decision
			require.Equal(t, tt.percent, d.DiscountPercent)
			require.Equal(t, tt.clamps, d.Clamps)
			require.Equal(t, tt.source, d.Source)
			require.Equal(t, tt.fallback, d.Fallback)
			require.Equal(t, tt.asked, len(tt.oracle.asked), "each call costs") //nolint:testifylint // Len would print the prompts
			require.LessOrEqual(t, tt.oracle.left, pricing.ModelPatience, "somebody waits")
			require.Equal(t, pricing.Cents(900, tt.percent), s.row.PaidCents)
			require.Equal(t, tt.source == pricing.ByModel, d.CallID != nil)
			require.Equal(t, tt.percent > 0, s.bank.count("coupon") == 1, "nothing off needs no coupon")
		})
	}
}

// A model is told the five facts, and nothing else.
// Proves: F21, LLM01
func TestCheckoutModelIsToldTheFiveFacts(t *testing.T) {
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

// A model's server that hangs does not keep a buyer waiting, whatever its client does.
// Proves: F20, V16.5.2, LLM03
func TestCheckoutModelThatHangs(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.oracle.hangs = make(chan struct{})
	s.after(0, func() { givenUp(t, s) })
	s.run(t)
	close(s.oracle.hangs)
	require.Equal(t, pricing.ByRules, s.row.Decision.Source)
	require.Equal(t, "timed_out", s.row.Decision.Fallback)
}

// The receipt says why our rules decided in words that we know. Any error of ours has a type
// as well by the time it has come through Temporal.
// Proves: F20, LLM03
func TestCheckoutFallbackIsAWordOfOurs(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.env.OnActivity("ProposePrice", mock.Anything, mock.Anything).
		Return(activities.CheckoutState{}, temporal.NewApplicationError("the step failed", "errorString"))
	s.run(t)
	require.Equal(t, pricing.ByRules, s.row.Decision.Source)
	require.Equal(t, "failed", s.row.Decision.Fallback)
}

func TestCheckoutAtListPriceAsksNobody(t *testing.T) {
	t.Parallel()
	s := newShopFor(t, checkout.Ask{ID: checkout.NewID(), Why: pricing.GPC})
	s.after(time.Minute, func() { paidAndTold(t, s) })
	require.Equal(t, checkout.Paid, s.run(t).State)
	require.Empty(t, s.oracle.asked)
	require.Zero(t, s.bank.count("coupon"))
	require.Equal(t, 900, s.row.PaidCents)
	require.Empty(t, s.receiptFacts(t)["Discount"])
}

// The price of a visitor's day is not decided anew for their next page.
func TestCheckoutOfTheSameDayAsksNoModelAgain(t *testing.T) {
	t.Parallel()
	ask := anybody()
	s := newShopFor(t, ask)
	require.Equal(t, checkout.Expired, s.run(t).State)
	ask.ID = checkout.NewID()
	s.row = must(s.db.Checkouts.BeginCheckout(t.Context(), ask, opening.Add(time.Hour)))
	s.again(opening.Add(time.Hour))
	s.after(time.Minute, func() { paidAndTold(t, s) })
	require.Equal(t, checkout.Paid, s.run(t).State)
	require.Len(t, s.oracle.asked, 1)
	require.Equal(t, 765, s.row.PaidCents)
}

func TestCheckoutThatIsCancelledWhileItIsQuoted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		while   string // the call that is under way; empty: none yet
		before  func(s *shop)
		byBuyer bool
		deletes int // of the coupon
	}{
		"at once":                               {},
		"while a model is asked":                {while: "model", before: func(s *shop) { s.oracle.always = &model.Error{Outcome: model.Failed} }},
		"while the coupon is made":              {while: "coupon", before: func(s *shop) { s.bank.fails["coupon"] = []error{bankAway} }, deletes: 1},
		"while it is made without an answer":    {while: "coupon", before: func(s *shop) { s.bank.fails["coupon"], s.bank.late = []error{bankAway}, true }, deletes: 1},
		"while the page is made":                {while: "page", before: func(s *shop) { s.bank.fails["page"] = []error{bankAway} }, deletes: 1},
		"by the buyer: when there is a page":    {while: "page", byBuyer: true, deletes: 1},
		"by the buyer, before there is a price": {while: "model", byBuyer: true, deletes: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			if tt.before != nil {
				tt.before(s)
			}
			cancel := s.env.CancelWorkflow
			if tt.byBuyer {
				cancel = func() { givenUp(t, s) }
			}
			switch tt.while {
			case "":
				s.after(0, cancel)
			case "model":
				s.oracle.during = cancel
			default:
				s.bank.during[tt.while] = cancel
			}
			require.Equal(t, workflows.CheckoutResult{State: checkout.Cancelled}, s.run(t))
			require.Equal(t, tt.byBuyer, s.row.SessionID != nil)
			require.Less(t, s.env.Now().Sub(opening), time.Minute)
			require.Contains(t, s.row.Reason, "cancelled")
			require.Equal(t, tt.deletes, s.bank.count("delete coupon"))
		})
	}
}

// Whoever waits for a quote while the run is cancelled hears of it.
func TestCheckoutQuoteOfACancelledRun(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.bank.fails["coupon"] = []error{bankAway}
	s.bank.during["coupon"] = s.env.CancelWorkflow
	var r *reply
	s.after(0, func() { r = s.order(t, workflows.UpdateQuote) })
	require.Equal(t, checkout.Cancelled, s.run(t).State)
	require.True(t, r.done)
}

// What models cost in a day has a bound, however many buyers there are: a price comes all the same.
// Proves: LLM06
func TestCheckoutIsPricedByOurRulesWhenModelsPricedEnoughForADay(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for range account.PricesByModels.Most {
		require.NoError(t, s.db.Limits.Consume(t.Context(), account.PricesByModels, "all", opening))
	}
	s.run(t)
	require.Empty(t, s.oracle.asked)
	require.Equal(t, pricing.ByRules, s.row.Decision.Source)
	require.Equal(t, "quota", s.row.Decision.Fallback)
}
