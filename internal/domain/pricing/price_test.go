package pricing

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testseed"
)

// generous limits never clamp a valid discount.
var generous = Limits{ListCents: 900, FloorCents: 600, RoomCents: 10_000}

func TestSettle(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		proposed   int
		limits     Limits
		percent    int
		finalCents int
		clamps     []Clamp
	}{
		"what is proposed counts":                  {proposed: 15, limits: generous, percent: 15, finalCents: 765},
		"nothing off is the list price":            {proposed: 0, limits: generous, percent: 0, finalCents: 900},
		"the largest discount is still one":        {proposed: 30, limits: generous, percent: 30, finalCents: 630},
		"one more is too much":                     {proposed: 31, limits: generous, percent: 30, finalCents: 630, clamps: []Clamp{AboveMaximum}},
		"a price above the list is the list":       {proposed: -1, limits: generous, percent: 0, finalCents: 900, clamps: []Clamp{BelowZero}},
		"absurd numbers are clamped like others":   {proposed: math.MaxInt, limits: generous, percent: 30, finalCents: 630, clamps: []Clamp{AboveMaximum}},
		"absurd in the other direction, too":       {proposed: math.MinInt, limits: generous, percent: 0, finalCents: 900, clamps: []Clamp{BelowZero}},
		"the floor is met on the cent":             {proposed: 20, limits: Limits{900, 720, 10_000}, percent: 20, finalCents: 720},
		"a cent above it, and a percent is lost":   {proposed: 20, limits: Limits{900, 721, 10_000}, percent: 19, finalCents: 729, clamps: []Clamp{BelowFloor}},
		"a floor at the list price allows none":    {proposed: 20, limits: Limits{900, 900, 10_000}, percent: 0, finalCents: 900, clamps: []Clamp{BelowFloor}},
		"a floor above the list raises no price":   {proposed: 20, limits: Limits{900, 5_000, 10_000}, percent: 0, finalCents: 900, clamps: []Clamp{BelowFloor}},
		"no floor does not mean for nothing":       {proposed: 100, limits: Limits{900, 0, 10_000}, percent: 30, finalCents: 630, clamps: []Clamp{AboveMaximum}},
		"the room of the month is used to a cent":  {proposed: 20, limits: Limits{900, 600, 180}, percent: 20, finalCents: 720},
		"a cent less, and a percent is lost":       {proposed: 20, limits: Limits{900, 600, 179}, percent: 19, finalCents: 729, clamps: []Clamp{OverBudget}},
		"a month that is spent gives nothing":      {proposed: 20, limits: Limits{900, 600, 0}, percent: 0, finalCents: 900, clamps: []Clamp{OverBudget}},
		"a month that is overspent, neither":       {proposed: 20, limits: Limits{900, 600, -50}, percent: 0, finalCents: 900, clamps: []Clamp{OverBudget}},
		"nothing off needs no room":                {proposed: 0, limits: Limits{900, 900, -50}, percent: 0, finalCents: 900},
		"maximum, then floor":                      {proposed: 500, limits: Limits{900, 700, 10_000}, percent: 22, finalCents: 702, clamps: []Clamp{AboveMaximum, BelowFloor}},
		"maximum, then budget":                     {proposed: 500, limits: Limits{900, 600, 90}, percent: 10, finalCents: 810, clamps: []Clamp{AboveMaximum, OverBudget}},
		"floor, then budget":                       {proposed: 25, limits: Limits{900, 700, 90}, percent: 10, finalCents: 810, clamps: []Clamp{BelowFloor, OverBudget}},
		"a budget that the floor keeps to anyhow":  {proposed: 25, limits: Limits{900, 810, 180}, percent: 10, finalCents: 810, clamps: []Clamp{BelowFloor}},
		"maximum, floor and budget, in this order": {proposed: 500, limits: Limits{900, 700, 90}, percent: 10, finalCents: 810, clamps: []Clamp{AboveMaximum, BelowFloor, OverBudget}},
		"a list price of one dollar":               {proposed: 30, limits: Limits{100, 70, 30}, percent: 30, finalCents: 70},
		"a list price of 49 dollars":               {proposed: 17, limits: Limits{4_900, 0, 4_900}, percent: 17, finalCents: 4_067},
		"a list price of a thousand":               {proposed: 29, limits: Limits{100_000, 71_000, 29_000}, percent: 29, finalCents: 71_000},
		"room of half a percent is none":           {proposed: 1, limits: Limits{900, 600, 8}, percent: 0, finalCents: 900, clamps: []Clamp{OverBudget}},
	} {
		t.Run(name, func(t *testing.T) {
			v := Settle(Proposal{DiscountPercent: tt.proposed}, tt.limits)
			require.Equal(t, Verdict{tt.percent, tt.finalCents, tt.clamps}, v)
		})
	}
}

// TestSettledPricesKeepToEveryLimit checks the limits that the database enforces with random proposals.
// Proves: F20 seeded
// Proves: LLM03
func TestSettledPricesKeepToEveryLimit(t *testing.T) {
	t.Parallel()
	seed := testseed.Seed(t)
	draw := testseed.Of(t, seed, 0)
	for range 200_000 {
		list := 100 * (1 + draw.IntN(1_000))
		l := Limits{ListCents: list, FloorCents: draw.IntN(2*list) - list/2, RoomCents: draw.IntN(2*list) - list/2}
		p := Proposal{DiscountPercent: draw.IntN(121) - 40}
		if draw.IntN(10) == 0 {
			p.DiscountPercent = int(draw.Uint64())
		}
		v := Settle(p, l)
		kept := v.DiscountPercent >= 0 && v.DiscountPercent <= MaxDiscountPercent &&
			v.FinalCents > 0 && v.FinalCents <= list &&
			v.FinalCents*100 == list*(100-v.DiscountPercent) &&
			v.FinalCents >= min(l.FloorCents, list) &&
			list-v.FinalCents <= max(l.RoomCents, 0) &&
			v.DiscountPercent <= max(p.DiscountPercent, 0) &&
			(v.DiscountPercent == p.DiscountPercent) == (len(v.Clamps) == 0)
		require.True(t, kept, "seed %d: %+v within %+v became %+v", seed, p, l, v)
		wider := Settle(p, Limits{ListCents: list, FloorCents: l.FloorCents - 1, RoomCents: l.RoomCents + 1})
		require.GreaterOrEqual(t, wider.DiscountPercent, v.DiscountPercent, "seed %d: more room is never worse", seed)
		if v.DiscountPercent < min(p.DiscountPercent, MaxDiscountPercent) { // no percent is lost that the limits allow
			next := Cents(list, v.DiscountPercent+1)
			require.True(t, next < l.FloorCents || list-next > l.RoomCents, "seed %d: %+v within %+v became %+v", seed, p, l, v)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		seen    Behaviour
		percent int
		counted string
	}{
		"a new visitor":                      {Behaviour{1, 20, false, false, NewVisitor}, 0, "this is your first visit"},
		"a new visitor who viewed the price": {Behaviour{1, 20, true, false, NewVisitor}, 10, "you viewed the price"},
		"an abandoned cart counts most": {
			Behaviour{9, 900, true, true, ReturningVisitor},
			30,
			"you put the membership in your cart, you have visited 9 times and you spent 15 minutes here",
		},
		"a cart counts without the rest":       {Behaviour{1, 0, false, true, NewVisitor}, 20, "you put the membership in your cart"},
		"coming back counts, more each time":   {Behaviour{3, 0, false, false, ReturningVisitor}, 5, "you have visited 3 times"},
		"coming back without a count":          {Behaviour{0, 0, false, false, ReturningVisitor}, 4, "you came back"},
		"five minutes are a long time":         {Behaviour{1, 300, true, false, NewVisitor}, 13, "you viewed the price and you spent 5 minutes here"},
		"a power user gets little":             {Behaviour{50, 9000, true, true, PowerUser}, 5, "you visit often"},
		"an unknown type gets no better price": {Behaviour{Visits: 1, UserType: "owner"}, 0, "this is your first visit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reason := "Our fixed rules counted that " + tt.counted + "."
			require.Equal(t, Proposal{Source: ByRules, DiscountPercent: tt.percent, Reason: reason}, Rules(tt.seen))
		})
	}
	for _, count := range []int{math.MinInt, -1, 0, 1, 2, 3, 5, 300, math.MaxInt} {
		for _, kind := range []UserType{NewVisitor, ReturningVisitor, PowerUser} {
			for flags := range 4 {
				p := Rules(Behaviour{count, count, flags&1 > 0, flags&2 > 0, kind})
				require.Empty(t, Settle(p, generous).Clamps, "the rules keep to the limits")
			}
		}
	}
}

func TestUserTypes(t *testing.T) {
	t.Parallel()
	for visits, want := range map[int]UserType{
		0: NewVisitor, 1: NewVisitor, 2: ReturningVisitor, 7: ReturningVisitor, 8: PowerUser, 1000: PowerUser,
	} {
		require.Equal(t, want, UserTypeOf(visits), visits)
	}
}

func TestReadProposal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer  string
		percent int
		reason  string
	}{
		"as asked":                                   {`{"discount_percent":25,"reason":"You came back."}`, 25, "You came back."},
		"far too much is read as it is":              {`{"discount_percent":500,"reason":"a"}`, 500, "a"},
		"less than nothing, too":                     {`{"discount_percent":-20,"reason":"a"}`, -20, "a"},
		"more than a whole number can hold":          {`{"discount_percent":1e300,"reason":"a"}`, farOut, "a"},
		"the same below zero":                        {`{"discount_percent":-1e300,"reason":"a"}`, -farOut, "a"},
		"the largest whole number":                   {`{"discount_percent":9223372036854775807,"reason":"a"}`, farOut, "a"},
		"a broken number: the buyer is not misled":   {`{"discount_percent":12.9,"reason":"a"}`, 12, "a"},
		"a broken number below zero":                 {`{"discount_percent":-0.9,"reason":"a"}`, 0, "a"},
		"space around the reason is not read":        {`{"discount_percent":5,"reason":"\n You came. \t"}`, 5, "You came."},
		"no line, control or bidi character is read": {`{"discount_percent":5,"reason":"You\ncame \u202eback\u202c.\u0007"}`, 5, "You came back."},
		"markup and links stay text":                 {`{"discount_percent":5,"reason":"<a href=\"//evil.test\">You</a> [came](https://evil.test)"}`, 5, `<a href="//evil.test">You</a> [came](https://evil.test)`},
		"nothing said is nothing off":                {`{}`, 0, ""},
		"more than was asked for is not read":        {`{"discount_percent":5,"reason":"a","final_cents":1}`, 5, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := ReadProposal(json.RawMessage(tt.answer))
			require.NoError(t, err)
			require.Equal(t, Proposal{DiscountPercent: tt.percent, Reason: tt.reason, Source: ByModel}, p)
		})
	}
	for name, answer := range map[string]string{
		"a number as text":      `{"discount_percent":"25","reason":"a"}`,
		"not a number":          `{"discount_percent":NaN,"reason":"a"}`,
		"more than a float":     `{"discount_percent":1e999,"reason":"a"}`,
		"a list":                `[25]`,
		"a reason that is none": `{"discount_percent":25,"reason":{}}`,
		"half an answer":        `{"discount_percent":25`,
		"empty":                 ``,
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			p, err := ReadProposal(json.RawMessage(answer))
			require.Error(t, err)
			require.Equal(t, Proposal{}, p)
		})
	}
}

// FuzzReadProposal checks that every answer gives a price within the limits, or an error.
// Proves: F20, LLM03
func FuzzReadProposal(f *testing.F) {
	for _, answer := range []string{`{"discount_percent":25,"reason":"a"}`, `{"discount_percent":-1e300}`, `[]`, `{"discount_percent":29.999}`} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		p, err := ReadProposal(json.RawMessage(answer))
		if err != nil {
			return
		}
		v := Settle(p, Limits{ListCents: ListCents, FloorCents: 600, RoomCents: ListCents})
		require.GreaterOrEqual(t, v.FinalCents, 630)
		require.LessOrEqual(t, v.FinalCents, ListCents)
		require.Equal(t, ListCents*(100-v.DiscountPercent), v.FinalCents*100)
	})
}
